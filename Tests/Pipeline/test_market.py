"""A thousand clients order a hundred boxes: a hundred get one, and nobody pays for a box they did not get."""

import http.client
import json
import os
import random
import signal
import time
from collections import Counter

from client import Client, until
from market import PRICE, Crowd, Market

CLIENTS = int(os.environ.get("FURROW_CLIENTS", "1000"))
BOXES = 100
BUYERS = 40
KILLS = 4


def check(market: Market, crowd: Crowd) -> None:
    """Checks that there are as many orders as boxes, each returned to one client; then all are collected and paid."""
    counts = crowd.statuses()
    assert counts == {201: BOXES, 409: CLIENTS - BOXES}, counts
    refused = {answer["title"] for status, answer in crowd.answers.values() if status == 409}
    assert refused == {"sold-out"}
    placed = {event["data"]["order"]: event for event in market.events("order-placed")}
    won = [answer["order"] for status, answer in crowd.answers.values() if status == 201]
    assert len(placed) == BOXES and sorted(won) == sorted(placed)
    assert len(market.events("order-placed")) == BOXES
    stock = market.stock()
    assert (stock["boxes"], stock["ordered"], stock["held"], stock["free"]) == (BOXES, BOXES, 0, 0), stock
    for order in won:
        collected = market.staff.make("POST", f"/v1/sales/{order}/collections")
        assert collected["paid"] == {"minor": PRICE, "currency": "EUR"}
    captured = market.events("payment-captured")
    assert len(captured) == BOXES and {event["data"]["order"] for event in captured} == set(placed)
    assert sum(event["data"]["amount"]["minor"] for event in captured) == BOXES * PRICE
    assert market.stock()["boxes"] == 0
    # Buyers are pseudonymous, and each order has its buyer and time.
    assert all(event["actor"] == "person/" + event["data"]["buyer"] and event["time"] for event in placed.values())
    audit = market.farm.audited()
    mine = [view for view in audit["views"] if view["service"].startswith("catalog-orders")]
    journals = [journal for journal in audit["journals"] if journal["origin"] == "catalog-orders/farm-0"]
    assert len(mine) >= 12 and len(journals) == 1 and journals[0]["events"] >= 3 * BOXES
    print(f"{CLIENTS} clients, {crowd.asked} asks: {dict(counts)}; {len(placed)} placed, "
          f"{len(captured)} captured of {PRICE}; {len(mine)} tables rebuilt equal")


def test_a_thousand_clients_for_a_hundred_boxes(own_farm):
    market = Market(own_farm().start(), BOXES, BUYERS)
    began = time.monotonic()
    crowd = Crowd(market, CLIENTS).start().join()
    print(f"answered within {time.monotonic() - began:.1f} s")
    check(market, crowd)


def test_a_thousand_clients_for_a_hundred_boxes_while_the_market_is_killed(own_farm):
    market = Market(own_farm().start(), BOXES, BUYERS)
    origin = "catalog-orders/farm-0"
    chance = random.Random(20261121)
    crowd = Crowd(market, CLIENTS).start()
    seconds = []
    for _ in range(KILLS):
        # Under way: some responses have arrived since the last kill.
        before = len(crowd.answers)
        until(lambda: len(crowd.answers) > before or len(crowd.answers) == CLIENTS, 120, "a response")
        time.sleep(chance.random() * 0.05)
        pid = market.farm.pid(origin)
        seconds.append(market.farm.kill(origin))
        until(lambda: market.farm.pid(origin) != pid, 20, "run.json to name the new process")
    crowd.join()
    check(market, crowd)
    # A repeated request under the same key gets the same response.
    again = Crowd(market, 0)
    for number, key in enumerate(crowd.keys[:200]):
        client = Client(market.farm.port, market.buyers[number % BUYERS])
        assert again.ask(client, key) == crowd.answers[key]
        client.hang_up()
    assert len(market.events("order-placed")) == BOXES
    print(f"{KILLS} kills, ready again after at most {max(seconds) * 1000:.0f} ms; 200 repeated, same responses")


