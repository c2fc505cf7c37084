"""A farm server on its first day with a radio: for tests that follow a fact from its sensor to a page."""

from client import Client, until
from coordinator import FakeCoordinator
from farm import ADMINISTRATOR, Farm


class RadioFarm:
    """A farm server that reads the simulated radio coordinator `radio`."""

    def __init__(self, environment: dict[str, str] | None = None):
        self.radio = FakeCoordinator()
        self.server = Farm(environment={"FURROW_SOURCES": self.radio.source} | (environment or {}))
        self.server.start()

    def open_cold_store(self):
        """Claims the farm and creates a cold store with an upper limit of 8 °C; returns its sensor."""
        self.server.claim()
        make = self.client.make
        make("POST", "/v1/farms", {"farm": "creek", "title": "Horse Creek", "zone": "UTC"})
        make("POST", "/v1/stores", {"farm": "creek", "store": "cold", "title": "Cold store", "cold": True})
        node = self.radio.node(1)
        assert self.radio.subscribed.wait(20)

        def is_heard() -> bool:
            self.radio.announce(node)
            self.radio.report(node, temperature=4, humidity=80, voltage=3)
            return node.device in {one["device"] for one in self.client.items("/v1/devices")}

        until(is_heard, 30, "the sensor", pause=0.5)
        make("PUT", "/v1/points/shelf", {"title": "Top shelf", "place": "store/cold", "device": node.device})
        make("PUT", "/v1/rules/warm", {"place": "store/cold", "quantity": "temperature", "above": 8})
        return node

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def client(self) -> Client:
        """The administrator, as programs call."""
        return self.server.client()

    def anyone(self) -> Client:
        return Client(self.server.port)

    def destroy(self) -> None:
        try:
            self.server.destroy()
        finally:
            self.radio.close()


__all__ = ["ADMINISTRATOR", "RadioFarm", "until"]
