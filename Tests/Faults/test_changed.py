"""F08: a row deep in a store is changed, and the views have to be rebuilt. The changed row is not projected: the start
is refused with the position and advice.
"""

import random
import re
import shutil
import sqlite3
from contextlib import closing

from alone import Alone
from client import until
from desk import Activities, Adverts
from test_io_errors import STORAGE_FAILED
from volume import wait_gone

#: The number of entries that every start verifies anyway; a change there would not be deep.
VERIFIED = 64
#: Entries after the last complete tile of the hub's tree are also read at every start.
TILE = 256

#: The changes in SQLite and, for the hub's own journal, in Postgres.
CHANGES = {
    "rewritten": ("UPDATE entry SET bytes = CAST(replace(CAST(bytes AS TEXT), 'e', 'i') AS BLOB) WHERE pos = {0}",
                  "UPDATE hub.entry SET bytes = set_byte(bytes, 9, get_byte(bytes, 9) # 1) WHERE hubpos = {0}"),
    "left out": ("DELETE FROM entry WHERE pos = {0}", "DELETE FROM hub.entry WHERE hubpos = {0}"),
    "its hash changed": ("UPDATE entry SET hash = randomblob(32) WHERE pos = {0}",
                         "UPDATE hub.entry SET originhash = sha256(originhash) WHERE hubpos = {0}"),
}


def refused(store) -> str:
    """Returns the log line of a start that is refused because of the store."""
    store.process = store.begin()
    assert wait_gone(store.process, 60) == STORAGE_FAILED, store.words
    return store.words


def holds(store, asker) -> int:
    """Returns the journal's last position; everything acknowledged is in it."""
    tally, end = store.tally(asker)
    tally.check()
    assert tally.acknowledged
    return end


def load(store, asker) -> None:
    asker.start()
    until(lambda: len(asker.acknowledged) >= 400, 60, "400 acknowledged")
    asker.stop()


def test_a_changed_row_of_a_journal_in_sqlite_is_not_projected(ingest, ending, table):
    store = ingest().start()
    asker = ending(store.asker(Adverts()))
    load(store, asker)
    end = holds(store, asker)
    assert store.stop() == 0
    folder, made = store.home / store.service / "0", 0
    journal, kept = folder / "journal.db", store.run / "kept"
    shutil.copy2(journal, kept)
    for change, (statement, _) in CHANGES.items():
        for _ in range(2):
            place = random.randint(2, end - VERIFIED - 1)
            with closing(sqlite3.connect(journal)) as database, database:
                assert database.execute(statement.format(place)).rowcount == 1
            # The views are up to date with the changed row: nothing is projected, so the service starts.
            if not made:
                store.start()
                assert store.stop() == 0
            for views in folder.glob("views.db*"):
                views.unlink()
            said = refused(store)
            assert re.search(rf"breaks at {place}\b.*furrow audit.*furrow restore", said), (change, place, said)
            with open(journal, "r+b") as file:
                file.truncate()
                file.write(kept.read_bytes())
            store.start()
            assert holds(store, asker) >= end
            assert store.stop() == 0
            made += 1
    table.add("F08", "a row changed deep in a journal in SQLite, and no views", made, None,
              "the start refused, with its place, each time; without the change it started")
    assert made >= 6


def test_a_changed_row_of_the_hub_in_postgres_is_not_projected(ledger, ending, table):
    store = ledger()
    asker = ending(store.asker(Activities()))
    store.start_database()
    store.start()
    load(store, asker)
    end = holds(store, asker)
    assert end > TILE + VERIFIED

    def sql(statement: str) -> None:
        store.call("psql", "-q", "-v", "ON_ERROR_STOP=1", "-h", store.run, "-U", "furrow", "furrow", "-c", statement)

    made = 0
    for change, (_, statement) in CHANGES.items():
        for _ in range(2):
            assert Alone.stop(store) == 0
            place = random.randint(2, TILE)
            sql("CREATE TABLE kept AS SELECT * FROM hub.entry; ALTER TABLE hub.entry DISABLE TRIGGER USER; "
                f"{statement.format(place)}; DROP SCHEMA views CASCADE")
            said = refused(store)
            assert re.search(rf"breaks at {place}\b.*furrow audit.*furrow restore", said), (change, place, said)
            sql("DELETE FROM hub.entry; INSERT INTO hub.entry SELECT * FROM kept; DROP TABLE kept; "
                "ALTER TABLE hub.entry ENABLE ALWAYS TRIGGER only_grows; "
                "ALTER TABLE hub.entry ENABLE ALWAYS TRIGGER only_lets_go")
            store.start()
            assert holds(store, asker) >= end
            made += 1
    table.add("F08", "a row changed deep in the hub in Postgres, and no views", made, None,
              "the start refused, with its place, each time; without the change it started")
    assert made >= 6
