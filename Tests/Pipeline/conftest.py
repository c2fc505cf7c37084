"""One running farm for all tests that can share it; tests that kill or scale services use their own."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import nightly
from client import Client
from coordinator import FakeCoordinator
from farm import PROGRAMS, Farm
from story import Story, claim_all_at_once


def pytest_configure(config) -> None:
    nightly.register(config)


def pytest_collection_modifyitems(config, items: list[pytest.Item]) -> None:
    nightly.deselect(config, items)


def pytest_terminal_summary(terminalreporter) -> None:
    """Prints the counts of passed tests; pytest shows the output of the others anyway."""
    terminalreporter.section("counted")
    for report in terminalreporter.stats.get("passed", []):
        for line in report.capstdout.splitlines() if report.when == "call" else []:
            terminalreporter.write_line(line)
    for report in terminalreporter.stats.get("skipped", []):
        terminalreporter.write_line(f"{report.nodeid}: {report.longrepr[2] if report.longrepr else ''}")


@dataclass
class Shared:
    """The shared farm, its radio, its administrator, and the results of the setup."""

    farm: Farm
    coordinator: FakeCoordinator
    administrator: Client
    claims: list[int]


@pytest.fixture(scope="session", autouse=True)
def programs() -> None:
    for name in ("furrow", "sensor-ingest", "trace-ledger", "catalog-orders", "recommender", "sync-gateway"):
        assert (PROGRAMS / name).is_file(), f"{PROGRAMS}/{name} is missing: build first, or set FURROW_PROGRAMS"


@pytest.fixture(scope="session")
def shared():
    coordinator = FakeCoordinator()
    farm = Farm(environment={"FURROW_SOURCES": coordinator.source})
    try:
        farm.start()
        token = farm.setup_token()
        claims, farm.token = claim_all_at_once(farm, token, 50)
        yield Shared(farm, coordinator, farm.client(), claims)
    finally:
        farm.destroy()
        coordinator.close()


@pytest.fixture(scope="session")
def story(shared) -> Story:
    """The story of one lot from sowing to label, created over the public API once."""
    return Story(shared.farm, shared.coordinator, shared.administrator).live()


@pytest.fixture
def own_farm():
    """Creates farms for a single test, and ends them."""
    farms: list[Farm] = []

    def make(*words: str, **options) -> Farm:
        farms.append(Farm(*words, **options))
        return farms[-1]

    yield make
    for farm in farms:
        farm.destroy()


@pytest.fixture
def coordinator():
    coordinator = FakeCoordinator()
    yield coordinator
    coordinator.close()
