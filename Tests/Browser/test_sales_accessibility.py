"""Every page about selling, on a phone and on a desk: filled, empty, with errors, offline; axe finds nothing."""

from datetime import UTC, datetime

import pytest
from conftest import LOOKS
from nightly import NIGHTLY
from staff_driver import StaffPages
from test_accessibility import look_at_all

PAGES = {
    "/market": "orders", "/market/at/gate": "orders-of-a-place", "/market/products": "products",
    "/market/products/tomatoes": "product", "/market/stock": "stock", "/market/places": "places",
    "/market/farm": "farm", "/market/orders/none": "no-such-order", "/market/products/none": "no-such-product",
}
#: What is kept for days without a network.
KEPT = ("/market", "/market/at/gate", "/market/products", "/market/stock", "/market/places")
looked: list[str] = []


def show(pages: StaffPages, state: str, name: str, pictures) -> None:
    pages.page.evaluate("scrollTo(0, 0)")
    look_at_all(pages.page, f"sales-{state}-{name}", pictures)
    looked.extend(f"{state}-{name}-{screen}-{scheme}" for screen, scheme in LOOKS)


def unsaid(order: str, about: str) -> dict:
    """A message of this moment that was given up."""
    return {"message": about, "at": datetime.now(UTC).isoformat(), "to": "mail" if about == "recall" else "sandbox",
            "order": order, "about": about, "reason": "nobody answered"}


@pytest.mark.home("orders", "--sandbox-pay")
def test_filled_pages_errors_and_days_without_network(gateway, staff, pictures):
    orders = gateway.told.orders
    pages = staff("administrator", reduced_motion="reduce")
    for path, name in (PAGES | {f"/market/orders/{orders[0]}": "order", f"/market/orders/{orders[2]}": "paid"}).items():
        pages.go(path)
        show(pages, "filled", name, pictures)
    pages.page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    show(pages, "filled", "paid-unfolded", pictures)
    pages.send("call-off")
    show(pages, "error", "order", pictures)
    pages.go("/market/products/tomatoes")
    pages.page.get_by_role("button", name="Change the price of L-1").click()
    show(pages, "filled", "price", pictures)
    pages.page.keyboard.press("Escape")
    pages.send("publish-offer")
    show(pages, "error", "product", pictures)
    pages.go("/market/products")
    pages.send("list-product", title="Plums")
    show(pages, "error", "products", pictures)
    pages.go("/market/places")
    pages.send("open-pickup", latitude="95")
    show(pages, "error", "places", pictures)
    pages.go("/market/stock")
    pages.page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    show(pages, "filled", "stock-unfolded", pictures)
    failed = [unsaid(orders[0], about) for about in ("recall", "payment", "cancellation", "refund")]
    gateway.override["GET /v1/messages/given-up"] = (200, {"items": failed, "next": None})
    for path, name in {f"/market/orders/{orders[0]}": "order", "/market": "orders", "/operations": "server"}.items():
        pages.go(path)
        pages.page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
        show(pages, "unsaid", name, pictures)
    gateway.recall("L-1", "A sheet of glass broke in house 2")
    for path, name in {"/market/products": "products", "/market/products/tomatoes": "product",
                       "/market/stock": "stock"}.items():
        pages.go(path)
        pages.page.wait_for_selector(".lot-alarm")
        show(pages, "recalled", name, pictures)
    pages.ready()
    for path in KEPT:
        pages.go(path)
    gateway.stop()
    for path in KEPT:
        pages.page.goto("about:blank")
        pages.go(path)
        pages.page.wait_for_selector(".as-of")
        show(pages, "offline", PAGES[path], pictures)
    pages.page.goto("about:blank")
    pages.go(f"/market/orders/{orders[0]}")
    show(pages, "offline", "order", pictures)
    pages.page.goto("about:blank")
    pages.go("/market")
    pages.page.locator("[data-hand-out]").first.click()
    pages.page.wait_for_selector("[data-given]")
    show(pages, "offline", "given-out", pictures)


@pytest.mark.shared
def test_pages_of_a_farm_that_sells_nothing_yet(staff, pictures):
    pages = staff("administrator", reduced_motion="reduce")
    for path, name in PAGES.items():
        pages.go(path)
        show(pages, "empty", name, pictures)


def test_enough_pages_about_selling_were_looked_at():
    print(f"pages about selling without a violation: {len(looked)}")
    assert len(looked) >= (120 if NIGHTLY else 60) and len(set(looked)) == len(looked)
