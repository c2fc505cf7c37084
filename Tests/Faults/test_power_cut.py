"""F03, F04: the power fails repeatedly while a store is written, and while a part of it is sealed. Everything
acknowledged is there.

The same run shows that the harness detects a store that does not sync.
"""

import random
import re
import sqlite3
import time
from contextlib import closing

from alone import Tally
from client import until
from desk import Activities, Adverts
from shim import lax
from table import rounds, times

#: The minimum seconds of load before a cut.
LOAD = 0.12


def cut(store, volume, asker, extra: dict[str, str] | None = None, wait: float = LOAD) -> None:
    """Runs a store under load until the cut."""
    before = len(asker.acknowledged)
    if hasattr(store, "start_database"):
        store.start_database(extra)
        store.start()
    else:
        store.start(extra)
    asker.start()
    until(lambda: len(asker.acknowledged) > before or asker.refused, 20, "something to be acknowledged", pause=0.002)
    time.sleep(wait + random.random() * 0.08)
    pids = store.pids
    assert pids, store.words
    volume.cut(pids)
    asker.stop()
    store.reap()


def read(store):
    """Returns what an auditor finds after the last cut."""
    if hasattr(store, "start_database"):
        store.start_database()
    store.start()


def all_cuts(make, cycles: int):
    """Makes all cuts. Each is checked from the end of the last one on, and finally as a whole."""
    total, slowest = Tally(), 0.0
    for cuts in rounds(cycles):
        disk, store, asker = make()
        checked = 0
        for _ in range(cuts):
            acknowledged = len(asker.acknowledged)
            cut(store, disk, asker)
            began = time.monotonic()
            read(store)
            slowest = max(slowest, time.monotonic() - began)
            tally, checked = store.tally(asker, first=checked + 1, since=acknowledged)
            tally.check(store.words)
            store.stop()
        read(store)
        total += store.tally(asker)[0]
        total.check()
        for thing in (asker, store, disk):
            thing.destroy()
    return total, slowest


def caught(store, disk, asker, extra: dict[str, str], tries: int) -> int:
    """Returns the number of acknowledged events that a store without syncs lost, at the first cut that shows it."""
    for _ in range(tries):
        cut(store, disk, asker, extra, wait=0.4)
        read(store)
        lost = store.tally(asker)[0].lost
        store.stop()
        if lost:
            return lost
    return 0


def test_a_journal_in_sqlite_keeps_what_it_acknowledged_through_every_cut(volume, ingest, ending, table):
    def make():
        disk = volume(1024)
        store = ingest(disk.home)
        return disk, store, ending(store.asker(Adverts()))

    cycles = times(50, 1000)
    tally, slowest = all_cuts(make, cycles)
    table.add("F03", "power cut of a journal in SQLite", cycles, tally, f"read back in at most {slowest:.2f} s")
    assert tally.acknowledged >= 20 * cycles


def test_a_journal_that_does_not_wait_for_the_disk_is_caught(volume, ingest, ending, table):
    disk = volume(1024)
    store = ingest(disk.home)
    lost = caught(store, disk, ending(store.asker(Adverts())), lax("-wal"), 6)
    table.add("F03", "the same store, lax (synchronous=NORMAL: its log is not synced)", 1, None, f"caught: {lost} lost")
    assert lost > 0


def test_a_hub_in_postgres_keeps_what_it_acknowledged_through_every_cut(volume, ledger, ending, table):
    def make():
        disk = volume(1024)
        store = ledger(disk.home)
        return disk, store, ending(store.asker(Activities()))

    cycles = times(50, 1000)
    tally, slowest = all_cuts(make, cycles)
    table.add("F04", "power cut of the hub in Postgres", cycles, tally, f"read back in at most {slowest:.2f} s")
    assert tally.acknowledged >= 20 * cycles


def test_a_hub_that_does_not_wait_for_the_disk_is_caught(volume, ledger, ending, table):
    disk = volume(1024)
    store = ledger(disk.home)
    lost = caught(store, disk, ending(store.asker(Activities())), lax("/pg_wal/"), 6)
    table.add("F04", "the same hub, lax (fsync=off: its log is not synced)", 1, None, f"caught: {lost} lost")
    assert lost > 0


#: The event by which a journal records that a run is in a segment.
SEALED = "farm.furrow.journal.sealed.v1"


def segments(store) -> set[str]:
    return {path.name for path in store.home.glob(f"{store.service}/0/journal.segments/*.segment")}


def oldest(store) -> int:
    """Returns the first entry whose row is still in the journal's file."""
    path = store.home / store.service / "0" / "journal.db"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.execute("SELECT min(pos) FROM entry").fetchone()[0]


def cut_at_a_seal(store, disk, asker, once_rows_leave: bool, extra: dict[str, str] | None = None) -> None:
    """Runs a store until a new segment exists, or until its rows have left the journal's file, then cuts the power."""
    def over() -> bool:
        return bool(asker.refused) or not store.pids

    store.start(extra)
    known, first = segments(store), oldest(store)
    asker.start()
    until(lambda: segments(store) - known or over(), 120, "a new segment", pause=0.001)
    if once_rows_leave:
        until(lambda: oldest(store) > first or over(), 60, "rows to leave the journal's file", pause=0.001)
    assert not over(), (asker.refused, store.words)
    disk.cut(store.pids)
    asker.stop()
    store.reap()


def test_a_journal_that_is_being_sealed_keeps_what_it_acknowledged_through_every_cut(volume, ingest, ending, table):
    total, cycles, sealed = Tally(), times(6, 60), 0
    for some in rounds(cycles, 20):
        disk = volume(1024)
        store = ingest(disk.home)
        # Runs are sealed during a pause, and everything acknowledged is read back.
        asker = ending(store.asker(Adverts(each=16), pause=0.005))
        checked = 0
        for number in range(some):
            acknowledged = len(asker.acknowledged)
            cut_at_a_seal(store, disk, asker, once_rows_leave=number % 2 == 1)
            store.start()
            tally, checked = store.tally(asker, first=checked + 1, since=acknowledged)
            tally.check(store.words)
            store.stop()
        store.start()
        total += store.tally(asker)[0]
        total.check()
        seals = sum(event["type"] == SEALED for event in store.replay())
        # Half of the cuts came after rows had begun to leave, which they do once the seal is recorded.
        assert seals >= some // 2 and oldest(store) > 1, (seals, oldest(store))
        sealed += seals
        for thing in (asker, store, disk):
            thing.destroy()
    table.add("F03", "power cut of a journal in SQLite that is being sealed", cycles, total, f"{sealed} seals")
    assert sealed >= cycles // 2 and total.acknowledged >= 100 * cycles


def test_a_journal_whose_segments_do_not_wait_for_the_disk_is_caught(volume, ingest, ending, table):
    disk = volume(1024)
    store = ingest(disk.home)
    asker = ending(store.asker(Adverts(each=16)))
    found = None
    for _ in range(4):
        cut_at_a_seal(store, disk, asker, once_rows_leave=True, extra=lax("journal.segments"))
        try:
            store.start()
            tally = store.tally(asker)[0]
            store.stop()
        except AssertionError as error:
            # Its rows are gone and its segment is incomplete, so none of it is served.
            found = re.search(r'[^"\\]*\.segment[^"\\]*', str(error))
            assert found, error
            break
        if tally.lost:
            found = f"{tally.lost} lost"
            break
    table.add("F03", "the same journal, lax (its segments are not synced)", 1, None,
              f"caught: {found[0] if isinstance(found, re.Match) else found}")
    assert found
