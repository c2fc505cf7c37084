"""People and gateways that continue to work while services die. Every request has its own key and is repeated until it
gets a response, and they record what was acknowledged.
"""

import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field

from client import Client, Unanswered
from farm import Farm
from stack import Stack
from tags import Tag

MEASURED = "farm.furrow.sensors.measured.v1"
ACTIVITY = "farm.furrow.trace.activity-recorded.v1"
HARVESTED = "farm.furrow.trace.harvested.v1"
ENROLLED = "farm.furrow.sync.staff-enrolled.v1"


@dataclass
class Acknowledged:
    """The acknowledged changes."""

    #: Ids of report events, and device and counter of each report.
    reports: list[str] = field(default_factory=list)
    numbers: list[tuple[str, int]] = field(default_factory=list)
    activities: list[str] = field(default_factory=list)
    lots: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.reports) + len(self.activities) + len(self.lots) + len(self.people)


class Work:
    """Threads that repeat their work until they are stopped."""

    def __init__(self, farm: Farm):
        self.farm = farm
        #: Requests with another response, or without one.
        self.failures: list[str] = []
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.threads: list[threading.Thread] = []

    def add(self, work, count: int) -> None:
        """Adds `count` threads that run `work(client, number, turn)` in turns."""
        self.threads += [threading.Thread(target=self.run, args=(work, number), daemon=True)
                         for number in range(count)]

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    def stop(self) -> None:
        """Stops once every started request has a response."""
        self.stopping.set()
        for thread in self.threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in self.threads)

    def check(self) -> None:
        """Asserts that every response was as expected; a failure shows the state of the farm server."""
        assert not self.failures, f"{self.failures[:3]}\n{self.farm.told()}"

    def run(self, work, number: int) -> None:
        client = self.farm.client()
        turn = 0
        while not self.stopping.is_set():
            try:
                work(client, number, turn)
            except (Unanswered, AssertionError, KeyError) as error:
                with self.lock:
                    self.failures.append(f"{type(error).__name__}: {error}")
                if len(self.failures) > 20:
                    return
            turn += 1


class Load(Work):
    """Gateways that send received advertisements, and growers who record activities."""

    def __init__(self, farm: Farm, gateways: int = 2, growers: int = 1, adverts: int = 8, takes_over: bool = False,
                 family: int = 0xD0):
        super().__init__(farm)
        #: The first byte of its tags' addresses: another load on the same farm uses other tags.
        self.family = family
        #: Whether ingest processes end permanently, so that another one takes over their devices.
        self.takes_over = takes_over
        self.adverts = adverts
        self.acknowledged = Acknowledged()
        self.add(self.send_adverts, gateways)
        self.add(self.work, growers)

    def stop(self) -> Acknowledged:
        super().stop()
        return self.acknowledged

    @property
    def count(self) -> int:
        return self.acknowledged.count

    def send_adverts(self, client: Client, number: int, turn: int) -> None:
        """Sends a batch of a gateway with its own tags; every advertisement is new."""
        if turn % 1000 == 0:
            self.tags = getattr(self, "tags", {})
            self.tags[number] = [Tag(turn * 100 + number * 50 + index, family=self.family) for index in range(16)]
        chosen = [self.tags[number][(turn * self.adverts + index) % 16] for index in range(self.adverts)]
        adverts = [tag.advert(temperature=20 + (turn % 40) / 10) for tag in chosen]
        numbers = [(tag.device, tag.sequence) for tag in chosen]
        answer = client.settle("POST", "/v1/adverts", {"adverts": adverts, "source": f"gateway/{number}"})
        assert answer.status == 200, f"adverts: {answer}"
        accepted = answer.json["accepted"]
        if "known" in answer.json and len(accepted) + answer.json["known"] == len(numbers) and self.takes_over:
            # A process that has ended had recorded some of it; its successor knew it from the hub.
            assert Counter(one["device"] for one in accepted) <= Counter(device for device, _ in numbers), str(answer)
        else:
            assert Counter(one["device"] for one in accepted) == Counter(device for device, _ in numbers), str(answer)
        with self.lock:
            self.acknowledged.reports += [one["id"] for one in accepted]
            self.acknowledged.numbers += numbers

    def work(self, client: Client, number: int, turn: int) -> None:
        """Records an activity of a grower; every fifth time a harvest, every fiftieth a new colleague."""
        answer = client.settle("POST", "/v1/plots/p1/activities", {"kind": "irrigating", "amount": turn, "unit": "l"})
        assert answer.status == 201, f"activity: {answer}"
        with self.lock:
            self.acknowledged.activities.append(answer.json["activity"])
        if turn % 5 == 0:
            lot = f"K{number}-{turn}"
            answer = client.settle("POST", "/v1/lots", {"lot": lot, "product": "Beans", "plot": "p1", "grams": 1000})
            assert answer.status == 201 and answer.json["lot"] == lot, f"harvest: {answer}"
            with self.lock:
                self.acknowledged.lots.append(lot)
        if turn % 50 == 0:
            person = {"name": f"Hand {turn}", "email": f"hand-{number}-{turn}@farm.test", "role": "grower",
                      "password": uuid.uuid4().hex}
            answer = client.settle("POST", "/v1/accounts", person)
            assert answer.status == 201, f"account: {answer}"
            with self.lock:
                self.acknowledged.people.append(answer.json["person"])


