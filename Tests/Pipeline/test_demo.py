"""The demonstration: a week of a farm of 256 nodes, simulated in about a minute, and its continuation."""

import signal
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from client import Client, until
from load import MEASURED
from verify import verify_label, verify_passport

NODES, REPORTS = 256, 1008
#: The devices of the demonstration's other sources, with the beginning of the source's name: a gateway by its own body,
#: a sensor that requests an address, a program, a radio hub, zigbee2mqtt behind a broker.
OTHERS = {"ble:e375cf374e23": "gateway/packing-hall", "http:shellyht-6d0a12": "gateway/packing-hall",
          "http:greenhouse-controller": "greenhouse", "ble:546c0e000001": "gateway/radio-hub",
          "zb:00158d0001a2b301": "mqtt/zigbee2mqtt", "zb:a4c1380000000042": "mqtt/zigbee2mqtt"}


def entries(node: Client) -> set[str]:
    """What a node says that others have."""
    return {entry["target"] for one in node.get("/.well-known/furrow-node/peers")["peers"] for entry in one["entries"]}


@pytest.mark.nightly
def test_a_demonstration_simulates_exactly_a_week_and_continues(own_farm):
    farm = own_farm("--demo", "--node")
    # A demonstration has its own radio and its own public address.
    farm.environment = {}
    began = time.monotonic()
    farm.start(seconds=300)
    up = time.monotonic() - began
    told = farm.run_file
    assert told["sampleTrace"] and told["token"], told
    client = Client(farm.port, told["token"])
    devices = until(lambda: heard(client, NODES), 60, f"{NODES} devices", pause=0.5)
    until(lambda: all(reported(farm, REPORTS)), 240, f"{REPORTS} reports of each node", pause=2)

    events = [event for event in farm.replay("sensor-ingest/farm-0") if event["type"] == MEASURED]
    now = datetime.now(UTC)
    times = [datetime.fromisoformat(event["time"]) for event in events]
    start = min(times)
    week = [event for event, at in zip(events, times) if at < start + timedelta(days=7)]
    per_device = Counter(event["data"]["device"] for event in week)
    future = sum(1 for at in times if at > now + timedelta(seconds=1))
    print(f"up in {up:.1f} s; {len(events)} reports, {len(week)} in the first seven days of {len(per_device)} devices "
          f"({min(per_device.values())} to {max(per_device.values())} each), {future} in the future; "
          f"{len(devices)} devices listed")
    assert future == 0 and len(per_device) == NODES
    assert len(week) == NODES * REPORTS == 258_048 and set(per_device.values()) == {REPORTS}
    assert {event["data"]["counter"] for event in week} == set(range(1, REPORTS + 1))

    # Once the week is over, each other kind of source sends, too.
    until(lambda: len(others(client)) == len(OTHERS), 90, f"the devices of {len(OTHERS)} other sources", pause=1)
    found = others(client)
    print(f"other sources: {found}")
    assert found == OTHERS
    assert client.get("/v1/reporting")["brokers"][0]["messages"] >= 2

    # The radio hub says what it does, and each of two nodes lists what the phone beside the other one has opened.
    until(lambda: connected(client) == ["54:6c:0e:00:00:01"], 90, "a hub that is connected to its SensorTag", pause=1)
    nodes = [Client(int(url.rsplit(":", 1)[1])) for url in told["nodes"]]
    until(lambda: "/v1/lots/TOM-1A/passport" in entries(nodes[1]), 150, "the other node's story", pause=1)
    print(f"nodes: {len(entries(nodes[0]))} and {len(entries(nodes[1]))} entries of the other one")
    assert "/v1/sync" in entries(nodes[0])

    # A camera beside plot 1 posts the noons of the week, and the present.
    photographs = until(lambda: taken(client, 8), 60, "eight photographs", pause=1)
    assert {one["camera"] for one in photographs} == {"mast-1"}
    assert len({one["thumbnail"] for one in photographs}) == len(photographs)

    done = shed_is_counted(client)
    assert (done["found"], done["missing"], done["unexpected"]) == (28, 2, 0)

    keys = client.get("/ledger/keys")
    gtin, lot, _ = verify_label(told["sampleTrace"], keys)
    verify_passport(client.get(f"/v1/lots/{lot}/passport"), keys)
    began = time.monotonic()
    farm.audited(seconds=600)
    print(f"audited in {time.monotonic() - began:.1f} s")
    kept = len(events)

    took = farm.stop(signal.SIGINT)
    print(f"Ctrl-C drained in {took:.1f} s")
    assert took <= 10
    began = time.monotonic()
    farm.start(seconds=60)
    page = Client(farm.port).call("GET", "/" + farm.run_file["sampleTrace"].split("/", 3)[3])
    took = time.monotonic() - began
    again = len([1 for event in farm.replay("sensor-ingest/farm-0") if event["type"] == MEASURED])
    print(f"second start: the sample story after {took:.1f} s, {again - kept} more reports")
    assert page.status == 200 and took <= 5 and again >= kept
    assert farm.run_file["sampleTrace"] == told["sampleTrace"]


def heard(client: Client, count: int) -> list[dict] | None:
    devices = client.items("/v1/devices")
    return devices if len(devices) >= count else None


def reported(farm, count: int) -> list[bool]:
    """Returns whether each node has sent that many reports."""
    rows = Client(farm.port, farm.run_file["token"]).items("/v1/devices")
    return [row["reports"] >= count for row in rows if row["device"] not in OTHERS] or [False]


def shed_is_counted(client: Client) -> dict:
    """Counts the tool shed as a visitor does: what the reader finds is sent as sightings, until nothing new comes."""
    client.make("POST", "/v1/inventories/tools/stocktakes", {"stocktake": "visit", "title": "Visit"})
    items = client.items("/v1/inventories/tools/items")
    beacons = {item["beacon"] for item in items}
    (shed,) = client.items("/v1/inventories")
    assert client.call("GET", f"/media/{shed['plan']}").status == 200 and all(item["spot"] for item in items)
    counted: set[str] = set()

    def all_found() -> bool:
        for reading in client.get("/v1/beacons")["items"]:
            found = {one["beacon"] for one in reading["beacons"] if one["isFound"]} & beacons - counted
            if found:
                at = datetime.now(UTC).isoformat()
                client.make("POST", "/v1/stocktakes/visit/sightings", {"sightings": [
                    {"thing": f"beacon/{beacon}", "at": at, "how": "beacon"} for beacon in sorted(found)]})
                counted.update(found)
        return len(counted) == len(beacons) - 2

    began = time.monotonic()
    until(all_found, 120, "28 of 30 tools", pause=0.5)
    done = client.make("POST", "/v1/stocktakes/visit/finish", {"accept": True})
    print(f"tool shed: {done['found']} of {len(beacons)} tools found in {time.monotonic() - began:.0f} s")
    return done


def connected(client: Client) -> list[str] | None:
    """Returns the devices that the radio hub, which is the real program, says it is connected to."""
    (hub,) = [one.get("hub", {}) for one in client.items("/v1/gateways") if one["gateway"] == "radio-hub"]
    return hub.get("connected")


def taken(client: Client, count: int) -> list[dict]:
    """Returns the photographs of plot 1 once there are enough."""
    found = client.get("/v1/photographs", place="plot/p1")["items"]
    return found if len(found) >= count else []


def others(client: Client) -> dict[str, str]:
    return {one["device"]: one["source"] for one in client.items("/v1/devices") if one["device"] in OTHERS}
