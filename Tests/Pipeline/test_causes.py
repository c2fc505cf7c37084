"""Events record their cause: an auditor finds all effects of one request, in any journal."""

import uuid

from client import Client, until
from market import Crowd, Market

#: A request's name in the caller's tracing system (W3C Trace Context).
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_all_effects_of_a_recall_are_found_by_its_correlation(own_farm):
    farm = own_farm().start()
    market = Market(farm, boxes=5, buyers=2)
    orders = [Client(farm.port, buyer).make("POST", "/v1/orders", Crowd.wish())["order"] for buyer in market.buyers]
    answer = market.staff.call(
        "POST", "/v1/lots/BOX-1/recalls", {"reason": "glass in a box"}, key=uuid.uuid4().hex,
        headers={"traceparent": TRACE})
    assert answer.status in (200, 201), answer

    def brought_about() -> list[dict]:
        events = farm.replay()
        recall = [event for event in events if event["type"] == "farm.furrow.trace.lot-recalled.v1"]
        found = [event for event in events if recall and event.get("correlationid") == recall[0]["correlationid"]]
        cancelled = [event["data"]["order"] for event in found if event["type"].endswith("order-cancelled.v1")]
        return found if sorted(cancelled) == sorted(orders) else []

    found = until(brought_about, 20, "the recall and the orders it cancelled under one correlation")
    recall = next(event for event in found if event["type"].endswith("lot-recalled.v1"))
    assert all(event.get("traceparent") == TRACE for event in found), found
    effects = [event for event in found if event["source"] == "/catalog-orders/farm-0"]
    assert all(event["causationid"] == recall["id"] for event in effects), effects
    # Events of other requests have another correlation id, and no trace without one in the request.
    others = [event for event in farm.replay() if event["type"].endswith("order-placed.v1")]
    assert len({event["correlationid"] for event in others} | {recall["correlationid"]}) == len(orders) + 1
    assert not any("traceparent" in event for event in others)
    assert len(effects) >= len(orders) + 1
    print(f"one recall: {len(found)} events by one correlation, {len(effects)} of them the market's")