class Growing(Load):
    """The same on an empty farm; only selected acknowledgements are counted."""

    def __init__(self, farm: Farm, gateways: int, growers: int, counted):
        prepare(farm)
        super().__init__(farm, gateways, growers)
        self.counted = counted

    @property
    def count(self) -> int:
        return self.counted(self.acknowledged)

    def tally(self) -> dict[str, int]:
        return check_hub(self.farm, self.acknowledged)


def prepare(farm: Farm | Stack) -> None:
    """Creates what growers need: a farm and a plot."""
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    client.make("POST", "/v1/plots", {"farm": "sonnhof", "plot": "p1", "title": "Plot 1"})


def check_hub(farm: Farm, acknowledged: Acknowledged, seconds: float = 60) -> dict[str, int]:
    """Checks that everything acknowledged is in the hub exactly once; returns the counts."""
    end = time.monotonic() + seconds
    while True:
        found = count_hub(farm.replay())
        missing = {
            "reports": [one for one in acknowledged.reports if one not in found["ids"]],
            "numbers": [one for one in acknowledged.numbers if one not in found["numbers"]],
            "activities": [one for one in acknowledged.activities if one not in found["activities"]],
            "lots": [one for one in acknowledged.lots if one not in found["lots"]],
            "people": [one for one in acknowledged.people if one not in found["people"]],
        }
        if not any(missing.values()):
            break
        assert time.monotonic() < end, (
            f"acknowledged, and not in the hub after {seconds} s: "
            f"{ {name: (len(which), which[:3]) for name, which in missing.items() if which} }")
    twice = {name: [key for key, count in counter.items() if count > 1][:5] for name, counter in found.items()}
    assert not any(twice.values()), f"more than once in the hub: {twice}"
    for name in ("reports", "numbers", "activities", "lots", "people"):
        mine = getattr(acknowledged, name)
        assert len(mine) == len(set(mine)), f"two responses had one id: {name}"
    return {name: len(getattr(acknowledged, name)) for name in ("reports", "activities", "lots", "people")}


def count_hub(events: list[dict]) -> dict[str, Counter]:
    counts = {name: Counter() for name in ("ids", "positions", "numbers", "activities", "lots", "people")}
    for event in events:
        data = event["data"]
        counts["ids"][event["id"]] += 1
        counts["positions"][(event["source"], event["originepoch"], event["originpos"])] += 1
        match event["type"]:
            case t if t == MEASURED and data.get("counter") is not None:
                counts["numbers"][(data["device"], data["counter"])] += 1
            case t if t == ACTIVITY:
                counts["activities"][data["activity"]] += 1
            case t if t == HARVESTED:
                counts["lots"][data["lot"]] += 1
            case t if t == ENROLLED:
                counts["people"][data["person"]] += 1
    return counts
