"""The story of one lot of tomatoes, over the public API and the radio."""

import threading
from datetime import UTC, datetime, timedelta

from client import Client, until
from coordinator import FakeCoordinator, Node
from farm import ADMINISTRATOR, Farm, session_of
from tags import Tag
from verify import Checkpoint, verify_checkpoint


def claim_all_at_once(farm: Farm, token: str, count: int) -> tuple[list[int], str]:
    """Claims one set-up link from many threads at once; returns the statuses, and the session of the one that
    succeeded.
    """
    gate = threading.Barrier(count)
    statuses: list[int] = []
    sessions: list[str] = []

    def claim(number: int) -> None:
        client = Client(farm.port)
        gate.wait()
        person = ADMINISTRATOR if number == 0 else ADMINISTRATOR | {"name": f"Claimer {number}"}
        answer = client.call("POST", "/v1/setup", {"token": token} | person, timeout=60)
        statuses.append(answer.status)
        if answer.status == 201:
            sessions.append(session_of(answer))

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    return statuses, sessions[0] if sessions else ""


class Story:
    """All steps that were done, and their responses."""

    def __init__(self, farm: Farm, coordinator: FakeCoordinator, client: Client):
        self.farm = farm
        self.radio = coordinator
        self.client = client
        self.field: Node = coordinator.node(1)
        self.cold: Node = coordinator.node(2)
        self.plain: Node = coordinator.node(3)
        self.tag = Tag(1)
        self.now = datetime.now(UTC)
        self.temperatures = [18.25, 18.5, 19.0, 21.75]
        #: The response of each step.
        self.told: dict[str, dict] = {}
        self.earlier: Checkpoint | None = None

    def live(self) -> "Story":
        self.settle()
        self.measure()
        self.earlier = until(lambda: self.grown(20), 10, "a checkpoint of 20 entries")
        self.grow()
        self.harvest()
        return self

    def grown(self, size: int) -> Checkpoint | None:
        """Returns the newest checkpoint, verified, once it has that size."""
        note = self.client.call("GET", "/ledger/checkpoint").body.decode()
        checkpoint = verify_checkpoint(note, self.client.get("/ledger/keys"))
        return checkpoint if checkpoint.size >= size else None

    def settle(self) -> None:
        make = self.client.make
        make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna", "country": "AT"})
        for number in (1, 2):
            make("POST", "/v1/plots", {"farm": "sonnhof", "plot": f"p{number}", "title": f"Plot {number}",
                                       "crop": "Tomato", "areaSquareMetres": 1200.5})
        make("POST", "/v1/stores", {"farm": "sonnhof", "store": "s1", "title": "Cold store", "cold": True})
        make("POST", "/v1/stores", {"farm": "sonnhof", "store": "s2", "title": "Barn", "cold": False})
        places = [(self.field.device, "plot/p1"), (self.cold.device, "store/s1"), (self.plain.device, "plot/p2"),
                  (self.tag.device, "store/s2")]
        for number, (device, place) in enumerate(places):
            make("PUT", f"/v1/points/point-{number}", {"title": f"Point {number}", "place": place, "device": device})
        make("PUT", "/v1/rules/s1-warm", {"place": "store/s1", "quantity": "temperature", "above": 12,
                                          "hysteresis": 0.5})

    def measure(self) -> None:
        """Sends reports over the radio, in our layout and in the cluster library's, and one over the network."""
        assert self.radio.subscribed.wait(20), f"the driver has not subscribed: {self.radio.heard}"
        for node in (self.field, self.cold, self.plain):
            self.radio.announce(node)
        for value in self.temperatures:
            self.radio.report(self.field, temperature=value, humidity=61.5, illuminance=41_000.5, voltage=3.1)
        self.radio.report(self.cold, temperature=8.5, humidity=88, voltage=3.0)
        self.radio.noise(b"\x00\xfe\x02\x45")
        self.radio.report_temperature(self.plain, 17.5)
        self.client.make("POST", "/v1/adverts", {"adverts": [self.tag.advert(temperature=16.0)]})
        until(lambda: len(self.reports()) >= 7, 20, "7 reports of the nodes and the tag in the hub", pause=0.2)

    def reports(self) -> list[dict]:
        mine = {self.field.device, self.cold.device, self.plain.device, self.tag.device}
        return [event for event in self.farm.replay()
                if event["type"] == "farm.furrow.sensors.measured.v1" and event["data"]["device"] in mine]

    def grow(self) -> None:
        plot = "/v1/plots/p1/activities"
        self.record("sowing", plot, {"kind": "sowing", "happened": self.ago(84), "substance": "Matina", "amount": 0.4,
                                     "unit": "kg"})
        self.record("compost", plot, {"kind": "fertilising", "happened": self.ago(60), "substance": "Compost",
                                      "amount": 300, "unit": "kg"})
        self.record("soap", plot, {"kind": "plant-protection", "happened": self.ago(21), "substance": "Potassium soap",
                                   "amount": 12, "unit": "l", "waitingDays": 3})
        self.record("weeding", plot, {"kind": "weeding", "happened": self.ago(12)})
        activity = self.told["compost"]["activity"]
        self.record("correction", f"/v1/activities/{activity}/corrections", {
            "kind": "fertilising", "happened": self.ago(60), "substance": "Compost", "amount": 30, "unit": "kg",
            "reason": "One nought too many"})

    def harvest(self) -> None:
        self.record("harvest", "/v1/lots", {"lot": "TOM-1", "product": "Tomatoes Matina", "plot": "p1",
                                            "grams": 240_000})
        self.record("store", "/v1/lots/TOM-1/storings", {"store": "s1"})
        self.record("split", "/v1/lots/TOM-1/splits", {"into": "TOM-1A", "grams": 120_000})
        self.record("pack", "/v1/lots/TOM-1A/packings", {"boxes": 24, "gramsEach": 5000})
        self.record("labels", "/v1/lots/TOM-1A/labels", {})

    def record(self, name: str, path: str, body: dict) -> None:
        self.told[name] = self.client.make("POST", path, body)

    def ago(self, days: float) -> str:
        return (self.now - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
