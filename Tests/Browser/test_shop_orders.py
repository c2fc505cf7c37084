"""What a buyer reads about an order: before it needs an account, while it waits, and after it was collected."""

import pytest
from story_driver import wait_until

pytestmark = pytest.mark.home("market")


def test_a_visitor_without_an_account_learns_before_the_order_that_it_needs_one(shop, gateway):
    shop.put_into_cart("apples")
    for path in ("/cart", "/checkout"):
        assert "An order needs an account" in shop.go(path).text(), path
    form = shop.page.locator('form[data-form="order"]')
    above = shop.page.locator(".account-note").bounding_box()["y"]
    assert above < form.locator("button[type=submit]").bounding_box()["y"], "it is said before the button"
    assert form.locator("button[type=submit]").inner_text() == "Save the order, then sign in"
    shop.order()
    waiting = shop.text("[data-pending]")
    assert "as soon as there is a connection" not in waiting and "Sign in or create an account" in waiting
    shop.page.locator("[data-pending] a.button").click()
    shop.page.wait_for_selector('main[data-page="sign-in"]')
    shop.sign_up("Bea", "bea@buyers.test")
    shop.go("/orders").page.wait_for_selector("[data-order]")
    assert len(gateway.orders()) == 1 and shop.page.locator("[data-pending]").count() == 0
    shop.put_into_cart("honey")
    assert "needs an account" not in shop.go("/cart").text() and "needs an account" not in shop.go("/checkout").text()


def test_an_order_says_where_to_pick_it_up_only_while_it_waits_there(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("honey")
    shop.order("market")
    shop.page.wait_for_selector("[data-order]")
    order = gateway.own("bea@buyers.test")
    path = f"/orders/{order['order']}"
    assert "Pick-up" in shop.go(path).text() and "Give your name and this number" in shop.text()
    for state, words in (("cancelled", None), ("collected", "Collected at")):
        gateway.tell("orders", order | {"state": state, "reason": "buyer"})
        shop.go(path)
        wait_until(shop.page, "state => document.querySelector('h1').innerText.toLowerCase().startsWith(state)", state)
        assert "Pick-up" not in shop.text() and "Give your name" not in shop.text(), state
        assert (words is None) == (shop.page.locator("[data-pickup]").count() == 0), state
        assert words is None or words in shop.text("[data-pickup]")
