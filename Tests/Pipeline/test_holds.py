"""A spray that is recorded after the harvest puts the lot on hold: labels, sale and hand-over stop at once, and
continue once a person has released it.
"""

import time
from datetime import UTC, datetime, timedelta

from client import Client, until
from market import Crowd, Market


def recorded_late(staff: Client) -> float:
    """Records a spray after which the harvest was too early; returns the time of the response."""
    sprayed = datetime.now(UTC) - timedelta(days=2)
    staff.make("POST", "/v1/plots/p1/activities", {
        "kind": "plant-protection", "substance": "Deltamethrin", "amount": 1, "unit": "l", "waitingDays": 14,
        "happened": sprayed.isoformat().replace("+00:00", "Z")})
    return time.monotonic()


def refused(client: Client, path: str, body: dict) -> str:
    """Returns the kind of a rejection; an empty string if the change succeeds."""
    answer = client.settle("POST", path, body)
    return answer.json["type"].rsplit(":", 1)[1] if answer.status >= 400 else ""


def test_a_spray_recorded_late_stops_labels_sale_and_handover_until_a_person_releases_the_lot(own_farm):
    market = Market(own_farm().start(), boxes=20, buyers=1)
    staff, buyer = market.staff, Client(market.farm.port, market.buyers[0])

    def offer() -> dict:
        return next(one for one in buyer.items("/v1/offers") if one["offer"] == "tomatoes-1")

    bought = buyer.make("POST", "/v1/orders", Crowd.wish())["order"]
    assert refused(staff, "/v1/lots/BOX-1/labels", {}) == "" and offer().get("closed") is None

    answered = recorded_late(staff)
    # The hold is in the same commit as the activity: a request after the response is refused.
    assert refused(staff, "/v1/lots/BOX-1/labels", {}) == "held"
    assert staff.call("GET", "/v1/lots/BOX-1/labels.pdf").status == 409
    assert refused(staff, "/v1/lots/BOX-1/handovers", {"to": "The market"}) == "held"
    [hold] = staff.items("/v1/holds")
    assert hold["lot"] == "BOX-1" and hold["reason"].startswith("Deltamethrin of ")
    # The market consumes it from the hub.
    until(lambda: offer().get("closed") == "held", 10, "the offer is held", pause=0.01)
    took = time.monotonic() - answered
    assert refused(buyer, "/v1/orders", Crowd.wish()) == "held"
    assert refused(staff, f"/v1/sales/{bought}/collections", {}) == "held"
    story = Client(market.farm.port).get("/v1/lots/BOX-1/passport")
    assert story["bytes"]

    assert staff.settle("POST", "/v1/lots/BOX-1/releases", {}).status == 400, "a reason is needed"
    staff.make("POST", "/v1/lots/BOX-1/releases", {"reason": "The laboratory found nothing"})
    assert staff.items("/v1/holds") == [] and refused(staff, "/v1/lots/BOX-1/labels", {}) == ""
    until(lambda: offer().get("closed") is None, 10, "the offer is open again", pause=0.01)
    assert refused(buyer, "/v1/orders", Crowd.wish()) == ""
    assert refused(staff, f"/v1/sales/{bought}/collections", {}) == ""
    events = market.farm.replay()
    [released] = [event for event in events if event["type"] == "farm.furrow.trace.lot-released.v1"]
    person = staff.get("/v1/me")["person"]
    assert person in released["actor"] and released["data"]["reason"] == "The laboratory found nothing"
    market.farm.audited()
    print(f"labels and hand-over refused with the answer, the offer held {took * 1000:.0f} ms after it")
