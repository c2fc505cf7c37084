"""Promotions that reach buyers on their devices: asked for on the settings page, decrypted by another library."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from conftest import PHONE
from gateway import Gateway, until
from loma_farm import STAFF
from loma_market import sign_up
from notification_sinks import Phone, Receiver
from shop_driver import Shop
from staff_driver import StaffPages
from story_driver import wait_until
from test_accessibility import look
from test_notifications import SUBSCRIBES, browser  # noqa: F401

NOTIFIED = "farm.furrow.sync.promotion-notified.v1"
BEA = "bea.notified@buyers.test"


def zone_at_noon() -> str:
    """A time zone in which it is about noon, because people are notified by day."""
    ahead = 12 - datetime.now(UTC).hour
    return "Etc/GMT" if ahead == 0 else f"Etc/GMT{'-' if ahead > 0 else '+'}{abs(ahead)}"


class Market:
    """A farm where it is noon, with honey for sale, and a push service."""

    def __init__(self):
        self.push = Receiver(201)
        self.gateway = Gateway("market", environment={"FURROW_PUSH_NETWORKS": "127.0.0.1"})

    def open(self) -> "Market":
        client = self.gateway.client
        client.make("POST", "/v1/farms", {"farm": "noon", "title": "Noon Farm", "zone": zone_at_noon()})
        client.make("POST", "/v1/plots", {"farm": "noon", "plot": "noon-1", "title": "Hill"})
        client.make("POST", "/v1/lots", {"lot": "N-1", "product": "Honey", "plot": "noon-1", "grams": 10_000})
        client.make("POST", "/v1/lots/N-1/packings", {"boxes": 10, "gramsEach": 1000})
        until(lambda: client.settle("PUT", "/v1/stock/N-1", {"boxes": 10}).status == 200, 20, "the lot in the market")
        client.make("POST", "/v1/products", {"product": "noon-honey", "farm": "noon", "title": "Noon honey", "unit": "jar",
                                             "category": "sweets"})
        client.make("POST", "/v1/offers", {"product": "noon-honey", "lot": "N-1",
                                           "price": {"minor": 900, "currency": "USD"}})
        return self

    def publish(self, name: str, **rule) -> None:
        now = datetime.now(UTC)
        text = "%Y-%m-%dT%H:%M:%SZ"
        self.gateway.client.make("PUT", f"/v1/promotions/{name}", {
            "title": "Last jars", "text": "From this summer.", "product": "noon-honey", "notifies": True,
            "from": (now - timedelta(hours=1)).strftime(text), "until": (now + timedelta(days=2)).strftime(text)} | rule)

    def close(self) -> None:
        self.push.close()
        self.gateway.destroy()


@pytest.fixture
def market():
    market = Market()
    try:
        yield market.open()
    finally:
        market.close()


def test_a_buyer_asks_for_promotions_and_the_device_gets_one_a_day(market, new_phone, pictures):
    gateway = market.gateway
    context = new_phone(viewport=PHONE)
    context.grant_permissions(["notifications"], origin=gateway.url)
    shop = Shop(context, gateway.url)
    shop.sign_up("Bea", BEA)
    shop.go("/settings")
    assert "at most once a day" in shop.text("#notifications")
    phone = Phone(market.push, "bea")
    shop.page.evaluate(f"({SUBSCRIBES})({json.dumps(phone.subscription)})")
    shop.page.get_by_role("button", name="Notify me on this device").click()
    shop.page.wait_for_selector("#notifications li")
    assert "(this device)" in shop.text("#notifications")
    # The hours of the day are hers to choose; it is noon at the farm.
    form = shop.page.locator("form[data-form=promotion-hours]")
    assert [form.locator(f"[name={name}]").input_value() for name in ("from", "to")] == ["08:00", "20:00"]
    form.locator("[name=from]").fill("06:30")
    form.locator("[name=to]").fill("19:00")
    form.locator("button[type=submit]").click()
    wait_until(shop.page, "document.querySelector('#announcements').textContent === 'Saved.'")
    hours = gateway.person(BEA).get("/v1/me/channels")["promotionHours"]
    assert hours == {"from": "06:30", "to": "19:00"}
    for scheme in ("light", "dark"):
        look(shop.page, "notifications", "phone", scheme, pictures)

    staff = StaffPages(new_phone(viewport=PHONE), gateway.url)
    staff.sign_in(STAFF["grower"])
    staff.go("/market/promotions")
    staff.send("publish-promotion", about="product noon-honey", title="Last jars", text="From this summer.", notifies="yes",
               heldBackPercent="0")
    assert "buyers are notified on their devices" in staff.text("[data-promotion=last-jars]")
    until(lambda: len(phone.taken()) == 1, 40, "the notification")
    (sent,) = phone.taken()
    message = phone.message(sent, gateway.person(BEA).get("/v1/me/channels")["pushKey"])
    assert message == {"title": "Last jars", "body": "From this summer.", "link": "/products/noon-honey",
                       "tag": sent.headers["topic"]}
    assert sent.headers["urgency"] == "normal"

    # Another on the same day reaches a second buyer and not the first.
    cid = sign_up(gateway.farm, "Cid", "cid.notified@buyers.test")
    other = Phone(market.push, "cid")
    cid.make("POST", "/v1/me/channels", other.subscription)
    market.publish("more", title="More jars", priority=9)
    until(lambda: len(other.taken()) == 1, 40, "the notification of the second buyer")
    assert len(phone.taken()) == 1
    assert other.message(other.taken()[0], cid.get("/v1/me/channels")["pushKey"])["title"] == "More jars"
    people = [event["data"]["people"] for event in gateway.farm.replay() if event["type"] == NOTIFIED]
    assert sorted(map(len, people)) == [1, 1] and people[0] != people[1]
    refused = gateway.client.call("PUT", "/v1/promotions/near", {
        "title": "Near", "product": "noon-honey", "notifies": True, "county": "Greene",
        "from": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"})
    assert refused.status == 422 and "known to their devices" in refused.json["detail"], refused
    gateway.farm.audited()

    shop.page.get_by_role("button", name="Remove").first.click()
    shop.page.wait_for_selector("#notifications li", state="detached")
    wait_until(shop.page, "document.querySelector('#announcements').textContent.includes('not notified any more')")
