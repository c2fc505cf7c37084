"""Events that only a newer build knows, written by a build with two renamed events. Older services park them, block
their streams and apply everything else; after an update, all is applied in order.
"""

import json
import subprocess
import time
from pathlib import Path

import pytest
from client import Client, until
from farm import PROGRAMS, Farm, hand_over
from load import prepare
from tags import Tag

#: The names in the newer build.
NAMES = {b"trace.handed-over.v1": b"trace.handed-away.v1", b"sensors.beacon-heard.v1": b"sensors.beacon-hoard.v1"}
ALL = ("furrow", "sensor-ingest", "trace-ledger", "catalog-orders", "recommender", "sync-gateway")
#: The services of the older build.
BEHIND = ("catalog-orders", "recommender", "sync-gateway")
MARKET, GATEWAY = "catalog-orders/farm-0", "sync-gateway/farm-0"
PARKED_MOST = 1000


def build(folder: Path, newer: tuple[str, ...]) -> Path:
    """Copies the programs, some of them patched like a newer build."""
    folder.mkdir()
    for name in ALL:
        program = (PROGRAMS / name).read_bytes()
        for known, renamed in NAMES.items() if name in newer else ():
            assert known in program and len(known) == len(renamed)
            program = program.replace(known, renamed)
        (folder / name).write_bytes(program)
        (folder / name).chmod(0o755)
    hand_over(folder)
    return folder


@pytest.fixture
def farm(own_farm) -> Farm:
    """A farm whose ledger and ingest process are newer than their subscribers."""
    farm = own_farm()
    newer = tuple(name for name in ALL if name not in BEHIND)
    farm.programs = build(farm.home.parent / "mixed", newer)
    farm.start()
    prepare(farm)
    return farm


def update(farm: Farm) -> None:
    farm.stop()
    farm.programs = build(farm.home.parent / "newer", ALL)
    farm.start()


def sell(farm: Farm, lot: str) -> None:
    client = farm.client()
    client.make("POST", "/v1/lots", {"lot": lot, "product": "Tomatoes", "plot": "p1", "grams": 10_000})
    client.make("POST", f"/v1/lots/{lot}/packings", {"boxes": 5, "gramsEach": 1000})
    until(lambda: client.settle("PUT", f"/v1/stock/{lot}", {"boxes": 5}).status == 200, 20, f"{lot} in the market")
    client.make("POST", "/v1/offers", {
        "offer": f"of-{lot}", "product": "tomatoes", "lot": lot, "price": {"minor": 1290, "currency": "EUR"}})


def closed(farm: Farm, lot: str) -> str | None:
    return next(offer for offer in farm.client().items("/v1/offers") if offer["lot"] == lot).get("closed")


def parked(farm: Farm, origin: str | None = None) -> list[dict]:
    items = json.loads(farm.furrow("parked", "list", "--json").stdout)["items"]
    return [item for item in items if origin in (None, item["origin"])]


def readiness(farm: Farm, origin: str) -> dict:
    port = int(farm.services[origin]["ops"].rsplit(":", 1)[1])
    answer = Client(port).call("GET", "/readyz", timeout=5)
    assert answer.status == 200
    return answer.json


def lag(farm: Farm, origin: str) -> int:
    return json.loads(farm.furrow("status", "--json").stdout)["services"][origin]["lag"]


def decide(farm: Farm, order: str, item: dict, *more: str):
    return farm.furrow("parked", order, item["origin"], item["feed"], str(item["position"]), *more, check=False)


