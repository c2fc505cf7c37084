"""F03, F04: the power goes while a store is written, again and again; what was acknowledged is there.

In the same run the harness is shown to catch a store that does not wait for the disk.
"""

import random
import time

from alone import Tally
from client import until
from desk import Activities, Adverts
from shim import lax
from table import rounds, times

#: Seconds of load before a cut, at least.
LOAD = 0.12


def cut(store, volume, asker, extra: dict[str, str] | None = None, wait: float = LOAD) -> None:
    """One life of a store, from its start to the cut."""
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
    """What an auditor finds who comes after the last cut."""
    if hasattr(store, "start_database"):
        store.start_database()
    store.start()


def all_cuts(make, cycles: int):
    """So many cuts; each is read from where the last one ended, in the end whole."""
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
            assert tally.is_clean, f"{tally}\n{store.words}"
            store.stop()
        read(store)
        total += store.tally(asker)[0]
        assert total.is_clean, total
        for thing in (asker, store, disk):
            thing.destroy()
    return total, slowest


def caught(store, disk, asker, extra: dict[str, str], tries: int) -> int:
    """How many acknowledged things a careless store has lost, at the first cut that shows it."""
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
