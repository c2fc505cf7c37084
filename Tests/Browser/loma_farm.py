"""The farm that browser tests work on: tomatoes near Ronda, sown in April and handed over in July 2026.

Everything is entered through the public API of a real farm server. The server's clock is set to the day of each entry.
"""

import json
import math
import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from client import Client, until
from farm import ADMINISTRATOR, Farm
from staff_driver import PASSWORD
from tags import Tag

LOT = "L260714-TOM"
GTIN = "08412345678905"
#: The tag on the south terrace, the one in the cold room, and one that no point is bound to.
SOUTH, COLD, STRAY = "ble:c50dfa99cb9e", "ble:c50dfa99cb9f", Tag(3).device
STAFF = {"administrator": "administrator@farm.test", "grower": "grower@farm.test", "auditor": "auditor@farm.test",
         "bo": "bo@farm.test"}


def at(month: int, day: int, hour: int = 6, minute: int = 0) -> str:
    return text_of(datetime(2026, month, day, hour, minute, tzinfo=UTC))


def text_of(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass
class Told:
    """What a stored home's builder got to know: sessions by role, and the addresses of printed labels."""

    sessions: dict[str, str] = field(default_factory=dict)
    labels: list[dict] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)

    def save(self, file: Path) -> None:
        file.write_text(json.dumps(vars(self)))

    @staticmethod
    def load(file: Path) -> "Told":
        return Told(**json.loads(file.read_text())) if file.exists() else Told()


class LomaFarm:
    """Builds the farm's past in a home that is new."""

    def __init__(self, farm: Farm):
        self.farm = farm
        self.told = Told()
        self.client: Client

    def live(self) -> Told:
        for day, work in (
            (at(6, 26), self.season), (at(7, 4, 17), self.feed), (at(7, 6, 8, 30), self.correct),
            (at(7, 14, 9, 10), self.harvest), (at(7, 18, 4, 50), self.hand_over), (None, self.measure_now),
        ):
            self.on(day)
            work()
            self.farm.stop()
        return self.told

    def on(self, day: str | None) -> None:
        """Starts the server with its clock at a time, or with the machine's."""
        self.farm.words = ["--ingest", "1", *(["--clock", f"{day}*1"] if day else [])]
        self.farm.start()
        if self.farm.token is None:
            self.farm.claim(ADMINISTRATOR | {"name": "Administrator", "email": STAFF["administrator"]})
        self.client = self.farm.sign_in({"email": STAFF["administrator"], "password": PASSWORD})
        self.told.sessions["administrator"] = str(self.client.token)

    # The season

    def season(self) -> None:
        make = self.client.make
        for role, email in STAFF.items():
            if role != "administrator":
                make("POST", "/v1/accounts", {"name": role.capitalize(), "email": email, "password": PASSWORD,
                                              "role": "grower" if role == "bo" else role})
        make("POST", "/v1/farms", {"farm": "loma", "title": "Finca La Loma", "zone": "Europe/Madrid", "country": "ES"})
        for plot, title, crop, area in (("south", "South terrace", "Tomatoes", 3400),
                                        ("well", "Field by the well", "Chard", 12600)):
            make("POST", "/v1/plots", {"farm": "loma", "plot": plot, "title": title, "crop": crop,
                                       "areaSquareMetres": area})
        make("POST", "/v1/stores", {"farm": "loma", "store": "cold1", "title": "Cold room", "cold": True})
        make("POST", "/v1/stores", {"farm": "loma", "store": "barn", "title": "Packing barn", "cold": False})
        for point, title, place, device in (("p-south", "South terrace, row 4", "plot/south", SOUTH),
                                            ("p-cold", "Cold room, back wall", "store/cold1", COLD)):
            make("PUT", f"/v1/points/{point}", {"title": title, "place": place, "device": device})
        make("PUT", "/v1/rules/r-cold", {"place": "store/cold1", "quantity": "temperature", "above": 8.0,
                                         "hysteresis": 0.5})
        work = [
            ("sowing", at(4, 2), {"substance": "Tomato ‘Rosa de Ronda’", "amount": 1.2, "unit": "kg"}),
            ("fertilising", at(4, 20), {"substance": "Composted manure", "amount": 900, "unit": "kg"}),
            ("planting", at(5, 4, 7), {"amount": 6200, "unit": "seedlings"}),
            ("weeding", at(5, 22, 6, 30), {}),
            ("plant-protection", at(6, 17, 5, 40),
             {"substance": "Copper hydroxide", "amount": 2.1, "unit": "kg", "waitingDays": 10}),
            ("weeding", at(6, 25, 6, 15), {}),
        ]
        watered = datetime(2026, 5, 24, 19, tzinfo=UTC)
        work += [("irrigating", text_of(watered + timedelta(days=day)),
                  {"amount": 12, "unit": "m³", "substance": "Well water"}) for day in range(0, 30, 3)]
        for kind, happened, details in work:
            self.record(kind, happened, **details)

    def record(self, kind: str, happened: str, **details) -> str:
        return self.client.make("POST", "/v1/plots/south/activities",
                                {"kind": kind, "happened": happened, **details})["activity"]

    def feed(self) -> None:
        self.fed = self.record("fertilising", at(7, 1), substance="Nettle extract", amount=400, unit="l")

    def correct(self) -> None:
        self.client.make("POST", f"/v1/activities/{self.fed}/corrections", {
            "kind": "fertilising", "happened": at(7, 1), "substance": "Nettle extract", "amount": 40, "unit": "l",
            "reason": "One zero too many: the tank holds 40 litres."})

    def harvest(self) -> None:
        make = self.client.make
        self.send(field_of_a_season())
        make("POST", "/v1/lots", {"lot": LOT, "gtin": GTIN, "product": "Tomatoes ‘Rosa de Ronda’", "plot": "south",
                                  "grams": 480_000, "happened": at(7, 14, 5, 30)})
        make("POST", f"/v1/lots/{LOT}/packings", {"boxes": 60, "gramsEach": 5_000})
        make("POST", f"/v1/lots/{LOT}/storings", {"store": "cold1", "happened": at(7, 14, 9)})
        self.told.labels = make("POST", f"/v1/lots/{LOT}/labels")["labels"]

    def hand_over(self) -> None:
        self.send(cold_room_of_four_days())
        self.client.make("POST", f"/v1/lots/{LOT}/handovers", {"to": "Mercado de la Encarnación, Sevilla",
                                                               "happened": at(7, 18, 4, 45)})

    def measure_now(self) -> None:
        self.send([*last_days(), *readings_now()])

    def send(self, adverts: list[dict]) -> None:
        """Sends radio advertisements, and waits until the farm's devices show the last of each."""
        for first in range(0, len(adverts), 96):
            self.client.make("POST", "/v1/adverts", {"adverts": adverts[first:first + 96]})
        last = max(advert["at"] for advert in adverts)
        until(lambda: any((row.get("last") or "")[:19] >= last[:19] for row in self.client.items("/v1/devices")), 20,
              "the adverts to be read")


