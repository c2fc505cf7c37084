"""F21: an event of a version that only a newer Furrow understands. A reader stops there and reports so. Once it is
understood, everything is read, and nothing twice.
"""

import hashlib
import sqlite3

from client import Client, until
from test_network import Reading


def last_measured(database: sqlite3.Connection) -> tuple[int, bytes, bytes, bytes]:
    """Returns the position, hash and bytes of the last measurement, and the hash before it."""
    rows = database.execute("SELECT pos, hash, bytes FROM entry ORDER BY pos DESC LIMIT 2").fetchall()
    (position, kept, told), (_, before, _) = rows
    assert hashlib.sha256(before + told).digest() == kept and b"measured.v1" in told
    return position, kept, told, before


def test_a_reader_halts_before_what_only_a_newer_version_understands(ingest, ledger, ending, table):
    reading = Reading(ingest(), ledger(), ending)
    door = {"FURROW_ORIGINS_TRACE_LEDGER": f"ipc://{reading.ledger.run}/trace-ledger-0.origins"}
    reading.ingest.start(door)
    reading.asker.start()
    reading.wait_for(50)
    reading.asker.stop()
    reading.ingest.stop()
    journal = reading.ingest.home / "sensor-ingest" / "0" / "journal.db"
    with sqlite3.connect(journal) as database:
        position, kept, told, before = last_measured(database)
        newer = told.replace(b"measured.v1", b"measured.v2")
        database.execute("UPDATE entry SET bytes = ?, hash = ? WHERE pos = ?",
                         (newer, hashlib.sha256(before + newer).digest(), position))
    database.close()
    reading.ledger.start_database()
    reading.ledger.start()
    reading.ingest.start(door)
    until(lambda: b"newer Furrow" in Client(reading.ledger.port).call("GET", "/readyz").body, 20,
          "the ledger to say that it reads no further")
    assert [int(event["originpos"]) for event in reading.mirrored()] == list(range(1, position))
    reading.ingest.stop()
    # Simulates an update: the event gets a version that this build knows.
    with sqlite3.connect(journal) as database:
        database.execute("UPDATE entry SET bytes = ?, hash = ? WHERE pos = ?", (told, kept, position))
    database.close()
    reading.ledger.process.kill()
    reading.ledger.process.wait()
    reading.ledger.start()
    reading.ingest.start(door)
    reading.caught_up()
    tally = reading.tally()
    table.add("F21", "an event of a future version: its reader halts, reports so, and resumes later", 1, tally)
    tally.check()
