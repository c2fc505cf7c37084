"""Several people count one inventory at once while the ledger is killed: the report is the set of what they saw.

It is small by default; `FURROW_NIGHTLY=1` counts 10,000 items with 20 people.
"""

import hashlib
import json
import random
import threading
import time
from datetime import UTC, datetime, timedelta

from client import LiveFeed, until
from nightly import NIGHTLY

ITEMS, PEOPLE, UPLOADS, SIGHTINGS = (10_000, 20, 40, 50) if NIGHTLY else (300, 5, 12, 10)


def test_a_count_of_several_people_survives_kills_and_repetitions(own_farm):
    farm = own_farm().start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    client.make("PUT", "/v1/inventories/tools", {"title": "Tools"})
    for number in range(ITEMS):
        client.make("PUT", f"/v1/items/i{number:05}", {
            "inventory": "tools", "title": f"Tool {number}", "code": f"c{number}", "beacon": f"b{number}"})
    client.make("POST", "/v1/inventories/tools/stocktakes", {"stocktake": "autumn", "title": "Autumn"})

    people = [Person(farm, number) for number in range(PEOPLE)]
    for one in people:
        one.start()
    until(lambda: sum(one.sent for one in people) > PEOPLE * UPLOADS // 4, 300, "a quarter of the uploads", pause=0.01)
    farm.kill("trace-ledger/farm-0")
    until(lambda: sum(one.sent for one in people) > PEOPLE * UPLOADS // 2, 300, "half of the uploads", pause=0.01)
    farm.kill("sync-gateway/farm-0")
    for one in people:
        one.join()
    assert not any(one.failures for one in people), [one.failures for one in people]

    # A sighting is on the screens of others within a moment.
    live = LiveFeed(farm.client(), "stocktakes")
    began = time.monotonic()
    client.make("POST", "/v1/stocktakes/autumn/sightings", {
        "sightings": [sighting(f"code/c{ITEMS - 1}", "office", datetime.now(UTC))]})
    until(lambda: live.messages, 10, "the count in the live feed", pause=0.001)
    shown = time.monotonic() - began

    began = time.monotonic()
    done = client.make("POST", "/v1/stocktakes/autumn/finish", {"accept": True})
    finishing = time.monotonic() - began
    lines = client.items("/v1/stocktakes/autumn/lines")
    # The report is the set of what was acknowledged, whatever was sent twice or in another order.
    seen: dict[str, set] = {f"i{ITEMS - 1:05}": {"office"}}
    for one in people:
        for thing, device, at in one.acknowledged:
            number = int(thing.split("/")[1].lstrip("icb"))
            seen.setdefault(f"i{number:05}", set()).add((device, at, thing))
    found = {line["item"]: line["seen"]["times"] for line in map(json.loads, lines) if line["state"] == "found"}
    assert found == {item: len(times) for item, times in seen.items()}
    assert done["found"] == len(seen) and done["missing"] == ITEMS - len(seen) and done["unexpected"] == 0
    assert hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() == done["digest"]
    farm.audited()
    sent = sum(len(one.acknowledged) for one in people)
    print(f"stocktake: {ITEMS} items, {PEOPLE} people, {sent} sightings acknowledged, {len(seen)} items found, 2 kills; "
          f"on another screen after {shown * 1000:.0f} ms, finished in {finishing:.2f} s")
    assert sent >= PEOPLE * UPLOADS * SIGHTINGS


class Person(threading.Thread):
    """Sends uploads in pieces, some of them twice under different keys."""

    def __init__(self, farm, number: int):
        super().__init__()
        self.client = farm.client()
        self.random = random.Random(number)
        self.device = f"phone-{number}"
        self.acknowledged: list[tuple[str, str, str]] = []
        self.sent = 0
        self.failures: list[str] = []

    def run(self) -> None:
        start = datetime.now(UTC)
        for upload in range(UPLOADS):
            sightings = []
            for place in range(SIGHTINGS):
                item = self.random.randrange(ITEMS - 1)
                thing = (f"item/i{item:05}", f"code/c{item}", f"beacon/b{item}")[item % 3]
                at = start + timedelta(milliseconds=upload * SIGHTINGS + place)
                sightings.append(sighting(thing, self.device, at))
            for _ in range(1 + self.random.randrange(2)):
                answer = self.client.settle(
                    "POST", "/v1/stocktakes/autumn/sightings", {"sightings": sightings}, seconds=120)
                if answer.status != 200:
                    self.failures.append(str(answer))
                    return
            self.acknowledged += [(one["thing"], self.device, one["at"]) for one in sightings]
            self.sent += 1


def sighting(thing: str, device: str, at: datetime) -> dict:
    return {"thing": thing, "at": at.isoformat().replace("+00:00", "Z"), "how": "typed", "device": device}
