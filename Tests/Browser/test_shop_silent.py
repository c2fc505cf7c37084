"""The buyers' pages in a browser whose own store takes requests and never answers them."""

import pytest
from shop_driver import Shop

pytestmark = [pytest.mark.home("market"), pytest.mark.shared]


def test_a_store_that_never_answers_is_told_and_not_waited_for(gateway, new_phone):
    context = new_phone()
    context.add_init_script("IDBFactory.prototype.open = () => new EventTarget();")
    shop = Shop(context, gateway.url)
    shop.go("/shop")
    assert "This browser’s storage does not respond" in shop.text()
    assert shop.page.get_by_role("button", name="Try again").count() == 1
