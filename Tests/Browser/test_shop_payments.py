"""The buyers' pages: payments online and at the pick-up."""

import urllib.request

import pytest
from gateway import until
from story_driver import wait_until

pytestmark = pytest.mark.home("market")
ONLINE = pytest.mark.home("market", "--sandbox-pay")
BEA = "bea@buyers.test"

#: Whether the device knows of a way to pay.
KEPT_PAYMENTS = """async (name) =>
    (await (await import("/assets/js/common/storage.js")).readValue("payments"))?.includes(name) === true"""


def test_where_no_provider_is_connected_orders_are_paid_at_the_pick_up(shop):
    shop.put_into_cart("honey")
    assert shop.go("/checkout").page.locator('[name="payment"]').count() == 0


@ONLINE
def test_an_online_payment_waits_fails_is_paid_and_goes_back_in_words(shop, gateway):
    shop.sign_up("Bea", BEA)
    shop.go("/")
    wait_until(shop.page, KEPT_PAYMENTS, "sandbox")
    shop.put_into_cart("honey")
    shop.order("market", "sandbox")

    def payment() -> dict:
        """The newest attempt to pay the order."""
        return (gateway.own(BEA).get("payments") or [{}])[-1]

    until(lambda: payment().get("state") == "opened", 20, "the payment page to be opened")
    order = gateway.own(BEA)

    def shows(words: str) -> None:
        shop.go(f"/orders/{order['order']}")
        wait_until(shop.page, "words => document.querySelector('[data-payment]').innerText.includes(words)", words)

    def told(words: str, **members) -> None:
        gateway.tell("orders", order | members)
        shows(words)

    def decide(choice: str, state: str) -> None:
        """The buyer approves or declines on the provider's page."""
        page = payment()["page"]
        with urllib.request.urlopen(page, f"choice={choice}".encode()) as answer:
            assert answer.status == 200
        until(lambda: payment()["state"] == state, 20, f"the payment to be {state}")

    told("The payment page is being created", payments=[{"state": "requested"}])
    told("Not paid yet. Your boxes are reserved until")
    pay = shop.page.get_by_role("link", name="Pay $14.00 now")
    assert pay.get_attribute("href") == order["payments"][-1]["page"]
    assert "Pay now" in shop.go("/orders").text("[data-order]")
    decide("decline", "failed")
    shows("The payment failed")
    assert pay.count() == 0
    again = shop.page.get_by_role("button", name="Retry payment")
    again.click()
    until(lambda: payment()["state"] == "opened", 20, "another payment page to be opened")
    second = payment()["page"]
    assert second != order["payments"][-1]["page"]
    shop.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(shop.page, "page => document.querySelector('[data-payment] a.button')?.href === page", second)
    assert again.count() == 0
    assert gateway.sent("POST", f"/v1/orders/{order['order']}/payments") == 1
    decide("approve", "captured")
    shows("Paid: $14.00")
    back = {"minor": 1400, "currency": "USD"}
    order = gateway.own(BEA)
    told("$14.00 is being refunded", state="cancelled", reason="staff", paid=order["total"], refunded=back)
    told("$14.00 was refunded", state="cancelled", paid=order["total"], refunded=back, returned=back)


@ONLINE
def test_without_a_network_orders_are_paid_at_the_pick_up(shop, gateway):
    shop.sign_up("Bea", BEA)
    shop.put_into_cart("honey")
    assert shop.go("/checkout").page.locator('[name="payment"]').count() == 1
    shop.ready()
    gateway.stop()
    shop.go("/checkout").page.wait_for_selector('[data-bar="offline"]')
    wait_until(shop.page, "document.querySelector('[name=\"payment\"]') === null")
    assert "Cash on pickup" in shop.text()
