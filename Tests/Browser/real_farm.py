"""A real farm server for the pages: the built programs on loopback, with a farm that has lived for some days.

The harness is the one of `Tests/Pipeline`; `FURROW_PROGRAMS` says where the programs lie.
"""

import math
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "Pipeline"))

from client import Client, until
from coordinator import FakeCoordinator
from farm import ADMINISTRATOR, PROGRAMS, Farm
from story import Story
from tags import Tag

#: The lot that has everything: a correction, a waiting time, four days of readings, two stores, an alarm, boxes.
LOT = "CUC-7"
#: A lot whose boxes have labels, split from another one.
PART = "TOM-1A"
HOURS = 96
LIMIT = 12


class RealFarm:
    """A farm server with a radio. `live` fills it with a past; without it, it is on its first day."""

    def __init__(self, *words: str, environment: dict[str, str] | None = None):
        for name in ("furrow", "sensor-ingest", "trace-ledger", "catalog-orders", "recommender", "sync-gateway"):
            assert (PROGRAMS / name).is_file(), f"{PROGRAMS}/{name} is missing: build first, or set FURROW_PROGRAMS"
        self.radio = FakeCoordinator()
        self.server = Farm(*words, environment={"FURROW_SOURCES": self.radio.source} | (environment or {}))
        self.story: Story | None = None
        self.labels: dict[str, list[dict]] = {}
        self.server.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def client(self) -> Client:
        """The administrator, as programs call."""
        return self.server.client()

    def anyone(self) -> Client:
        return Client(self.server.port)

    def label(self, lot: str, box: int = 0) -> str:
        """The address that a scanner reads off a box of the lot."""
        return self.labels[lot][box]["url"]

    def label_path(self, lot: str, box: int = 0) -> str:
        return "/" + self.label(lot, box).split("/", 3)[3]

    def write_down(self, plot: str = "p2", kind: str = "weeding") -> str:
        """One more fact in the log."""
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return self.client.make("POST", f"/v1/plots/{plot}/activities", {"kind": kind, "happened": at})["activity"]

    def destroy(self) -> None:
        try:
            self.server.destroy()
        finally:
            self.radio.close()

    # A past

    def live(self) -> "RealFarm":
        self.server.claim()
        self.story = Story(self.server, self.radio, self.client).live()
        self.labels[PART] = self.story.told["labels"]["labels"]
        self.measure_for_days()
        self.grow_and_harvest()
        return self

    def measure_for_days(self) -> None:
        """A tag on plot 2 and one in each store tell of every hour; one hour in the cold store was too warm."""
        tags = [(Tag(21), "plot/p2"), (Tag(22), "store/s1"), (Tag(23), "store/s2")]
        make = self.client.make
        for number, (tag, place) in enumerate(tags):
            make("PUT", f"/v1/points/tag-{number}", {"title": f"Tag {number}", "place": place, "device": tag.device})
        hour = datetime.now(UTC).replace(minute=30, second=0, microsecond=0)
        adverts = []
        for back in range(HOURS, 0, -1):
            at = hour - timedelta(hours=back)
            warmth = math.sin((at.hour - 9) / 24 * 2 * math.pi)
            cold = LIMIT + 1.5 if back == 20 else 8 + 0.4 * warmth
            values = [(17 + 8 * warmth, 70 - 20 * warmth), (cold, 88), (15 + warmth, 64)]
            for (tag, _), (temperature, humidity) in zip(tags, values):
                adverts.append(tag.advert(temperature, humidity) | {"at": at.strftime("%Y-%m-%dT%H:%M:%SZ")})
        before = len(self.reports(tags))
        for first in range(0, len(adverts), 96):
            make("POST", "/v1/adverts", {"adverts": adverts[first:first + 96]})
        until(lambda: len(self.reports(tags)) - before == len(adverts), 20,
              f"{len(adverts)} reports in the hub", pause=0.2)

    def reports(self, tags: list) -> list[dict]:
        devices = {tag.device for tag, _ in tags}
        return [event for event in self.server.replay()
                if event["type"] == "farm.furrow.sensors.measured.v1" and event["data"]["device"] in devices]

    def grow_and_harvest(self) -> None:
        make, ago = self.client.make, self.story.ago
        plot = "/v1/plots/p2/activities"
        make("POST", plot, {"kind": "planting", "happened": ago(3.95), "substance": "Cucumber ‘Vorgebirgstraube’",
                            "amount": 220, "unit": "plants"})
        spray = make("POST", plot, {"kind": "plant-protection", "happened": ago(3.9), "substance": "Whey", "amount": 80,
                                    "unit": "l", "waitingDays": 1})
        make("POST", f"/v1/activities/{spray['activity']}/corrections", {
            "kind": "plant-protection", "happened": ago(3.9), "substance": "Whey", "amount": 8, "unit": "l",
            "waitingDays": 1, "reason": "The tank holds eight litres"})
        for days in (3.2, 3, 2.8, 2.6, 2.4, 2.2):
            make("POST", plot, {"kind": "irrigating", "happened": ago(days), "amount": 300, "unit": "l"})
        make("POST", "/v1/lots", {"lot": LOT, "product": "Cucumbers ‘Vorgebirgstraube’", "plot": "p2", "grams": 96_000,
                                  "happened": ago(1.9)})
        make("POST", f"/v1/lots/{LOT}/storings", {"store": "s1", "happened": ago(1.8)})
        make("POST", f"/v1/lots/{LOT}/storings", {"store": "s2", "happened": ago(0.2)})
        make("POST", f"/v1/lots/{LOT}/packings", {"boxes": 16, "gramsEach": 6000})
        self.labels[LOT] = make("POST", f"/v1/lots/{LOT}/labels", {})["labels"]


@pytest.fixture(scope="session")
def real_farm():
    """The farm that all tests may look at, and none may stop."""
    farm = RealFarm()
    try:
        yield farm.live()
    finally:
        farm.destroy()


@pytest.fixture
def new_real_farm():
    """Makes farms that one test has for itself, and ends them; each on its first day. Takes words for `furrow run`."""
    farms: list[RealFarm] = []

    def make(*words: str, environment: dict[str, str] | None = None) -> RealFarm:
        farms.append(RealFarm(*words, environment=environment))
        return farms[-1]

    yield make
    for farm in farms:
        farm.destroy()


__all__ = ["ADMINISTRATOR", "LIMIT", "LOT", "PART", "RealFarm", "new_real_farm", "real_farm"]
