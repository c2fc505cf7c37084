"""Queries of the market run apart from its decisions: readers do not slow orders, and buyers see what they ordered."""

import statistics
import threading
import time
import uuid

from client import Client
from market import Crowd, Market

READERS = 64


def hammer(port: int, stopping: threading.Event, counts: list[int]) -> None:
    """One anonymous reader: the list of products, over and over."""
    client, count = Client(port), 0
    while not stopping.is_set():
        count += client.call("GET", "/v1/products").status == 200
    counts.append(count)


def orders(market: Market, number: int) -> list[float]:
    """Milliseconds of each order; the next query of its buyer sees it."""
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
    market = Market(own_farm().start(), 400, 1)
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
