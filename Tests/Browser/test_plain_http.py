"""The pages over plain http under a name of the local network, where browsers offer neither workers nor signatures."""

import pytest
from gateway import STAFF
from shop_driver import Shop
from staff_driver import StaffPages
from story_driver import plain

pytestmark = [pytest.mark.home("market"), pytest.mark.shared]


@pytest.fixture
def plain_phone(playwright, launch, gateway):
    """A browser for which farm.test is the gateway: an address that it does not trust."""
    options = launch | {"args": [*launch["args"], "--host-resolver-rules=MAP farm.test 127.0.0.1"]}
    browser = playwright.chromium.launch(**options)
    yield browser.new_context(viewport={"width": 390, "height": 800})
    browser.close()


def test_over_plain_http_the_pages_promise_only_what_is_possible(gateway, plain_phone, pictures):
    shop = Shop(plain_phone, f"http://farm.test:{gateway.port}")
    words = shop.go("/settings").text()
    assert shop.page.evaluate("isSecureContext") is False
    assert "can be viewed without a connection" not in words
    assert "loaded over plain http" in words and "not open without a connection" in words
    shop.page.screenshot(path=pictures / "plain-http-settings.png", full_page=True)
    shop.put_into_cart("honey")
    gateway.stop()
    shop.page.evaluate("dispatchEvent(new Event('offline'))")
    shop.page.wait_for_selector('[data-bar="offline"]')
    assert "Leave this page open" in shop.bar()
    gateway.start()
    page = plain_phone.new_page()
    page.goto(gateway.story().replace("127.0.0.1", "farm.test"))
    page.wait_for_selector("h2:text('could not check'), .badge")
    assert "open the same address with https" in plain(page.inner_text("body"))
    assert shop.problems == []


def test_over_plain_http_the_account_says_why_the_device_cannot_be_notified(gateway, plain_phone):
    staff = StaffPages(plain_phone, f"http://farm.test:{gateway.port}")
    staff.sign_in(STAFF["grower"])
    staff.go("/account")
    words = staff.text("#device-alarms")
    assert "cannot be notified while the page is open over http" in words
    assert "Notify me on this device" not in words
    assert staff.problems == []


def test_over_a_trusted_connection_nothing_is_said_of_http(gateway, shop):
    words = shop.go("/settings").text()
    assert "can be viewed without a connection" in words and "plain http" not in words
