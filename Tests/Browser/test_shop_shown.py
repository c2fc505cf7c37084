"""What is ordered is what was shown: the cart of this tab, at the price that stood there."""

from story_driver import wait_until
from test_shop import ordered


def test_what_another_tab_put_into_the_cart_or_has_ordered_is_neither_lost_nor_ordered_twice(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("honey")
    other = shop.another_tab()
    ordering = 'form[data-form="order"] button[type=submit]'
    shop.go("/checkout")
    other.put_into_cart("carrots")
    # What somebody has begun to choose is not redrawn under their hands.
    other.go("/checkout").page.locator('[name="pickup"]').select_option("gate")
    shop.page.locator(ordering).click()
    shop.page.wait_for_selector('[data-bar="warning"]')
    assert "cart has changed" in shop.bar() and gateway.api.market.orders == 0 and shop.held()["outbox"] == []
    assert "Sourwood honey" in shop.text() and "Carrots" in shop.text()
    shop.page.locator(ordering).click()
    shop.page.wait_for_selector("[data-order]")
    other.page.locator(ordering).click()
    other.page.wait_for_selector('[data-bar="warning"]')
    assert "The cart is empty" in other.text() and gateway.api.market.orders == 1
    assert [line["product"] for line in ordered(shop, gateway)["lines"]] == ["honey", "carrots"]
    assert other.problems == []


def test_who_reads_with_the_keyboard_stays_where_they_are_when_somebody_buys(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.go("/farms/loma").page.locator(".heart").first.click()
    shop.page.wait_for_selector('.heart[aria-pressed="true"]')
    shop.put_into_cart("honey")
    shop.order()
    shop.page.wait_for_selector("[data-order]")
    places = [("/shop", 'main a[href="/products/apples"]'), ("/shop", "main h1"), ("/shop", '.menu a[href="/cart"]'),
              ("/orders", 'main button:text("Cancel order")'), ("/directory/favourites", 'main button:text("Remove")')]
    for left, (path, selector) in enumerate(places):
        shop.go(path).page.locator(selector).first.focus()
        before = shop.page.evaluate("document.activeElement.innerText")
        shop.page.evaluate("document.querySelector('main h1').dataset.old = ''")
        gateway.api.market.change("lots", "L-1", free=left)
        shop.page.evaluate("dispatchEvent(new Event('online'))")
        wait_until(shop.page, "document.querySelector('main h1:not([data-old])') !== null")
        assert shop.page.evaluate("document.activeElement.innerText") == before, (path, selector)


def test_that_a_price_had_changed_is_told_until_the_order_is_changed(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("honey")
    gateway.api.market.change("offers", "off-honey", price={"minor": 1500, "currency": "USD"})
    shop.order()
    shop.page.wait_for_selector("[data-order]")
    order = f"/orders/{ordered(shop, gateway)['order']}"
    # What was pulled since is of the server, which does not know what was shown here.
    shop.page.evaluate("dispatchEvent(new Event('online'))")
    for _ in range(2):
        assert "A price had changed: you were shown $14.00" in shop.go(order).text() and "$15.00" in shop.text()
        gateway.api.market.put("orders", ordered(shop, gateway), order.split("/")[-1],
                               next(iter(gateway.api.accounts)))
        shop.go("/orders").page.wait_for_timeout(500)
    shop.go(order + "/change")
    shop.page.get_by_role("button", name="One more: Sourwood honey").click()
    shop.page.get_by_role("button", name="Save the change").click()
    shop.page.wait_for_selector('main[data-page="order"]')
    assert "$30.00" in shop.text() and "had changed" not in shop.text()
