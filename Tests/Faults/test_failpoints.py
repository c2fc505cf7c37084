"""F24: a process is killed right before and after each named step: writing the journal, syncing it, its checkpoint into
the database, the views, a segment and its name, and messages to others. Everything acknowledged is there, once.
"""

import os
import signal
from dataclasses import dataclass

from alone import Alone, Tally
from client import until
from desk import Activities, Adverts
from shim import crashing
from table import times


@dataclass(frozen=True)
class Step:
    """Calls on files whose paths contain `part`, and the numbers of those that are tested in a run."""

    name: str
    call: str
    part: str
    numbers: tuple[int, ...]


JOURNAL = [
    Step("append to the journal", "write", "/journal.db-wal", (1, 2, 7, 20, 60, 400, 1500)),
    Step("sync of the journal", "sync", "/journal.db-wal", (1, 2, 3, 7, 20, 60)),
    Step("checkpoint of the journal", "write", "/journal.db$", (1, 2, 5)),
    Step("sync of the checkpoint", "sync", "/journal.db$", (1,)),
    Step("apply to the views", "write", "/views.db-wal", (1, 2, 5)),
    Step("segment", "write", "/journal.segments/", (1,)),
    Step("sync of a segment", "sync", "/journal.segments", (1, 2)),
    Step("name of a segment", "rename", "/journal.segments/", (1,)),
    Step("publish of the journal", "send", "socket:", (1, 3, 10, 40, 41, 42, 43, 100)),
]
#: Messages to its database and responses to clients both leave by sockets, in turn.
LEDGER = [Step("statement, commit or answer of the ledger", "send", "socket:", (5, 30, 60, 150, *range(300, 312)))]
SIDES = ("before", "after")
#: The number of events of a command.
EACH = 2


def crash_once(store: Alone, asker, step: Step, number: int, side: str) -> None:
    """Starts a process that is killed at that call."""
    mark = store.run / f"mark-{step.name}-{number}-{side}-{len(list(store.run.iterdir()))}"
    store.process = store.begin(crashing(step.call, step.part, number, side, mark))
    asker.start()
    until(lambda: store.process.poll() is not None, 60, f"{side} {step.name} {number}", pause=0.002)
    asker.stop()
    assert store.process.returncode == -signal.SIGKILL and mark.read_bytes() == b"x", store.words


def storm(store: Alone, asker, steps: list[Step], table) -> tuple[int, int]:
    """Injects every step; returns how many points there were, and how many commands were acknowledged."""
    checked, points = 0, 0
    for step in steps:
        total = Tally()
        for _ in range(times(1, 20)):
            for number in step.numbers:
                for side in SIDES:
                    before = len(asker.acknowledged)
                    crash_once(store, asker, step, number, side)
                    store.start()
                    tally, checked = store.tally(asker, first=checked + 1, since=before)
                    tally.check(f"{side} {step.name} {number}")
                    total += tally
                    Alone.stop(store)
                    points += 1
        table.add("F24", f"killed before and after: {step.name}", len(step.numbers) * len(SIDES) * times(1, 20), total)
    return points, len(asker.acknowledged)


def test_an_ingest_process_that_dies_at_any_step_loses_nothing(ingest, ending, table):
    store = ingest()
    points, acknowledged = storm(store, ending(store.asker(Adverts(EACH))), JOURNAL, table)
    assert points >= 60 and acknowledged >= 10_000


def test_a_ledger_that_dies_at_any_step_loses_nothing(ledger, ending, table):
    store = ledger()
    store.start_database()
    points, acknowledged = storm(store, ending(store.asker(Activities())), LEDGER, table)
    store.stop_database()
    assert points >= 30 and acknowledged >= 1_000


def test_a_store_that_forgets_its_last_commits_is_caught(ingest, ending, table):
    store = ingest()
    asker = ending(store.asker(Adverts(EACH)))
    crash_once(store, asker, JOURNAL[1], 60, "after")
    acknowledged = len(asker.acknowledged)
    os.truncate(store.home / "sensor-ingest" / "0" / "journal.db-wal", 0)
    store.start()
    lost = store.tally(asker)[0].lost
    table.add("F24", "the same process, its log emptied after it died", 1, None, f"caught: {lost} lost")
    assert lost > 0 and acknowledged > 0
