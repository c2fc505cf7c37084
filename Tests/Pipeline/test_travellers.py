"""Travellers in three networks: a bus with a node, a platform where phones meet, and the farm that both cannot reach.

What a phone has seen in the bus, another one has from it at the platform; an order made there is taken along by the
bus, and happens once. The node and the phones are FarmClient and furrow-node as they are shipped, in namespaces.
"""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from client import until
from machines import Machines, has_namespaces, inside
from market import Market
from test_farm_client import Phone
from test_node_network import FARM, PORT, WIFI, Line, bus, start_node  # noqa: F401
from test_sharing import Sharer

pytestmark = pytest.mark.skipif(not has_namespaces(), reason="SKIPPED: this kernel has no network namespaces for us")
BUS_NODE = ("--neighbour", f"http://{WIFI}:{PORT}")
#: Sharing with an address at which there is no neighbour.
ALONE = ("--neighbour", "http://127.0.0.1:1")


@pytest.fixture
def platform():
    """A network with two phones, and no way to the farm."""
    network = Machines("ann", "ben")
    yield network
    network.destroy()


def milliseconds(action: Callable[[], object], phone: Phone) -> float:
    """How long an action of the app takes, without its start."""
    began = time.monotonic()
    phone.does("me")
    started = time.monotonic()
    action()
    return ((time.monotonic() - started) - (started - began)) * 1000


def test_what_was_seen_in_the_bus_is_had_at_the_platform_and_an_order_made_there_happens_once(
        own_farm, bus, platform, tmp_path: Path):  # noqa: F811
    farm = own_farm().start()
    market = Market(farm, 10, 0)
    label = market.staff.make("POST", "/v1/lots/BOX-1/labels", {})["labels"][0]["url"]
    link = Line(FARM, farm.port)
    server = f"http://{FARM}:{link.port}"
    ann, ben = Phone(server, tmp_path / "ann"), Phone(server, tmp_path / "ben")

    # Both have met the farm at home, and so have its key.
    for phone, name in ((ann, "ann"), (ben, "ben")):
        phone.does("sign-up", name.title(), f"{name}@buyers.test", "battery staple", *ALONE)
        until(lambda phone=phone: phone.does("sync", *ALONE) and "tomatoes-1" in phone.names("offers"), 30, "the offer")
    market.staff.make("PUT", "/v1/products/tomatoes", {"title": "Ripe tomatoes", "unit": "box"})

    # In the bus, whose node has a network: the phones reach the node alone.
    node = start_node(bus, link, tmp_path / "node")
    with inside(bus.phones):
        # At first the node has not reached the farm.
        synced = until(lambda: (one := ann.does("sync", *BUS_NODE)).get("news") and one, 60, "the news by the node")
        story = until(lambda: (one := ann.does("story", label, *BUS_NODE))["source"].startswith("node") and one, 60,
                      "the story by the node")
    assert story["isLabelSigned"] and story["lot"] == "BOX-1" and synced["source"].startswith("node")
    bus.cut()

    # From the platform there is no way to the farm or the bus.
    with inside(platform.space("ann")):
        sharer = Sharer(ann, at=platform.address("ann"))
    named = ("--neighbour", sharer.address)
    with inside(platform.space("ben")):
        taken: dict = {}
        records_took = milliseconds(lambda: taken.update(synced=ben.does("sync", *named)), ben)
        story_took = milliseconds(lambda: taken.update(story=ben.does("story", label, *named)), ben)
        promise = ben.does("order", "tomatoes-1", 2, "barn", *named)["promise"]["id"]
        assert ben.does("sync", *named)["sent"] == 0
    sharer.end()
    for what in ("synced", "story"):
        assert taken[what]["source"] == f"client {sharer.address}", taken[what]
    assert taken["story"]["isLabelSigned"] and taken["synced"]["news"] == 1

    # Ben's order goes with the bus, and happens once, however often the link is cut.
    with inside(bus.phones):
        assert until(lambda: ben.does("sync", *BUS_NODE)["carried"] == 1, 60, "the node to take the order")
    assert len(orders(market)) == 0
    for _ in range(3):
        bus.join()
        time.sleep(0.2)
        bus.cut()
    bus.join()
    with inside(bus.phones):
        until(lambda: not ben.does("sync", *BUS_NODE)["carried"] and not ben.does("promises")["promises"], 90,
              "the order to be at the farm")
    until(lambda: orders(market), 30, "the order in the journal")
    print(f"travellers: records {synced['source'].split()[0]} to {taken['synced']['source'].split()[0]} in "
          f"{records_took:.0f} ms, the story in {story_took:.0f} ms; order {promise[:8]} carried by the node, "
          f"{len(orders(market))} at the farm")
    assert len(orders(market)) == 1
    assert node.process and node.process.poll() is None
    link.close()
    farm.audited()


def orders(market: Market) -> list:
    return market.events("order-placed")
