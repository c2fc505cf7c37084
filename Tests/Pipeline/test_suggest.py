"""Suggestions of the shop, measured on a year of a grocer's orders that pass through the pipeline: posted to the
gateway, decided by the market, mirrored by the hub, consumed by the recommender, and read from its shelf.

By day an eighth of the buyers order, and `RecommenderTests/QualityTests` measure the whole log without the pipeline.
The data is outside the repository; without it, the tests are skipped with a message.
"""

import csv
import gzip
import json
import math
import time
import uuid
from collections import defaultdict
from pathlib import Path

import pytest
from client import Client, until
from farm import SHARED_DATA, Farm
from nightly import NIGHTLY

LOG = SHARED_DATA / "recsys" / "cj_fresh_transactions.csv.gz"
#: The buyers whose last baskets are the test set, as in the published measurement.
TESTED = Path(__file__).parents[1] / "Fixtures" / "Shopping" / "cj_fresh_test_users.txt"
BATCH = 200
BASKETS_TO_BE_ASKED = 4
#: One of so many buyers orders.
SHARE = 1 if NIGHTLY else 8
#: The same as in `RecommenderTests/QualityTests`.
MODEL = "3f60941c3f8f6196"
RECALL, GAIN = 0.529, 0.4425


def read_log() -> dict[str, list[tuple[str, str, list[str]]]]:
    """Returns each buyer's baskets in order of purchase: time, name, products."""
    baskets: dict[int, tuple[str, str, set[int]]] = {}
    with gzip.open(LOG, "rt") as lines:
        for row in csv.DictReader(lines):
            baskets.setdefault(int(row["basket"]), (row["ts"], row["user"], set()))[2].add(int(row["item"]))
    histories = defaultdict(list)
    for number, (placed, user, items) in sorted(baskets.items(), key=lambda one: (one[1][0], one[0])):
        products = [f"item-{item:03}" for item in sorted(items)]
        histories[person(user)].append((f"{placed}:00Z", f"cj-{number:06}", products))
    return dict(histories)


def person(user: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"household {user}"))


@pytest.fixture(scope="module")
def histories():
    if not LOG.exists():
        pytest.skip("SKIPPED: the grocer's log is not beside the repository")
    whole = read_log()
    return {person: whole[person] for person in list(whole)[::SHARE]}


@pytest.fixture(scope="module")
def shop(histories):
    """A farm that lists every product, has it in stock, and has imported all orders but each buyer's last."""
    farm = Farm()
    try:
        farm.start()
        client = farm.claim()
        stock(client, sorted({product for baskets in histories.values() for _, _, products in baskets
                              for product in products}))
        training = sorted(
            (placed, name, who, products) for who, baskets in histories.items()
            for placed, name, products in (baskets[:-1] if len(baskets) >= BASKETS_TO_BE_ASKED else baskets))
        assert len(training) > (80_000 if NIGHTLY else 8_000)
        began = time.monotonic()
        for start in range(0, len(training), BATCH):
            bring(client, training[start:start + BATCH])
        posted = time.monotonic() - began
        model = learnt(farm, client)["model"]
        print(f"{len(training)} orders posted in {posted:.0f} s, learnt "
              f"{time.monotonic() - began - posted:.1f} s after the last: model {model['digest'][:16]}…")
        # The whole log gives this model in a unit test of another build, without the pipeline.
        assert model["digest"].startswith(MODEL) or not NIGHTLY
        yield farm, client
    finally:
        farm.destroy()


def stock(client, products: list[str]) -> None:
    client.make("POST", "/v1/farms", {"farm": "f1", "title": "Grocer", "zone": "UTC"})
    client.make("POST", "/v1/plots", {"farm": "f1", "plot": "p1", "title": "Field"})
    client.make("POST", "/v1/lots", {"lot": "L1", "product": "Fresh food", "plot": "p1", "grams": 1_000_000})
    client.make("POST", "/v1/lots/L1/packings", {"boxes": 1000, "gramsEach": 1000})
    # The market receives the lot through the hub. A rejection is stored under its key, so each attempt has its own.
    until(lambda: client.settle("PUT", "/v1/stock/L1", {"boxes": 1000}).status == 200, 20, "the lot in the market")
    for product in products:
        client.make("POST", "/v1/products", {"product": product, "farm": "f1", "title": product, "unit": "piece"})
        client.make("POST", "/v1/offers", {"product": product, "lot": "L1",
                                           "price": {"minor": 100, "currency": "EUR"}})


def bring(client, orders: list[tuple[str, str, str, list[str]]]) -> None:
    """Imports past orders, as an administrator does from another shop."""
    told = client.make("POST", "/v1/orders/imports", {"orders": [
        {"order": name, "buyer": who, "placed": placed,
         "lines": [{"product": product, "quantity": 1} for product in products]}
        for placed, name, who, products in orders]})
    assert told["orders"] == len(orders)


def learnt(farm, client, seconds: float = 60) -> dict:
    """Returns the response that reflects every order in the hub."""
    told = [event for event in farm.replay("catalog-orders/farm-0") if ".journal." not in event["type"]]
    hub = next(number for number, event in reversed(list(enumerate(farm.replay(), 1)))
               if event["source"] == "/catalog-orders/farm-0" and event["originpos"] == told[-1]["originpos"])

    def reflected():
        told = client.get("/v1/shelves")
        return told if told["hubPosition"] >= hub and told.get("model", {}).get("hubPosition", 0) >= hub else None
    return until(reflected, seconds, f"a model of hub position {hub}")