def test_a_parked_event_blocks_its_stream_until_an_operator_decides(farm):
    client = farm.client()
    product = {"product": "tomatoes", "farm": "sonnhof", "title": "Tomatoes", "unit": "box"}
    until(lambda: client.settle("POST", "/v1/products", product).status in (200, 201), 20, "the farm in the market")
    sell(farm, "HELD")
    sell(farm, "FREE")
    client.make("POST", "/v1/lots/HELD/handovers", {"to": "Shop"})
    client.make("POST", "/v1/lots/HELD/recalls", {"reason": "glass"})
    client.make("POST", "/v1/lots/FREE/recalls", {"reason": "glass, too"})
    until(lambda: closed(farm, "FREE") == "recalled", 20, "other streams to continue")
    assert closed(farm, "HELD") == "waiting"
    assert next(row for row in client.items("/v1/stock") if row["lot"] == "HELD")["waiting"] is True
    items = until(lambda: len(found := parked(farm)) >= 2 * len(BEHIND) and found, 20, "both in all three")
    first = {item["origin"]: item for item in items if "behind" not in item}
    behind = {item["origin"]: item for item in items if "behind" in item}
    assert set(first) == set(behind) == {f"{name}/farm-0" for name in BEHIND} and len(items) == 6
    assert {item["stream"] for item in items} == {"lot/HELD"} and {item["waiting"] for item in first.values()} == {1}
    assert all(behind[origin]["behind"] == first[origin]["position"] for origin in first)
    assert all("handed-away" in item["reason"] for item in first.values())

    until(lambda: readiness(farm, MARKET)["checks"]["parked"]["status"] == "degraded", 10, "readiness to report it")
    status = json.loads(farm.furrow("status", "--json").stdout)
    assert (status["parked"], status["waiting"]) == (3, 3)
    page = client.get("/v1/operations")
    assert (page["parked"], page["waiting"]) == (3, 3)
    assert b"3 later ones of the same streams wait" in farm.furrow("doctor", check=False).stdout
    assert b"(1 wait behind it)" in farm.furrow("parked", "list").stdout
    assert b"1 later events" in decide(farm, "show", first[MARKET]).stdout
    farm.audited()

    # Later events cannot overtake the first one, which this build still cannot apply.
    assert b"It waits for" in decide(farm, "retry", behind[MARKET]).stderr
    assert b"still cannot be applied" in decide(farm, "retry", first[MARKET]).stderr
    assert farm.furrow("parked", "retry", "--all", check=False).returncode == 1
    farm.kill(MARKET)
    assert closed(farm, "HELD") == "waiting" and len(parked(farm, MARKET)) == 2
    # One event is skipped: the events behind it follow by themselves.
    assert decide(farm, "skip", first["recommender/farm-0"], "--reason", "it sells nothing").returncode == 0
    until(lambda: not parked(farm, "recommender/farm-0"), 20, "the waiting events to be applied")
    farm.audited()

    update(farm)
    assert closed(farm, "HELD") == "waiting", "an update alone decides nothing"
    done = json.loads(farm.furrow("parked", "retry", "--all", "--json").stdout)
    assert done == {"applied": 2, "left": 0, "missing": []}
    until(lambda: closed(farm, "HELD") == "recalled" and not parked(farm), 20, "the recall to follow")
    until(lambda: readiness(farm, MARKET)["checks"]["parked"]["status"] == "ok", 10, "readiness to recover")
    farm.audited()
    farm.stop()
    assert farm.wipe_views() >= 3
    farm.start()
    assert closed(farm, "HELD") == "recalled"
    told = [event["data"] for event in farm.replay(MARKET) if event["type"].endswith("journal.parked-resolved.v1")]
    assert [one["outcome"] for one in told] == ["retried", "retried"]
    assert [one["position"] for one in told] == [first[MARKET]["position"], behind[MARKET]["position"]]
    print(f"3 services parked 1 and blocked 1; {len(farm.audited()['views'])} tables rebuilt equal at each step")


