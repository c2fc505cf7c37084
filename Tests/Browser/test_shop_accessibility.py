"""Every page of the shop, on a phone and on a desk: filled, empty, with errors, offline; axe finds nothing."""

import pytest
from conftest import LOOKS
from gateway import until
from loma_market import pulled
from nightly import NIGHTLY
from shop_driver import Shop
from story_driver import wait_until
from test_accessibility import look_at_all

PAGES = {
    "/": "start", "/directory": "counties", "/directory/map": "map", "/directory/all": "all",
    "/directory/favourites": "favourites", "/directory/county/Greene": "county", "/farms/loma": "farm", "/shop": "shop",
    "/products/tomatoes": "product", "/cart": "cart", "/checkout": "checkout", "/orders": "orders",
    "/settings": "settings", "/sign-in": "sign-in", "/forgot": "forgot", "/reset": "reset", "/farms/nobody": "missing",
}
BEA = "bea@buyers.test"
looked: list[str] = []


def show(shop: Shop, state: str, name: str, pictures) -> None:
    shop.page.evaluate("scrollTo(0, 0)")
    look_at_all(shop.page, f"shop-{state}-{name}", pictures)
    looked.extend(f"{state}-{name}-{screen}-{scheme}" for screen, scheme in LOOKS)


@pytest.mark.home("market", "--sandbox-pay")
def test_filled_pages_updates_errors_and_days_without_network(gateway, new_phone, pictures):
    # The test decides itself when its pages hear of what is new.
    gateway.override["GET /v1/sync/live"] = (404, {"status": 404})
    shop = Shop(new_phone(reduced_motion="reduce"), gateway.url)
    shop.go("/").ready()
    shop.sign_up("Bea", BEA)
    shop.put_into_cart("tomatoes")
    shop.order()
    shop.page.wait_for_selector("[data-order]")
    shop.page.locator("[data-order] a").first.click()
    shop.page.wait_for_selector('main[data-page="order"]')
    show(shop, "filled", "order", pictures)
    name = shop.page.url.rsplit("/", 1)[1]
    shop.page.get_by_role("button", name="Cancel order").click()
    show(shop, "filled", "cancel", pictures)
    shop.page.get_by_role("button", name="Keep order").click()
    shop.go(f"/orders/{name}/change")
    show(shop, "filled", "change-order", pictures)
    shop.put_into_cart("carrots")
    shop.go("/checkout")
    show(shop, "filled", "checkout-online", pictures)
    shop.order("market", "sandbox")
    online, bea = shop.page.url.rsplit("/", 1)[1], gateway.person(BEA)

    def opened() -> dict | None:
        """The order, once it can be paid."""
        order = pulled(bea, "orders").get(online, {})
        return order if (order.get("payments") or [{}])[-1].get("state") == "opened" else None

    body = until(opened, 20, "the payment page to be opened")
    shop.go(f"/orders/{online}").page.wait_for_selector('a.button:has-text("Pay $3.10 now")')
    show(shop, "filled", "to-be-paid", pictures)
    for state, words in {"failed": "failed", "captured": "Paid", "requested": "being created"}.items():
        more = {"paid": body["total"]} if state == "captured" else {}
        gateway.tell("orders", body | {"payments": [{"state": state}]} | more)
        shop.go(f"/orders/{online}")
        wait_until(shop.page, "words => document.querySelector('[data-payment]').innerText.includes(words)", words)
        show(shop, state, "order", pictures)
    shop.go("/farms/loma").page.locator(".heart").click()
    shop.page.wait_for_selector('.heart[aria-pressed="true"]')
    shop.put_into_cart("lettuce", 2)
    shop.put_into_cart("honey")
    for path, page in PAGES.items():
        shop.go(path)
        show(shop, "filled", page, pictures)
    shop.go("/sign-in").page.locator('form[data-form="sign-up"] button').click()
    show(shop, "error", "sign-in", pictures)
    gateway.set_free("L-6", 1)
    shop.go("/cart").page.wait_for_selector("[role=alert]")
    show(shop, "error", "cart", pictures)
    gateway.recall("L-1", "A sheet of glass broke in house 2")
    shop.go("/orders").page.wait_for_selector(".lot-alarm")
    show(shop, "error", "orders", pictures)
    shop.go(f"/orders/{name}")
    shop.page.wait_for_selector(".alarm")
    show(shop, "error", "order", pictures)
    gateway.describe("carrots", title="Carrots ‘Nantes’")
    gateway.tell("products", {"id": "broken"})
    shop.go("/").page.wait_for_selector('[data-key="apply"]')
    show(shop, "updates", "start", pictures)
    shop.page.locator('[data-key="apply"]').click()
    shop.page.wait_for_selector('[data-bar="warning"]')
    show(shop, "updated", "start", pictures)
    gateway.stop()
    for path, page in (PAGES | {f"/orders/{online}": "order", f"/orders/{name}/change": "change-order"}).items():
        shop.go(path).page.wait_for_selector('[data-bar="offline"]')
        show(shop, "offline", page, pictures)
    assert shop.problems == []


@pytest.mark.home("first-day")
@pytest.mark.shared
def test_pages_of_a_market_that_has_nothing_yet(gateway, new_phone, pictures):
    shop = Shop(new_phone(reduced_motion="reduce"), gateway.url)
    for path, name in PAGES.items():
        shop.go(path)
        show(shop, "empty", name, pictures)
    assert shop.problems == []


def test_enough_pages_of_the_shop_were_looked_at():
    print(f"shop pages without a violation: {len(looked)}")
    assert len(looked) >= (210 if NIGHTLY else 105) and len(set(looked)) == len(looked)
