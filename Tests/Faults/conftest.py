"""Injected faults against the real programs; a separate reader checks the result.

`FURROW_FAULTS=nightly` injects them as often as for a night; `night.py` runs all steps of a night.
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


def pytest_configure(config) -> None:
    config.addinivalue_line("markers", "nightly: runs with FURROW_FAULTS=nightly only")


def pytest_collection_modifyitems(config, items: list[pytest.Item]) -> None:
    left_out = [] if NIGHTLY else [item for item in items if item.get_closest_marker("nightly")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


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
    """Destroys in reverse order what a test has created."""
    things: list = []

    def begin(thing):
        things.append(thing)
        return thing

    yield begin
    for thing in reversed(things):
        thing.destroy()


@pytest.fixture
def volume(ending):
    """Creates a small disk whose power a test can cut."""
    if reason := why_not():
        pytest.skip(f"power cuts and full disks: {reason}")
    return lambda megabytes: ending(Volume(megabytes))


@pytest.fixture
def ingest(ending):
    """Creates a single ingest process, not yet started."""
    return lambda home=None: ending(Alone(home or new_home()))


@pytest.fixture
def ledger(ending):
    """Creates a single ledger with its database, set up for activities and stopped."""

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
    """Creates a whole farm server for one test."""
    return lambda *words, **options: ending(Farm(*words, **options))
