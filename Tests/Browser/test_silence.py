"""The staff's pages over a network that takes questions and never answers, or breaks off: what is kept is shown."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from story_driver import wait_until

pytestmark = pytest.mark.home("orders")


def silence(pages) -> None:
    """From now on nothing that is asked is answered; the page's clock goes on only where the test moves it."""
    pages.page.route(re.compile("/v1/"), lambda route: None)


def after_patience(pages, selector: str) -> None:
    """What is shown once the page has waited for a silent network, at most three times six seconds."""
    for _ in range(3):
        pages.page.wait_for_timeout(300)
        if pages.page.locator(selector).count() > 0:
            return
        pages.page.clock.fast_forward("00:06")
    pages.page.wait_for_selector(selector, timeout=2_000)


def test_a_silent_network_is_waited_for_a_moment_where_something_is_kept(gateway, staff):
    orders = gateway.told.orders
    pages = staff("grower")
    pages.page.clock.install()
    for path in ("/lots", f"/market/orders/{orders[1]}", "/market"):
        pages.go(path)
    pages.ready()
    silence(pages)
    pages.page.reload()
    after_patience(pages, ".as-of")
    assert "No connection. As of" in pages.text()
    assert pages.page.locator("[data-hand-out]").count() > 1
    pages.page.locator(f'.sale a[href="#/market/orders/{orders[1]}"]').click()
    after_patience(pages, "[data-page=market-order] .as-of")
    pages.page.locator('.menu a[href="#/lots"]').click()
    after_patience(pages, "[data-page='/lots'] .as-of")


def test_what_is_given_out_over_a_silent_network_is_told_at_once(gateway, staff):
    orders = gateway.told.orders
    pages = staff("grower")
    pages.page.clock.install()
    pages.go("/market")
    pages.ready()
    silence(pages)
    pages.page.locator(f'[data-hand-out="{orders[0]}"]').click()
    assert pages.text(f'[data-sale="{orders[0]}"] .pending-state') == "Collected; not sent yet."
    after_patience(pages, f'[data-sale="{orders[0]}"][data-given]')
    assert pages.announced() == "Collected. It is sent as soon as there is a connection."


def test_a_list_that_breaks_off_is_no_empty_list(gateway, staff):
    pages = staff("grower")
    pages.go("/lots")
    lots = pages.page.locator("main a[href^='#/lots/']").count()
    pages.page.evaluate("() => { Response.prototype.json = () => Promise.reject(new TypeError('lost')); }")
    pages.go("/")
    pages.go("/lots")
    pages.page.wait_for_selector(".as-of")
    print(f"{lots} links to lots before and after")
    assert pages.page.locator("main a[href^='#/lots/']").count() == lots > 0


def test_whoever_goes_by_keyboard_stands_where_they_were_when_a_page_is_made_anew(gateway, staff):
    orders = gateway.told.orders
    pages = staff("grower")
    pages.cut_off(gateway, "/market")
    pages.page.locator(f'.sale a[href="#/market/orders/{orders[1]}"]').focus()
    gateway.start()
    pages.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(pages.page, "document.querySelector('.as-of') === null")
    assert pages.page.evaluate("document.activeElement.getAttribute('href')") == f"#/market/orders/{orders[1]}"


def test_a_network_that_is_back_disturbs_nobody_who_is_at_work(gateway, staff):
    pages = staff("grower")
    pages.cut_off(gateway, "/harvest")
    pages.fill("harvest", product="Chard")
    gateway.start()
    pages.page.evaluate("dispatchEvent(new Event('online'))")
    pages.page.wait_for_timeout(500)
    assert pages.page.evaluate("document.activeElement.value") == "Chard"
    assert pages.page.locator(".as-of").count() == 1
    pages.page.evaluate("document.activeElement.blur(); dispatchEvent(new Event('online'))")
    wait_until(pages.page, "document.querySelector('.as-of') === null")


def test_until_when_an_order_has_to_be_paid_is_told_in_the_farms_time(gateway, staff):
    order = gateway.told.orders[1]
    gateway.tamper[f"/v1/sales/{order}"] = lambda answer: answer | {
        "payment": "sandbox", "payBefore": "2026-07-01T10:05:00Z"}
    pages = staff("grower", timezone_id="Asia/Tokyo")
    pages.go(f"/market/orders/{order}")
    zone = pages.page.evaluate("fetch('/v1/farms').then((answer) => answer.json()).then(({ items }) => items[0].zone)")
    told = datetime(2026, 7, 1, 10, 5, tzinfo=UTC).astimezone(ZoneInfo(zone))
    assert zone != "UTC" and f"1 July 2026, {told:%H:%M}" in pages.text(), (zone, pages.text())