def shelf(client, who: str | None, kind: str, **query) -> list[str]:
    told = client.get("/v1/shelves", **({"person": who} if who else {}), **query)
    return [item["product"] for one in told["shelves"] if one["shelf"] == kind for item in one["items"]]


@pytest.mark.nightly
def test_the_shelf_contains_the_next_basket(histories, shop):
    _, client = shop
    tested = {person(user) for user in TESTED.read_text().split()}
    assert len(tested) == 1122
    recalls, gains = [], []
    began = time.monotonic()
    for who in tested:
        truth = set(histories[who][-1][2])
        hits = [rank for rank, product in enumerate(shelf(client, who, "next")) if product in truth]
        recalls.append(len(hits) / len(truth))
        ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(truth))))
        gains.append(sum(1 / math.log2(rank + 2) for rank in hits) / ideal)
    each = (time.monotonic() - began) / len(tested)
    recall, gain = sum(recalls) / len(recalls), sum(gains) / len(gains)
    print(f"{len(tested)} shelves: R@10 {recall:.4f}, nDCG@10 {gain:.4f}; {each * 1000:.1f} ms each")
    assert recall >= RECALL and gain >= GAIN


def test_an_order_shows_within_a_second(histories, shop):
    farm, client = shop
    personal, everybody = [], []
    for number in range(5):
        who = str(uuid.uuid4())
        before = client.get("/v1/shelves")["model"]["digest"]
        bring(client, [(f"2018-02-0{number + 1}T10:00:00Z", f"new-{number}", who, ["item-001", "item-400"]),
                       (f"2018-02-0{number + 1}T11:00:00Z", f"newer-{number}", who, ["item-400"])])
        began = time.monotonic()
        until(lambda: "item-400" in shelf(client, who, "again"), 5, "the order on the shelf", pause=0.005)
        personal.append(time.monotonic() - began)
        until(lambda: client.get("/v1/shelves")["model"]["digest"] != before, 5, "another model", pause=0.005)
        everybody.append(time.monotonic() - began)
    personal.sort()
    everybody.sort()
    print(f"an order is on its buyer's shelf after {personal[2]:.3f} s, in the model after {everybody[2]:.3f} s "
          f"(medians of 5; best {personal[0]:.3f} and {everybody[0]:.3f} s, worst {personal[-1]:.3f} and {everybody[-1]:.3f} s)")
    # Other tests share the machine's time: the best of five shows what the farm needs.
    assert personal[0] < 1 and everybody[0] < 1


def test_the_shelf_shows_only_products_in_stock_each_with_its_reason(histories, shop):
    _, client = shop
    who = next(iter(histories))
    first = shelf(client, who, "next")[0]
    offer = client.get(f"/v1/products/{first}")["offers"][0]["offer"]
    client.make("POST", f"/v1/offers/{offer}/withdrawals", {})
    until(lambda: first not in shelf(client, who, "next"), 5, f"{first} to leave the shelf")
    client.make("POST", "/v1/offers", {"product": first, "lot": "L1", "price": {"minor": 100, "currency": "EUR"}})
    until(lambda: shelf(client, who, "next")[0] == first, 5, f"{first} to be back")
    for asked in ({"person": who}, {}):
        shelves = client.get("/v1/shelves", **asked)["shelves"]
        assert {one["shelf"] for one in shelves} >= {"popular", "discover"}
        for one in shelves:
            for item in one["items"]:
                assert item["reason"].endswith(".") and item["because"] and item["title"]


def test_status_and_metrics_count_what_the_model_covers(histories, shop):
    farm, client = shop
    listed = len({product for baskets in histories.values() for _, _, products in baskets for product in products})
    model = learnt(farm, client)["model"]
    told = json.loads(farm.furrow("status", "--json").stdout)["services"]["recommender/farm-0"]
    assert told["state"] == "ok" and "remark" not in told, told
    assert told["figures"] == {
        "orders_beyond_limit": 0, "products_beyond_catalogue": 0, "products_in_model": model["products"],
        "products_listed": listed, "products_outside_model": 0}
    ops = Client(int(farm.services["recommender/farm-0"]["ops"].rsplit(":", 1)[1]))
    metrics = ops.call("GET", "/metrics", timeout=5).body.decode().splitlines()
    gauges = {line.split("{")[0]: int(line.split()[-1]) for line in metrics if line.startswith("furrow_products_")}
    assert gauges["furrow_products_listed"] == listed and gauges["furrow_products_outside_model"] == 0, gauges
    print(f"the model has {model['products']} of {listed} listed products; {len(gauges)} gauges agree")


def test_the_same_log_gives_the_same_model_bit_for_bit(shop):
    farm, client = shop
    told = learnt(farm, client)
    events = [event for event in farm.replay("recommender/farm-0") if "model-solved" in event["type"]]
    assert events
    farm.stop()
    assert farm.wipe_views() >= 4
    farm.start()
    again = learnt(farm, client)
    assert again["model"]["digest"] == told["model"]["digest"]
    assert again["shelves"] == told["shelves"]
    farm.kill("recommender/farm-0")
    assert learnt(farm, client)["model"]["digest"] == told["model"]["digest"]
    print(f"model {told['model']['digest'][:16]}… three times, {told['model']['products']} products")
    found = farm.audited(seconds=600)
    views = [view["view"] for view in found["views"] if view["service"] == "recommender/farm-0"]
    assert len(views) >= 10, views