@pytest.mark.nightly
def test_the_1001st_parked_stream_stops_its_reader_and_nothing_is_lost(farm):
    client = farm.client()
    client.make("POST", "/v1/stores", {"farm": "sonnhof", "store": "s1", "title": "Store"})
    for turn in range(11):
        client.make("POST", "/v1/adverts", {"adverts": [beacon(turn * 100 + number) for number in range(100)]})
    tag = Tag(1, family=0xE7)
    client.make("POST", "/v1/adverts", {"adverts": [tag.advert()]})
    hub = until(lambda: (events := farm.replay()) and sum("beacon-hoard" in event["type"] for event in events) == 1100
                and events, 60, "the hub to have them all")
    began = time.monotonic()
    until(lambda: "retry or skip some" in str(readiness(farm, GATEWAY)["checks"]), 60, "the gateway to stop")
    until(lambda: "retry or skip some" in str(readiness(farm, MARKET)["checks"]), 60, "the market to stop")
    stood = len(parked(farm, GATEWAY))
    assert stood == len(parked(farm, MARKET)) == PARKED_MOST
    assert lag(farm, GATEWAY) > 0 and readiness(farm, GATEWAY)["status"] == "degraded"
    farm.audited()
    last = max(item["position"] for item in parked(farm, MARKET))
    for item in parked(farm, MARKET)[:3]:
        assert decide(farm, "skip", item, "--reason", "no such beacon").returncode == 0
    until(lambda: len(parked(farm, MARKET)) == PARKED_MOST, 20, "others to be parked")
    assert sum(item["position"] > last for item in parked(farm, MARKET)) == 3
    assert "retry or skip some" in str(readiness(farm, MARKET)["checks"])

    update(farm)
    done = json.loads(farm.furrow("parked", "retry", "--all", "--json", seconds=300).stdout)
    assert done == {"applied": 3 * PARKED_MOST, "left": 0, "missing": []} and not parked(farm)
    until(lambda: lag(farm, GATEWAY) < 100, 30, "the gateway to continue")
    assert readiness(farm, GATEWAY)["checks"]["feed:hub"]["status"] == "ok"
    farm.audited()
    print(f"{len(hub)} events in the hub, {stood} streams parked in each of 3 readers, applied "
          f"{time.monotonic() - began:.0f} s later")


def beacon(number: int) -> dict:
    """Returns an iBeacon with a unique name."""
    data = bytes.fromhex("4c000215") + number.to_bytes(16, "big") + bytes([0, 1, 0, 2, 0xC5])
    told = bytes([2, 1, 6, len(data) + 1, 0xFF]) + data
    return {"address": f"c6:00:00:00:{number // 256:02x}:{number % 256:02x}", "hex": told.hex(), "rssi": -60}


def test_in_a_compose_stack_an_unreachable_service_is_named(tmp_path):
    """The keys of a stack that is not running: no host name can be resolved."""
    services = ["sync-gateway", "trace-ledger"]
    for name in services:
        (tmp_path / "keys" / name).mkdir(parents=True)
    (tmp_path / "public").mkdir()

    def furrow(keys: Path, *words: str) -> subprocess.CompletedProcess:
        stack = {"FURROW_KEYS": str(keys), "FURROW_PUBLIC_KEYS": str(tmp_path / "public"), "FURROW_BUS_PORT": "7100"}
        return subprocess.run(
            [PROGRAMS / "furrow", *words], capture_output=True, text=True, timeout=60,
            env={"PATH": "/usr/bin:/bin"} | stack)

    made = furrow(tmp_path / "keys", "init")
    assert made.returncode == 0, made.stderr
    for words in (["list"], ["retry", "--all"]):
        asked = furrow(tmp_path / "keys" / "sync-gateway", "parked", *words, "--json")
        assert asked.returncode == 3, asked
        assert json.loads(asked.stdout)["missing"] == [f"{name} has no address" for name in services]
        assert all(f"Not reached: {name} has no address." in asked.stderr for name in services), asked.stderr
    told = furrow(tmp_path / "keys" / "sync-gateway", "parked", "list")
    assert told.returncode == 3 and "No event is parked" not in told.stdout, told
