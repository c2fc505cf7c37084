"""Rebuilds the newest report of each node and hourly means with the Python library `eventsourcing`, batched.

python eventsourcing_rebuild.py FOLDER EVENTS.jsonl COUNT  prints events per second: read from its SQLite recorder in
pages, projected into dictionaries, written once for 10,000 events in one transaction with the position.
"""

import json
import sqlite3
import sys
import time
from uuid import NAMESPACE_URL, uuid5

from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore

PAGE = 10_000


def filled(path, lines, count):
    """Returns a recorder with `count` events, each node an aggregate of its own."""
    recorder = SQLiteApplicationRecorder(SQLiteDatastore(path))
    recorder.create_table()
    versions = {}
    pending = []
    for number in range(count):
        line = lines[number % len(lines)]
        device = json.loads(line)["subject"]
        versions[device] = versions.get(device, 0) + 1
        pending.append(StoredEvent(uuid5(NAMESPACE_URL, device), versions[device], "measured:1", line))
        if len(pending) == PAGE or number == count - 1:
            recorder.insert_events(pending)
            pending = []
    return recorder


def rebuild(recorder, path):
    views = sqlite3.connect(path, isolation_level=None)
    views.execute("PRAGMA journal_mode=WAL")
    views.execute("PRAGMA synchronous=NORMAL")
    views.execute("CREATE TABLE latest(key TEXT PRIMARY KEY, time TEXT, t REAL, h REAL, i REAL) WITHOUT ROWID")
    views.execute("CREATE TABLE hour(key TEXT PRIMARY KEY, n INTEGER, t REAL, h REAL, i REAL) WITHOUT ROWID")
    views.execute("CREATE TABLE position(position INTEGER)")
    views.execute("INSERT INTO position VALUES(0)")
    hours = {}
    start = 1
    while True:
        page = recorder.select_notifications(start, PAGE)
        if not page:
            return start - 1
        latest = {}
        changed = set()
        for notification in page:
            event = json.loads(notification.state)
            data = event["data"]
            values = {reading["quantity"]: reading["value"] for reading in data["readings"]}
            found = [values.get(name, 0.0) for name in ("temperature", "humidity", "illuminance")]
            latest[data["device"]] = [event["time"], *found]
            key = data["device"] + "|" + event["time"][:13]
            row = hours.setdefault(key, [0, 0.0, 0.0, 0.0])
            row[0] += 1
            for index in range(3):
                row[index + 1] += found[index]
            changed.add(key)
        views.execute("BEGIN")
        views.executemany("INSERT OR REPLACE INTO latest VALUES(?,?,?,?,?)", [(k, *v) for k, v in latest.items()])
        views.executemany("INSERT OR REPLACE INTO hour VALUES(?,?,?,?,?)", [(k, *hours[k]) for k in changed])
        start = page[-1].id + 1
        views.execute("UPDATE position SET position = ?", (start - 1,))
        views.execute("COMMIT")


def main():
    folder, events, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(events, "rb") as file:
        lines = file.read().splitlines()
    recorder = filled(f"{folder}/es.db", lines, count)
    began = time.monotonic()
    done = rebuild(recorder, f"{folder}/es-views.db")
    assert done == count, (done, count)
    print(round(count / (time.monotonic() - began)))


main()
