"""Several people at one browser: what one did is neither sent, nor shown, nor deleted as another's."""

import time

import pytest
from gateway import until
from loma_market import pulled
from shop_driver import Shop
from staff_driver import PASSWORD
from story_driver import wait_until

pytestmark = pytest.mark.home("market")


def owners(gateway, *emails: str) -> list[str]:
    """By e-mail, whose the orders are that the market has."""
    people = {gateway.person(email).get("/v1/me")["person"]: email for email in emails}
    return sorted(people[order["buyer"]] for order in gateway.orders())


def wait_for_one(shop: Shop, held: list) -> None:
    """Until a question was asked that is held up on its way."""
    end = time.monotonic() + 20
    while not held:
        assert time.monotonic() < end, "nobody asked"
        shop.page.wait_for_timeout(25)


def unsent_order_of_ann(shop: Shop, gateway) -> None:
    """Ann orders honey without a network, and her session ends without a word of hers."""
    shop.sign_up("Ann", "ann@buyers.test")
    shop.go("/").ready()
    shop.put_into_cart("honey")
    gateway.stop()
    shop.order()
    assert len(shop.held()["outbox"]) == 1
    gateway.end_sessions("ann@buyers.test")
    gateway.start()


def ann_signs_in_and_sees_her_order(shop: Shop, gateway) -> None:
    """Her order is sent; it is shown as soon as the gateway has heard of it and the page pulls."""
    shop.sign_in("Ann", "ann@buyers.test")
    ann = gateway.person("ann@buyers.test")
    until(lambda: pulled(ann, "orders"), 20, "Ann's order to reach the gateway")
    shop.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(shop.page, "document.querySelector('[data-order]')?.innerText.includes('honey')")


@pytest.mark.parametrize("role", ["buyer", "grower"])
def test_an_order_that_waits_is_sent_as_theirs_who_made_it_whoever_signs_in_meanwhile(shop, gateway, role):
    unsent_order_of_ann(shop, gateway)
    ben = "ben@buyers.test" if role == "buyer" else "ben@farm.test"
    if role == "buyer":
        shop.sign_up("Ben", ben)
    else:
        gateway.enrol("Ben", ben, "grower")
        shop.page.goto(gateway.url + "/staff")
        form = shop.page.locator('form[data-form="sign-in"]')
        form.locator("[name=email]").fill(ben)
        form.locator("[name=password]").fill(PASSWORD)
        form.locator("button").click()
        shop.page.wait_for_selector(".account-name", state="attached")
        shop.go("/").page.wait_for_selector('.account-name:text-is("Ben")')
    before = gateway.sent("POST", "/v1/sync")
    shop.put_into_cart("carrots")
    shop.order()
    shop.page.wait_for_selector("[data-order]")
    assert owners(gateway, ben) == [ben]
    assert gateway.sent("POST", "/v1/sync") > before and len(shop.held()["outbox"]) == 1
    ann_signs_in_and_sees_her_order(shop, gateway)
    assert owners(gateway, ben, "ann@buyers.test") == ["ann@buyers.test", ben]
    assert shop.held()["outbox"] == []


def test_an_order_that_waits_is_shown_to_theirs_who_made_it_and_to_nobody_else(shop, gateway):
    unsent_order_of_ann(shop, gateway)
    assert "1 order is not sent yet" in shop.go("/").bar()
    shop.sign_up("Ben", "ben@buyers.test")
    assert "not sent yet" not in shop.go("/").bar() and "not sent yet" not in shop.go("/settings").text()
    shop.go("/orders")
    assert shop.page.locator("[data-pending]").count() == 0 and "honey" not in shop.text()
    assert len(shop.held()["outbox"]) == 1


def test_who_went_elsewhere_while_they_were_being_signed_in_stays_there(shop, gateway):
    shop.go("/sign-in")
    held, holds = [], True
    shop.page.route("**/v1/sync?*", lambda route: held.append(route) if holds else route.continue_())
    form = shop.page.locator('form[data-form="sign-up"]')
    for field, value in {"name": "Ann", "email": "ann@buyers.test", "password": PASSWORD}.items():
        form.locator(f'[name="{field}"]').fill(value)
    button = form.locator("button[type=submit]").element_handle()
    button.click()
    shop.page.wait_for_selector('.account-name:text-is("Ann")')
    wait_for_one(shop, held)
    shop.page.locator('.menu a[href="/shop"]').click()
    shop.page.wait_for_selector('main[data-page="shop"]:not([aria-busy])')
    holds = False
    for route in held:
        route.continue_()
    wait_until(shop.page, "button => !button.hasAttribute('aria-busy')", button)
    assert shop.page.evaluate("location.pathname") == "/shop"


def test_who_leaves_while_their_settings_are_being_made_is_not_shown_in_them(shop, gateway):
    shop.sign_up("Ann", "ann@buyers.test")
    held = []
    shop.page.route("**/v1/me/export", lambda route: held.append(route))  # noqa: PLW0108 - playwright marks it
    shop.page.evaluate("history.pushState(null, '', '/settings'); dispatchEvent(new PopStateEvent('popstate'))")
    wait_for_one(shop, held)
    shop.page.context.clear_cookies()
    shop.page.evaluate("dispatchEvent(new Event('online'))")
    shop.page.wait_for_selector('#top a[href="/sign-in"]')
    held[0].abort()
    shop.page.wait_for_selector('main[data-page="settings"]:not([aria-busy])')
    assert "You are not signed in on this device." in shop.text() and "Ann" not in shop.text("body")


def test_who_signs_out_when_their_session_is_over_is_signed_out(shop, gateway):
    unsent_order_of_ann(shop, gateway)
    shop.go("/settings").page.get_by_role("button", name="Sign out", exact=True).click()
    shop.page.wait_for_selector('main[data-page="start"]')
    shop.page.wait_for_selector('#top a[href="/sign-in"]')
    assert "Ann" not in shop.text("body") and len(shop.held()["outbox"]) == 1
    ann_signs_in_and_sees_her_order(shop, gateway)
    assert owners(gateway, "ann@buyers.test") == ["ann@buyers.test"]
