"""F10: a write or a sync of the journal fails once. The process ends, and nothing acknowledged is lost, even if the
power fails at that moment. Data of a failed sync must not be relied on, whatever a later sync returns.
"""

import random

from alone import Tally
from client import until
from desk import Activities, Adverts
from shim import failing
from table import rounds, times

#: The exit code of a service whose storage failed.
STORAGE_FAILED = 70


def break_once(store, disk, asker, call: str, number: int) -> int:
    """Runs a process until the injected error ends it, cuts the power, and returns the exit code."""
    mark = store.run / f"mark-{random.randrange(1 << 60)}"
    # The first call may fail before the process is seen to be ready.
    store.process = store.begin(failing(call, "journal.db-wal", number, mark))
    asker.start()
    until(lambda: mark.exists() and store.process.poll() is not None, 60, f"{call} {number} to fail, and the end",
          pause=0.002)
    code = store.process.returncode
    disk.cut([])
    asker.stop()
    return code


def break_database_once(store, disk, asker, call: str, mark) -> None:
    store.start_database(failing(call, "/pg_wal/", random.randint(20, 60), mark))
    store.start()
    asker.start()
    # The database panics, as it should, and restarts; the ledger cannot know the result of its commit.
    until(lambda: mark.exists() and store.process.poll() is not None, 30, f"the {call} to fail and the ledger to end",
          pause=0.002)
    assert store.process.returncode == STORAGE_FAILED, store.words
    disk.cut(store.pids)
    asker.stop()
    store.reap()


def test_a_process_whose_disk_fails_ends_and_loses_nothing(volume, ingest, ending, table):
    for call, highest in (("sync", 60), ("write", 400)):
        total, errors = Tally(), times(12, 500)
        for some in rounds(errors):
            disk = volume(256)
            store = ingest(disk.home)
            store.start()
            assert store.stop() == 0
            asker = ending(store.asker(Adverts()))
            checked = 0
            for _ in range(some):
                acknowledged = len(asker.acknowledged)
                assert break_once(store, disk, asker, call, random.randint(1, highest)) == STORAGE_FAILED, store.words
                store.start()
                tally, checked = store.tally(asker, first=checked + 1, since=acknowledged)
                total += tally
                total.check(f"after a failed {call}")
                store.stop()
            for thing in (asker, store, disk):
                thing.destroy()
        table.add("F10", f"EIO on {call} of the journal, then a power cut", errors, total, "ended with 70 each time")
        assert total.acknowledged >= 10 * errors


def test_a_ledger_whose_database_cannot_write_or_sync_ends_and_loses_nothing(volume, ledger, ending, table):
    for call in ("sync", "write"):
        total, errors = Tally(), times(8, 200)
        for some in rounds(errors):
            disk = volume(512)
            store = ledger(disk.home)
            asker = ending(store.asker(Activities()))
            checked = 0
            for number in range(some):
                acknowledged = len(asker.acknowledged)
                break_database_once(store, disk, asker, call, store.run / f"mark-{number}")
                store.start_database()
                store.start()
                tally, checked = store.tally(asker, first=checked + 1, since=acknowledged)
                total += tally
                total.check(f"after a failed {call}")
                store.stop()
            for thing in (asker, store, disk):
                thing.destroy()
        table.add("F10", f"EIO on {call} of the hub's log in Postgres, then a power cut", errors, total,
                  "ended with 70 each time")
        assert total.acknowledged >= 10 * errors


def test_a_process_that_ignores_a_failed_sync_is_caught(volume, ingest, ending, table):
    disk = volume(256)
    store = ingest(disk.home)
    asker = ending(store.asker(Adverts()))
    mark = store.run / "mark"
    store.start(failing("sync", "journal.db-wal", 20, mark, lies=True))
    asker.start()
    until(mark.exists, 20, "the sync to fail")
    before = len(asker.acknowledged)
    until(lambda: len(asker.acknowledged) > before + 500, 20, "more to be acknowledged")
    assert store.process.poll() is None
    disk.cut(store.pids)
    asker.stop()
    store.reap()
    store.start()
    lost = store.tally(asker)[0].lost
    table.add("F10", "the same process, made to ignore a failed sync", 1, None, f"caught: {lost} lost")
    assert lost > 0
