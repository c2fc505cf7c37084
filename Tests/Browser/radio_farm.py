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
