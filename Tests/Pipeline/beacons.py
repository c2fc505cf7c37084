"""Beacon tags as a gateway reports them: iBeacon advertisements, and Eddystone telemetry."""

import random
import struct
import threading
from datetime import UTC, datetime

from client import Client

SHED = bytes.fromhex("f7826da64fa24e988024bc5b71e0893e")


class BeaconTag:
    """An iBeacon tag of the shed; `rssi` is what the reader receives of it."""

    def __init__(self, minor: int, rssi: int, power: int = -59):
        self.minor, self.rssi, self.power = minor, rssi, power
        self.address = ":".join(f"{byte:02x}" for byte in bytes([0xC4, 0, 0, 0]) + minor.to_bytes(2, "big"))

    @property
    def beacon(self) -> str:
        text = SHED.hex()
        dashed = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
        return f"ibeacon:{dashed}:1:{self.minor}"

    def advert(self, at: datetime | None = None) -> dict:
        data = bytes.fromhex("0201061aff4c000215") + SHED + struct.pack(">HHb", 1, self.minor, self.power)
        return self.form(data, at)

    def telemetry(self, volts: float, celsius: float) -> dict:
        frame = struct.pack(">BBHhII", 0x20, 0, round(volts * 1000), round(celsius * 256), 1, 10)
        return self.form(bytes.fromhex("0201060303aafe1116aafe") + frame, None)

    def form(self, data: bytes, at: datetime | None) -> dict:
        noise = random.choice((-2, -1, 0, 0, 1, 2))
        at = at or datetime.now(UTC)
        return {"address": self.address, "hex": data.hex(), "rssi": self.rssi + noise, "at": at.isoformat()}


class Reader(threading.Thread):
    """A gateway that posts what it receives of its tags, four times a second, until it is closed."""

    def __init__(self, port: int, token: str, tags: list[BeaconTag]):
        super().__init__(daemon=True)
        self.client = Client(port, token=token)
        self.tags = tags
        self.ended = threading.Event()
        self.posted = 0
        self.start()

    def run(self) -> None:
        while not self.ended.wait(0.25):
            adverts = [tag.advert() for tag in self.tags]
            if self.posted == 0:
                adverts += [tag.telemetry(2.9, 4.5) for tag in self.tags]
            self.client.make("POST", "/v1/adverts", {"adverts": adverts})
            self.posted += 1

    def close(self) -> None:
        self.ended.set()
        self.join(20)


def admitted(client: Client, name: str) -> str:
    """Admits a gateway; returns its token."""
    return client.make("POST", "/v1/gateways", {"gateway": name, "title": name.title()})["token"]


def near(client: Client, reader: str) -> dict:
    """What a reader receives now, by the beacons."""
    items = client.get("/v1/beacons", reader=reader)["items"]
    return items[0] if items else {"beacons": []}


__all__ = ["BeaconTag", "Reader", "admitted", "near"]
