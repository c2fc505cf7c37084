"""Two gateways receive the same nodes; one posts live, the other posts its backlog afterwards.

Every report is recorded once, counted once in the hourly means and is once in the story, through kills, on one and on
three replicas. `FURROW_NIGHTLY=1` runs the whole: 256 nodes for 7 days, 258,048 reports. Its last counts, on one and on
three replicas with four kills each: 258,048 in the journals, 258,048 second receptions, 258,048 in the hourly means.
"""

import base64
import json
import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from client import Client, until
from farm import Farm
from load import MEASURED
from nightly import NIGHTLY
from test_replicas import slots

HEARD = "farm.furrow.sensors.report-heard.v1"
NODES, REPORTS = (256, 1008) if NIGHTLY else (32, 72)
INTERVAL = timedelta(minutes=10)


class Node:
    """A node. A quarter of the nodes has no counter and constant values, a quarter an 8-bit counter, half a 16-bit one.
    """

    def __init__(self, number: int):
        self.number = number
        self.address = f"c0ffee{number:06x}"
        self.device = f"ble:{self.address}"
        self.celsius = [25.06, 25.06, 20.0, 10.0][number % 4]

    def hex(self, report: int) -> str:
        if self.number % 4 == 0:
            return "0916d2fc40016402ca09"
        if self.number % 4 == 1:
            return f"0916d2fc4000{report % 256:02x}02ca09"
        raw = round(self.celsius * 200)
        return f"0201061bff990405{raw:04x}ffffffff800080008000ffffff{report:04x}{self.address}"

    def advert(self, report: int, at: datetime) -> dict:
        return {
            "address": ":".join(self.address[at:at + 2] for at in range(0, 12, 2)), "hex": self.hex(report),
            "rssi": -60, "at": at.isoformat().replace("+00:00", "Z"),
        }


def heard(nodes: list[Node], begin: datetime, ahead: float) -> list[dict]:
    """Returns the advertisements of a gateway whose clock is `ahead` seconds ahead."""
    return [
        node.advert(report, begin + report * INTERVAL
                    + timedelta(seconds=node.number + ahead + random.uniform(-0.2, 0.2)))
        for report in range(REPORTS) for node in nodes
    ]


def batches(adverts: list[dict], size: int) -> list[list[dict]]:
    return [adverts[first:first + size] for first in range(0, len(adverts), size)]


def temperature(value: object) -> dict | None:
    """Returns the first object about the temperature in a story."""
    if isinstance(value, dict):
        if value.get("quantity") == "temperature" and "mean" in value:
            return value
        value = list(value.values())
    if isinstance(value, list):
        return next((found for one in value if (found := temperature(one))), None)
    return None


def standing(client: Client) -> list[str]:
    """Returns the processes that the gateway knows of."""
    return [service["origin"] for service in client.get("/v1/operations")["services"]]


@pytest.mark.parametrize("replicas", [1, 3])
def test_each_report_of_two_gateways_is_recorded_counted_and_shown_once(own_farm, replicas):
    random.seed(replicas)
    farm: Farm = own_farm().start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    client.make("POST", "/v1/plots", {"farm": "sonnhof", "plot": "p1", "title": "Plot 1"})
    nodes = [Node(number) for number in range(NODES)]
    for node in nodes:
        client.make("PUT", f"/v1/points/n{node.number}",
                    {"title": f"Node {node.number}", "place": "plot/p1", "device": node.device})
    if replicas > 1:
        farm.furrow("scale", "--ingest", str(replicas))
        until(lambda: len(slots(farm)) == replicas and all(map(farm.ready, slots(farm))), 60, "the slots are ready")
        # A device that moves to another slot is judged by both slots: it is counted once, and is in both journals.
        until(lambda: set(slots(farm)) <= set(standing(client)), 60, "batches are divided among them")
    tokens = [client.make("POST", "/v1/gateways", {"gateway": f"g{number}"})["token"] for number in (1, 2)]
    first, second = [farm.client(token) for token in tokens]

    begin = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - INTERVAL * (REPORTS + 12)
    sown = (begin - timedelta(hours=2)).isoformat().replace("+00:00", "Z")
    client.make("POST", "/v1/plots/p1/activities", {"kind": "sowing", "happened": sown})
    live = batches(heard(nodes, begin, -2), 200)
    backlog = batches(heard(nodes, begin, 2), 500)
    random.shuffle(backlog)
    counts: Counter = Counter()

    def post(gateway, adverts: list[dict]) -> None:
        answer = gateway.settle("POST", "/v1/adverts", {"adverts": adverts})
        assert answer.status == 200, str(answer)
        assert answer.json["measurements"] + answer.json["known"] == len(adverts)
        counts["new"] += answer.json["measurements"]
        counts["known"] += answer.json["known"]

    # Part of the backlog arrives while the other gateway is still live.
    order = [(first, batch) for batch in live]
    for batch in backlog:
        order.insert(random.randrange(len(order) // 2, len(order) + 1), (second, batch))
    kills = 0
    for index, (gateway, batch) in enumerate(order):
        post(gateway, batch)
        if index % max(1, len(order) // 4) == 1:
            farm.kill(slots(farm)[kills % replicas])
            kills += 1

    expected = NODES * REPORTS
    origins = [f"/{name}" for name in slots(farm)]
    # The counts of new and repeated reports equal those of the journals.
    assert counts == {"new": expected, "known": expected}, counts

    def hours() -> list[dict]:
        return client.items("/v1/readings", place="plot/p1", quantity="temperature")

    until(lambda: sum(hour["count"] for hour in hours()) >= expected, 300, "the ledger's hours")
    events = farm.replay()
    reports = Counter(event["data"]["device"] for event in events if event["type"] == MEASURED)
    receptions = sum(1 for event in events if event["type"] == HEARD)
    counted = sum(hour["count"] for hour in hours())
    assert set(reports) == {node.device for node in nodes}
    assert set(reports.values()) == {REPORTS}, {device: n for device, n in reports.items() if n != REPORTS}
    assert receptions == expected and counted == expected
    assert {event["source"] for event in events if event["type"] == MEASURED} == set(origins)

    client.make("POST", "/v1/lots", {"lot": "GATE1", "product": "Beans", "plot": "p1", "grams": 1000})
    passport = until(lambda: client.get("/v1/lots/GATE1/passport"), 30, "the story")
    line = temperature(json.loads(base64.b64decode(passport["bytes"])))
    assert line is not None
    mean = sum(node.celsius for node in nodes) / NODES
    assert abs(line["mean"] - mean) <= 0.01, (line["mean"], mean)
    farm.audited()
    print(f"{replicas} replicas, {kills} kills: {sum(reports.values())} of {expected} reports in the journals, "
          f"{receptions} second receptions, {counted} in the hourly means, mean {line['mean']}")
