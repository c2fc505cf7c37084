"""What is ordered is what was shown: the cart of this tab, at the price that stood there."""

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