def test_an_order_whose_response_was_lost_gets_it_when_repeated(own_farm):
    market = Market(own_farm().start(), 5, 1)
    buyer = Client(market.farm.port, market.buyers[0])
    origin = "catalog-orders/farm-0"
    lost = 0
    for _ in range(5):
        key = os.urandom(8).hex()
        # The market's response is lost: the gateway dies before it can forward it, and the market after it.
        connection = buyer.connection(30)
        gateway = market.farm.pid("sync-gateway/farm-0")
        before = len(market.events("order-placed"))
        connection.request(
            "POST", "/v1/orders", json.dumps(Crowd.wish()),
            {"Authorization": f"Bearer {buyer.token}", "Idempotency-Key": key, "Content-Type": "application/json"})
        # As soon as the journal has the order.
        until(lambda: len(market.events("order-placed")) == before + 1, 10, "the order to be committed")
        os.kill(gateway, signal.SIGKILL)
        buyer.hang_up()
        market.farm.kill(origin)
        until(lambda: market.farm.pid("sync-gateway/farm-0") != gateway and market.farm.ready("sync-gateway/farm-0"),
              20, "the gateway to be back")
        answer = buyer.settle("POST", "/v1/orders", Crowd.wish(), key=key)
        assert answer.status == 201, answer
        placed = market.events("order-placed")
        assert len(placed) == before + 1 and placed[-1]["data"]["order"] == answer.json["order"]
        lost += 1
    assert lost == 5 and market.stock()["free"] == 0
    market.farm.audited()


def test_a_recalled_lot_blocks_its_offers_within_a_second(own_farm):
    market = Market(own_farm().start(), 20, 2)
    buyer = Client(market.farm.port, market.buyers[0])
    order = buyer.make("POST", "/v1/orders", Crowd.wish())
    buyer.make("PUT", "/v1/cart", {"lines": [{"offer": "tomatoes-1", "quantity": 3}]})
    latencies = []
    market.staff.make("POST", "/v1/lots/BOX-1/recalls", {"reason": "glass in a box"})
    began = time.monotonic()
    anybody = Client(market.farm.port)

    def offer() -> dict:
        return {row["offer"]: row for row in anybody.items("/v1/offers")}["tomatoes-1"]

    until(lambda: offer().get("closed") == "recalled", 10, "the offer to be closed", pause=0.005)
    latencies.append(time.monotonic() - began)
    refused = buyer.settle("POST", "/v1/orders", Crowd.wish())
    assert refused.status == 409 and refused.json["title"] == "recalled", refused
    assert offer()["left"] == 0
    cancelled = until(
        lambda: [one for one in buyer.items("/v1/orders") if one["state"] == "cancelled"], 10, "the cancellation")
    assert [one["order"] for one in cancelled] == [order["order"]]
    assert buyer.get("/v1/cart")["lines"] == []
    print(f"recalled: its offer was closed {max(latencies) * 1000:.0f} ms after the answer")
    assert max(latencies) < 1
    market.farm.audited()


def test_a_buyer_sees_and_erases_stored_data(own_farm):
    market = Market(own_farm().start(), 5, 1)
    buyer = Client(market.farm.port, market.buyers[0])
    buyer.make("PUT", "/v1/me/contact", {"name": "Zarquon Benson", "address": "7 Zarquon Row", "telephone": "555-0100"})
    order = buyer.make("POST", "/v1/orders", Crowd.wish())["order"]
    buyer.make("PUT", "/v1/favourites/farm/sonnhof")
    assert market.staff.get(f"/v1/sales/{order}")["contact"]["name"] == "Zarquon Benson"
    mine = buyer.get("/v1/me/export")
    assert mine["account"]["email"] == "buyer0@buyers.test"
    assert mine["market"]["contact"]["address"] == "7 Zarquon Row"
    assert [one["order"] for one in mine["market"]["orders"]] == [order]
    assert mine["market"]["favourites"] == ["farm/sonnhof"]
    gone = buyer.call("DELETE", "/v1/me")
    assert gone.status == 204, gone
    assert buyer.call("GET", "/v1/me").status == 401
    until(lambda: "contact" not in market.staff.get(f"/v1/sales/{order}"), 10, "the market to have forgotten")
    found = [path for path in market.farm.home.rglob("*") if path.is_file() and b"Zarquon" in path.read_bytes()]
    told = [event for event in market.farm.replay() if "Zarquon" in str(event) or "buyer0@" in str(event)]
    print(f"canary found in {len(found)} files and {len(told)} events")
    assert found == [] and told == []
    market.farm.audited()


