"""Faults made on purpose, against the real programs; what came of them is read from the other side.

`FURROW_FAULTS=nightly` makes them as often as for a night; `night.py` runs all of a night.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "Pipeline"))
sys.path.insert(0, str(Path(__file__).parent))

from alone import Alone, Ledger
from desk import SET_UP, Adverts, Wanted
from farm import PROGRAMS, Farm, new_home
from table import NIGHTLY, Table
from volume import Volume, why_not

TABLE = Table()


def pytest_terminal_summary(terminalreporter) -> None:
    terminalreporter.section("faults")
    for line in TABLE.lines + ([] if NIGHTLY else TABLE.elsewhere):
        terminalreporter.write_line(line)
    for report in terminalreporter.stats.get("skipped", []):
        terminalreporter.write_line(f"SKIPPED {report.nodeid}: {report.longrepr[2] if report.longrepr else ''}")


@pytest.fixture(scope="session", autouse=True)
def programs() -> None:
    for name in ("furrow", "sensor-ingest", "trace-ledger", "sync-gateway"):
        assert (PROGRAMS / name).is_file(), f"{PROGRAMS}/{name} is missing: build first, or set FURROW_PROGRAMS"


@pytest.fixture
def table() -> Table:
    return TABLE


@pytest.fixture
def ending():
    """Ends in reverse what a test began."""
    things: list = []

    def begin(thing):
        things.append(thing)
        return thing

    yield begin
    for thing in reversed(things):
        thing.destroy()


@pytest.fixture
def volume(ending):
    """Makes a small disk that a test can take the power of."""
    if reason := why_not():
        pytest.skip(f"power cuts and full disks: {reason}")
    return lambda megabytes: ending(Volume(megabytes))


@pytest.fixture
def ingest(ending):
    """One ingest process alone, not started yet."""
    return lambda home=None: ending(Alone(home or new_home()))


@pytest.fixture
def ledger(ending):
    """One ledger alone with its database, ready for activities, stopped again."""

    def make(home: Path | None = None) -> Ledger:
        ledger = ending(Ledger(home or new_home()))
        ledger.prepare()
        ledger.start_database()
        ledger.make_database()
        ledger.start()
        asker = ending(ledger.asker(Adverts()))
        for wanted in SET_UP:
            status, answer = asker.ask(Wanted(wanted.verb, wanted.body))
            assert status == 201, answer
        ledger.stop()
        return ledger

    return make


@pytest.fixture
def own_farm(ending):
    """A whole farm server of a test's own."""
    return lambda *words, **options: ending(Farm(*words, **options))
