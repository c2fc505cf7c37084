"""Queries of the market run apart from its decisions: readers do not slow orders, and buyers see their orders."""

import re
import statistics
import threading
import time
import uuid

from client import Client, until
from market import Crowd, Market

READERS = 64


def hammer(port: int, stopping: threading.Event, counts: list[int]) -> None:
    """An anonymous reader that requests the list of products repeatedly."""
    client, count = Client(port), 0
    while not stopping.is_set():
        count += client.call("GET", "/v1/products").status == 200
    counts.append(count)


def orders(market: Market, number: int) -> list[float]:
    """Returns the milliseconds of each order; the next query of its buyer sees it."""
    client, took = Client(market.farm.port, market.buyers[0]), []
    for _ in range(number):
        began = time.perf_counter()
        placed = client.call("POST", "/v1/orders", Crowd.wish(), key=uuid.uuid4().hex)
        took.append((time.perf_counter() - began) * 1000)
        assert placed.status == 201, placed
        seen = client.call("GET", f"/v1/orders/{placed.json['order']}")
        assert seen.status == 200 and seen.json["order"] == placed.json["order"], seen
    return took


def test_a_buyer_sees_an_acknowledged_order_at_once_while_64_read(own_farm):
    # All readers share one address, so the limit of anonymous requests is disabled.
    market = Market(own_farm(environment={"FURROW_ANONYMOUS_RATE": "0"}).start(), 400, 1)
    alone = orders(market, 60)
    stopping, counts = threading.Event(), []
    threads = [threading.Thread(target=hammer, args=(market.farm.port, stopping, counts)) for _ in range(READERS)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    began = time.monotonic()
    read = orders(market, 60)
    seconds = time.monotonic() - began
    stopping.set()
    for thread in threads:
        thread.join(30)
    shown = [f"p50 {statistics.median(one):.1f} ms, max {max(one):.1f} ms" for one in (alone, read)]
    print(f"orders alone: {shown[0]}; with {READERS} readers: {shown[1]}; {sum(counts)} reads, {seconds:.1f} s")
    assert sum(counts) >= READERS and len(read) == 60


def test_a_catalogue_response_is_not_sent_again_until_it_changes(own_farm):
    market = Market(own_farm().start(), 50, 1)
    reader = Client(market.farm.port)

    def get(path: str, tag: str | None = None):
        return reader.call("GET", path, headers={"If-None-Match": tag} if tag else {})

    paths = ["/v1/products", "/v1/products/tomatoes", "/v1/offers", "/v1/pickups", "/v1/counties"]
    first = {path: until(lambda: (one := get(path)).status == 200 and one, 10, path) for path in paths}
    tags = {path: answer.headers["etag"] for path, answer in first.items()}
    for path, tag in tags.items():
        again = get(path, tag)
        assert again.status == 304 and again.body == b"" and again.headers["etag"] == tag, (path, again)
        assert first[path].headers["cache-control"] == "no-cache"
    # An event that these responses do not show leaves them unchanged.
    buyer = Client(market.farm.port, market.buyers[0])
    buyer.make("PUT", "/v1/favourites/product/tomatoes", {})
    kept = [path for path in paths if get(path, tags[path]).status == 304]
    # An order changes the stock of its product, and its buyer sees that at once.
    placed = buyer.call("POST", "/v1/orders", Crowd.wish(), key=uuid.uuid4().hex)
    assert placed.status == 201, placed
    changed = [path for path in paths if get(path, tags[path]).status == 200]
    before, after = (one.json["items"][0]["left"] for one in (first["/v1/products"], get("/v1/products")))
    print(f"304 for {len(tags)} addresses, for {len(kept)} after another event; after an order {changed} changed")
    assert kept == paths and changed == paths[:3] and before - after == 1


def test_anonymous_requests_of_a_network_are_limited_and_buyers_are_not(own_farm):
    market = Market(own_farm(environment={"FURROW_ANONYMOUS_RATE": "5", "FURROW_ANONYMOUS_BURST": "40"}).start(), 50, 1)
    reader, buyer = Client(market.farm.port), Client(market.farm.port, market.buyers[0])
    answers = [reader.call("GET", "/v1/products") for _ in range(80)]
    refused = [one for one in answers if one.status == 429]
    assert answers[0].status == 200 and refused, [one.status for one in answers]
    assert all(int(one.headers["retry-after"]) >= 1 for one in refused)
    assert {buyer.call("GET", "/v1/products").status for _ in range(20)} == {200}
    assert buyer.call("POST", "/v1/orders", Crowd.wish(), key=uuid.uuid4().hex).status == 201
    ops = Client(int(market.farm.services["sync-gateway/farm-0"]["ops"].rsplit(":", 1)[1]))
    metrics = ops.call("GET", "/metrics").body.decode()
    counted = re.findall(r"^furrow_anonymous_requests_refused_total\{.*\} (\d+)", metrics, re.M)
    print(f"{len(refused)} of {len(answers)} refused, {counted} counted")
    assert [int(one) for one in counted] == [len(refused)]