# What the tags measure

def bthome(device: str, packet: int, time: datetime, objects: bytes) -> dict:
    """An advertisement in BTHome v2 with a packet number, as `/v1/adverts` takes it."""
    body = struct.pack("<BBB", 0x40, 0x00, packet % 256) + objects
    return {"address": device.removeprefix("ble:"), "rssi": -71, "at": text_of(time),
            "hex": (bytes([2, 0x01, 0x06]) + bytes([len(body) + 3, 0x16, 0xD2, 0xFC]) + body).hex()}


def south(packet: int, time: datetime) -> dict:
    """Temperature, light and soil moisture of the south terrace at an hour: the same whenever it is asked for."""
    hour = int(time.timestamp() // 3600)
    day = math.sin((time.hour - 9) / 24 * 2 * math.pi)
    noise = math.sin(hour * 0.37) + math.sin(hour * 0.11 + 1) + math.sin(hour * 0.017)
    light = max(0.0, 42_000 * day + 9_000 + 4_000 * noise)
    return bthome(SOUTH, packet, time, struct.pack("<Bh", 0x02, round(100 * (17 + 7 * day + 1.6 * noise)))
                  + b"\x05" + round(light * 100).to_bytes(3, "little")
                  + struct.pack("<BH", 0x14, round(100 * (31 - hour % 96 / 12 + noise))))


def cold(packet: int, time: datetime, temperature: float, humidity: float = 90) -> dict:
    """What the tag in the cold room sends."""
    return bthome(COLD, packet, time, struct.pack("<BhBH", 0x02, round(temperature * 100), 0x03, round(humidity * 100)))


def field_of_a_season() -> list[dict]:
    """A report of the south terrace each four hours, from sowing to harvest."""
    start, hours = datetime(2026, 4, 2, 7, tzinfo=UTC), range(0, 24 * 103, 4)
    return [south(number, start + timedelta(hours=hour)) for number, hour in enumerate(hours)]


def cold_room_of_four_days() -> list[dict]:
    """A report each hour; on 15 July the door stood open from 11:20 to 12:05 UTC."""
    start = datetime(2026, 7, 14, 9, 5, tzinfo=UTC)
    times = [(start + timedelta(hours=hour), 4.6 + 0.5 * math.sin(hour * 0.4)) for hour in range(92)]
    times.append((datetime(2026, 7, 15, 11, 20, tzinfo=UTC), 9.1))
    return [cold(number, time, value, 90 + math.sin(number)) for number, (time, value) in enumerate(sorted(times))]


def last_days() -> list[dict]:
    """Reports of the last three days, one every other hour."""
    now = datetime.now(UTC)
    times = [now - timedelta(hours=hour) for hour in range(72, 0, -2)]
    return [report for number, time in enumerate(times)
            for report in (south(number, time), cold(number, time, 4.6 + 0.4 * math.sin(number)))]


def readings_now(temperature: float = 4.6) -> list[dict]:
    """One report of each tag, of this moment; the cold room has the temperature given."""
    now = datetime.now(UTC)
    packet = int(now.timestamp() * 8)
    stray = Tag(3)
    # Its number grows with time, so that no later report is taken for a repeat.
    stray.sequence = packet % 60_000 + 1000
    return [south(packet, now), cold(packet, now, temperature), stray.advert(21.0, 55.2) | {"at": text_of(now)}]
