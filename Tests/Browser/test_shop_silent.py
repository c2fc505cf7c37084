"""The buyers' pages in a browser whose own store takes questions and never answers them."""

from sample_market import sample_market
from shop_driver import Shop


def test_a_store_that_never_answers_is_told_and_not_waited_for(gateway, new_phone):
    gateway.api.market = sample_market()
    context = new_phone()
    context.add_init_script("IDBFactory.prototype.open = () => new EventTarget();")
    shop = Shop(context, gateway.url)
    shop.go("/shop")
    assert "This browser’s storage does not respond" in shop.text()
    assert shop.page.get_by_role("button", name="Try again").count() == 1