def test_payment_notices_that_are_late_doubled_and_reordered_are_taken_once(own_farm):
    """Payments by a separate provider process, while the market and the gateway are killed: each is taken once."""
    count = 40
    market = Market(own_farm("--sandbox-chaos", "20261121").start(), count, 8)
    wish = Crowd.wish() | {"payment": "sandbox"}
    orders = []
    for number in range(count):
        buyer = Client(market.farm.port, market.buyers[number % 8])
        orders.append((buyer, buyer.make("POST", "/v1/orders", wish)["order"]))

    def page(buyer: Client, order: str) -> str | None:
        payments = buyer.get(f"/v1/orders/{order}")["payments"]
        return payments[-1].get("page") if payments else None

    def choose(address: str, choice: str) -> None:
        host, path = address.removeprefix("http://").split("/", 1)
        connection = http.client.HTTPConnection(host, timeout=10)
        connection.request("POST", f"/{path}", f"choice={choice}")
        assert connection.getresponse().status == 200
        connection.close()

    pages = [until(lambda: page(buyer, order), 30, f"the page of {order}") for buyer, order in orders]
    declined = {order for number, (_, order) in enumerate(orders) if number % 8 == 3}
    for number, ((_, order), address) in enumerate(zip(orders, pages)):
        choose(address, "decline" if order in declined else "approve")
        if number in (10, 25):
            market.farm.kill("catalog-orders/farm-0")
        if number == 18:
            market.farm.kill("sync-gateway/farm-0")
    paid = {order for _, order in orders} - declined

    def states() -> dict[str, str]:
        return {one["order"]: one["payments"][-1]["state"] for one in market.staff.items("/v1/sales")}

    until(lambda: Counter(states().values()) == {"captured": len(paid), "failed": len(declined)}, 60,
          "every payment to be captured or failed", pause=0.3)
    captured = market.events("payment-captured")
    assert sorted(event["data"]["order"] for event in captured) == sorted(paid)
    assert sum(event["data"]["amount"]["minor"] for event in captured) == len(paid) * PRICE
    # A declined payment is tried again, by two taps at once: one more payment, and the money is taken once.
    tried, again = next(pair for pair in orders if pair[1] in declined)
    taps = [tried.settle("POST", f"/v1/orders/{again}/payments") for _ in range(2)]
    assert sorted(tap.status for tap in taps) == [201, 409], taps
    choose(pages[orders.index((tried, again))], "approve")
    choose(until(lambda: page(tried, again), 30, "the page of the second try"), "approve")
    declined.remove(again)
    until(lambda: states()[again] == "captured", 30, "the second try to be captured", pause=0.1)
    captured = market.events("payment-captured")
    assert sorted(event["data"]["order"] for event in captured) == sorted([*paid, again])
    assert tried.get(f"/v1/orders/{again}")["paid"]["minor"] == PRICE
    # One order is cancelled and one partly refunded: the money goes back once.
    buyer, order = next(pair for pair in orders if pair[1] in paid)
    buyer.make("POST", f"/v1/orders/{order}/cancellations")
    other = next(one for _, one in reversed(orders) if one in paid)
    market.staff.make("POST", f"/v1/sales/{other}/refunds", {"amount": {"minor": 290, "currency": "EUR"},
                                                             "reason": "bruised"})
    back = until(lambda: len(market.events("payment-refunded")) == 2 and market.events("payment-refunded"), 30,
                 "both refunds to be told")
    assert sorted(event["data"]["amount"]["minor"] for event in back) == [290, PRICE]
    refused = market.staff.settle("POST", f"/v1/sales/{sorted(declined)[0]}/collections")
    assert refused.status == 409 and refused.json["title"] == "unpaid", refused
    sent = [event for event in market.farm.replay("sync-gateway/farm-0")
            if event["type"] == "farm.furrow.sync.message-sent.v1"]
    asked = market.events("payment-requested") + market.events("order-refunded") + market.events("payment-voided")
    assert len(market.events("payment-requested")) == count + 1
    assert sorted(event["data"]["message"] for event in sent) == sorted(event["id"] for event in asked)
    print(f"{len(captured)} captured once, {len(declined)} declined, {len(back)} refunded, {len(sent)} messages sent")
    market.farm.audited()
