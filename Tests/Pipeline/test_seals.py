"""Old parts of a journal are in sealed segments: read like the rest, moved, backed up, and every changed bit is
detected.
"""

import hashlib
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from client import until
from farm import PROGRAMS, Farm, demoted
from load import Load, check_hub, prepare
from test_backup import backed_up, farm_of

ORIGIN = "sensor-ingest/farm-0"
#: Two complete runs, and entries that stay in the journal's file.
EVENTS = 2 * 4096 + 1024 + 200


def test_sealed_parts_of_a_journal_are_checked_moved_and_backed_up(own_farm):
    farm = own_farm().start()
    prepare(farm)
    load = Load(farm, gateways=3, growers=1, adverts=16).start()
    until(lambda: load.count >= EVENTS or load.failures, 120, f"{EVENTS} acknowledged")
    acknowledged = load.stop()
    assert not load.failures, load.failures[:3]
    until(lambda: is_sealed(farm), 60, "all complete runs to be sealed")
    assert len(segments(farm)) >= 2
    counts = check_hub(farm, acknowledged)
    found = farm.audited()
    journal = next(one for one in found["journals"] if one["origin"] == ORIGIN)
    assert journal["ok"] and journal["seals"] >= 2, journal
    assert next(one for one in found["journals"] if one["origin"] == "hub")["seals"] is None

    # A segment in another folder prints the same bytes that the journal serves.
    first = segments(farm)[0]
    elsewhere = farm.home.parent / "archive" / first.name
    elsewhere.parent.mkdir()
    shutil.copy(first, elsewhere)
    told = replay("--file", str(elsewhere))
    assert told.returncode == 0, told.stderr
    served = replay("--origin", ORIGIN, "--home", str(farm.home), "--to", "4096")
    assert told.stdout == served.stdout and told.stdout.count(b"\n") == 4096

    # A backup includes the segment, and the restored home continues.
    made = backed_up(farm)
    kept = sorted(path.name for path in Path(made["set"]).glob("journals/sensor-ingest/0.segments/*"))
    assert kept[:2] == [path.name for path in segments(farm)[:2]] and "key" not in kept, kept
    other = farm_of(made, farm, own_farm)
    check_hub(other, acknowledged)
    again = next(one for one in other.audited()["journals"] if one["origin"] == ORIGIN)
    assert again["seals"] >= journal["seals"], again
    other.stop()

    # A changed byte is named, and so is a missing file; restored, the audit is clean.
    sound = first.read_bytes()
    changed = bytearray(sound)
    changed[len(changed) // 2] ^= 1
    first.write_bytes(changed)
    code, found = farm.audit()
    problem = next(one["problem"] for one in found["journals"] if one["origin"] == ORIGIN)
    assert code == 1 and first.name in problem and "are damaged" in problem, (code, problem)
    damaged = replay("--file", str(first))
    assert damaged.returncode == 1 and damaged.stdout == b"" and b"are damaged" in damaged.stderr, damaged
    first.unlink()
    code, found = farm.audit()
    problem = next(one["problem"] for one in found["journals"] if one["origin"] == ORIGIN)
    assert code == 1 and first.name in problem, (code, problem)
    first.write_bytes(sound)
    farm.audited()
    size = sum(path.stat().st_size for path in segments(farm)[:2])
    print(f"{counts}; {journal['seals']} seals hold, {size / 8192:.1f} bytes an event in segments")


def test_a_recall_is_witnessed_by_every_journal(own_farm):
    farm = own_farm().start()
    prepare(farm)
    farm.furrow("scale", "--ingest", "2")
    until(lambda: "sensor-ingest/farm-1" in farm.services, 40, "a second ingest process")
    client = farm.client()
    # The gateway's first events must precede what is witnessed.
    until(lambda: any(event["source"] == "/sync-gateway/farm-0" and ".sync." in event["type"]
                      for event in farm.replay()), 20, "the gateway's journal in the hub")
    client.make("POST", "/v1/lots", {"lot": "R-1", "product": "Beans", "plot": "p1", "grams": 1000})
    client.make("POST", "/v1/lots/R-1/recalls", {"reason": "glass in a box"})
    readers = [origin for origin in farm.services if not origin.startswith("trace-ledger")]

    def witnessed(origin: str) -> list[dict]:
        return [event["data"] for event in farm.replay(origin)
                if event["type"] == "farm.furrow.journal.checkpoint-witnessed.v1"]

    until(lambda: all(witnessed(origin) for origin in readers), 20, "every witness")
    hub = farm.replay()
    for origin in readers:
        said = witnessed(origin)[-1]
        assert said["feed"] == "hub" and hub[said["position"] - 1]["type"] == "farm.furrow.journal.witness-asked.v1"
    farm.audited()
    assert len(readers) >= 5
    # A journal that consumes nothing of the hub continues after its last statement, and makes none twice.
    said = witnessed("sensor-ingest/farm-1")
    farm.kill("sensor-ingest/farm-1")
    client.make("POST", "/v1/lots", {"lot": "R-2", "product": "Beans", "plot": "p1", "grams": 1000})
    client.make("POST", "/v1/lots/R-2/recalls", {"reason": "glass in another box"})
    until(lambda: len(witnessed("sensor-ingest/farm-1")) > len(said), 40, "its next statement")
    assert witnessed("sensor-ingest/farm-1")[:-1] == said
    hub = farm.replay()

    # A hub that was rewritten with a valid chain contradicts the journals' witness statements.
    place, told = next((place, event) for place, event in enumerate(hub, 1)
                       if event["source"] == "/sync-gateway/farm-0" and ".sync." in event["type"])
    until(lambda: int(farm.psql("SELECT coalesce(max(size), 0) FROM hub.checkpoint")) >= place, 20, "it to be signed")
    rewrite(farm, place, b'"time":"2', b'"time":"1')
    signed = next(one["problem"] for one in farm.audit()[1]["journals"] if one["origin"] == "hub")
    assert signed.endswith("from what was signed"), signed
    # So does one whose signed checkpoints are gone. Those that the hub signs from then on are discarded, too.
    farm.psql("ALTER TABLE hub.checkpoint DISABLE TRIGGER USER; DELETE FROM hub.checkpoint; "
              "CREATE RULE discarded AS ON INSERT TO hub.checkpoint DO INSTEAD NOTHING")
    code, found = farm.audit()
    problems = {one["origin"]: one["problem"] for one in found["journals"] if not one["ok"]}
    print(f"one recall, {len(readers)} witnesses; of a hub rewritten from {place} on: {problems}")
    assert code == 1 and problems.pop("sync-gateway/farm-0") == f"the hub has other bytes at {told['originpos']}"
    asked = max(witnessed(origin)[0]["position"] for origin in readers)
    assert list(problems) == ["hub"] and problems["hub"].endswith(f"has witnessed another hub at {asked}"), problems


def rewrite(farm: Farm, place: int, before: bytes, after: bytes) -> None:
    """Changes an entry of the hub and every later hash, as an attacker does who knows how the chain is computed."""
    rows = [line.split("|") for line in farm.psql(
        f"SELECT hubpos, encode(hash, 'hex'), encode(bytes, 'hex') FROM hub.entry WHERE hubpos >= {place - 1} "
        "ORDER BY hubpos").splitlines()]
    digest, changed = bytes.fromhex(rows[0][1]), bytes.fromhex(rows[1][2]).replace(before, after, 1)
    assert changed != bytes.fromhex(rows[1][2]) and int(rows[0][0]) == place - 1
    values = []
    for number, _, text in rows[1:]:
        digest = hashlib.sha256(digest + (changed if int(number) == place else bytes.fromhex(text))).digest()
        values.append(f"({number}, decode('{digest.hex()}', 'hex'))")
    # The owner of the database can disable its own guards.
    farm.psql("ALTER TABLE hub.entry DISABLE TRIGGER USER; "
              f"UPDATE hub.entry SET bytes = decode('{changed.hex()}', 'hex') WHERE hubpos = {place}; "
              f"UPDATE hub.entry SET hash = new.hash FROM (VALUES {', '.join(values)}) new(pos, hash) "
              "WHERE hubpos = new.pos")


def segments(farm: Farm) -> list[Path]:
    return sorted((farm.home / "sensor-ingest" / "0" / "journal.segments").glob("*.segment"))


def is_sealed(farm: Farm) -> bool:
    """Returns whether every complete run is in a segment, and its rows have left the journal's file."""
    with closing(sqlite3.connect(f"file:{farm.home}/sensor-ingest/0/journal.db?mode=ro", uri=True)) as database:
        oldest, head = database.execute("SELECT min(pos), max(pos) FROM entry").fetchone()
    return oldest == max(0, head - 1024) // 4096 * 4096 + 1


def replay(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([*demoted(), PROGRAMS / "furrow", "replay", *words], capture_output=True, cwd="/", timeout=60)
