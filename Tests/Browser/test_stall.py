"""What is given out at a stall, with a network or without: told once, in the name of who did it, and shown as it is."""

import re
import time

import pytest
from gateway import STAFF
from staff_driver import NOTHING_WAITS, PASSWORD
from story_driver import wait_until

pytestmark = pytest.mark.home("orders", "--sandbox-pay")


def give_out_offline(gateway, pages, order: str) -> None:
    """The grower's page, opened and then cut off, where an order is given out."""
    pages.cut_off(gateway, "/market")
    pages.page.locator(f'[data-hand-out="{order}"]').click()
    pages.page.wait_for_selector("[data-given]")


def test_a_stall_without_a_network_gives_out_and_tells_once(gateway, staff):
    orders = gateway.told.orders
    pages = staff("grower")
    give_out_offline(gateway, pages, orders[0])
    assert "Collected; not sent yet." in pages.text("[data-given]")
    pages.page.reload()
    pages.page.wait_for_selector("[data-given]")
    gateway.start()
    gateway.lose[f"POST /v1/sales/{orders[0]}/collections"] = 1
    pages.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(pages.page, "document.querySelector('.as-of') === null")
    pages.page.reload()
    wait_until(pages.page, f"document.querySelector('[data-sale=\"{orders[0]}\"]') === null "
                           "&& document.querySelector('[data-sale]') !== null")
    assert len(gateway.orders("collected")) == 1
    pages.sign_out()
    kept = pages.page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('furrow-kept'))")
    assert kept == [], "somebody else could read who ordered"


@pytest.mark.parametrize("way", ["online", "start", "later"])
def test_what_was_given_out_is_sent_whatever_page_is_open(gateway, staff, way):
    orders = gateway.told.orders
    pages = staff("grower")
    pages.page.clock.install()
    give_out_offline(gateway, pages, orders[0])
    pages.go("/lots")
    gateway.start()
    if way == "online":
        pages.page.evaluate("dispatchEvent(new Event('online'))")
    elif way == "start":
        pages.page.reload()
    else:
        pages.page.clock.fast_forward("01:00")
    wait_until(pages.page, NOTHING_WAITS)
    assert pages.path == "/lots"
    assert len(gateway.orders("collected")) == 1


#: It was tried to send it, and in vain.
LATER = "document.querySelector('#announcements').innerText.includes('as soon as there is a connection')"

@pytest.mark.parametrize("way", ["later", "start"])
@pytest.mark.parametrize("is_refused", [False, True])
def test_a_page_tells_what_was_answered_late_unless_somebody_is_at_work_on_it(
        gateway, staff, way, is_refused):
    orders = gateway.told.orders
    pages = staff("grower")
    path = f"POST /v1/sales/{orders[0]}/collections"
    pages.page.clock.install()
    pages.go(f"/market/orders/{orders[0]}")
    pages.page.reload()
    pages.settle()
    gateway.override[path] = "cut"
    pages.page.locator("[data-hand-out]").click()
    wait_until(pages.page, LATER)
    refusal = (409, {"title": "in-payment", "status": 409, "detail": "It is being paid."})
    gateway.override[path] = [refusal] if is_refused else []
    if way == "start":
        pages.page.reload()
    else:
        pages.unfold("Cancel order")
        pages.fill("call-off", reason="The bees swarmed")
        pages.page.clock.fast_forward("01:00")
        wait_until(pages.page, NOTHING_WAITS)
        pages.page.wait_for_timeout(300)
        assert pages.page.evaluate("document.activeElement.value") == "The bees swarmed"
        assert "not sent yet" in pages.text()
        pages.unfold("Cancel order")
        pages.page.clock.fast_forward("01:00")
    wait_until(pages.page, "words => document.querySelector('main').innerText.includes(words)",
               "It is being paid." if is_refused else "Collected")
    wait_until(pages.page, "document.querySelector('main .pending-state') === null")


def test_what_is_answered_late_does_not_overtake_whoever_goes_on(gateway, staff):
    orders = gateway.told.orders
    pages = staff("grower")
    pages.page.clock.install()
    pages.go("/market")
    pages.page.reload()
    pages.settle()
    gateway.override[f"POST /v1/sales/{orders[0]}/collections"] = "cut"
    pages.page.locator(f'[data-hand-out="{orders[0]}"]').click()
    pages.page.wait_for_selector("[data-given]")
    gateway.override.clear()
    held = {}

    def until_held(name: str) -> None:
        end = time.monotonic() + 20
        while name not in held:
            assert time.monotonic() < end, f"nobody asked for {name}"
            pages.page.wait_for_timeout(25)

    def hold(route) -> None:
        held[route.request.url.split("?")[0].split("/")[-1]] = route

    pages.page.route(re.compile(r"/v1/(.*/)?(collections|lots)(\?|$)"), hold)
    pages.page.clock.fast_forward("01:00")
    until_held("collections")
    pages.page.locator('.menu a[href="#/lots"]').click()
    until_held("lots")
    held["collections"].continue_()
    wait_until(pages.page, NOTHING_WAITS)
    pages.page.wait_for_timeout(300)
    held["lots"].continue_()
    pages.settle_on("/lots")
    assert pages.page.evaluate("document.activeElement.tagName") == "H1"


def test_what_one_gave_out_another_never_tells(gateway, staff):
    orders = gateway.told.orders
    pages = staff("grower")
    give_out_offline(gateway, pages, orders[0])
    # The session has run out when there is a network again, and somebody else takes the tablet.
    pages.page.context.clear_cookies()
    gateway.start()
    pages.sign_in(STAFF["bo"])
    pages.go("/market")
    pages.page.wait_for_selector(f'[data-hand-out="{orders[0]}"]')
    assert pages.page.locator("[data-given]").count() == 0
    pages.sign_out()
    collected = len(gateway.orders("collected"))
    assert collected == 0, "told under the name of somebody who did not do it"
    pages.sign_in("grower@farm.test")
    pages.sign_out()
    assert len(gateway.orders("collected")) == 1


@pytest.mark.parametrize("role", ["grower", "buyer"])
def test_what_one_gave_out_is_not_told_while_another_is_signed_in_on_the_same_browser(gateway, staff, role):
    orders = gateway.told.orders
    pages = staff("grower")
    give_out_offline(gateway, pages, orders[0])
    email = STAFF["bo"]
    if role == "buyer":
        gateway.enrol("Bo", email := "bo@buyers.test")
    gateway.start()
    signed_in = pages.page.context.request.post(
        gateway.url + "/v1/sessions", data={"email": email, "password": PASSWORD},
        headers={"Idempotency-Key": "bo"})
    assert signed_in.ok
    pages.page.evaluate("dispatchEvent(new Event('online'))")
    pages.page.wait_for_selector('form[data-form="sign-in"]')
    assert len(gateway.orders("collected")) == 0
    pages.page.context.clear_cookies()
    pages.sign_in("grower@farm.test")
    pages.sign_out()
    assert len(gateway.orders("collected")) == 1


def test_an_order_given_out_at_the_stall_and_called_off_meanwhile_says_so(gateway, staff):
    orders = gateway.told.orders
    pages = staff("grower")
    give_out_offline(gateway, pages, orders[1])
    gateway.client.make("POST", f"/v1/sales/{orders[1]}/cancellations", {"reason": "Hail"})
    gateway.start()
    pages.page.reload()
    pages.page.wait_for_selector("[data-given] .lot-alarm")
    assert "This order was cancelled already." in pages.text("[data-given]")
    pages.page.get_by_role("button", name="Dismiss").click()
    wait_until(pages.page, "document.querySelector('[data-given]') === null")


def test_an_order_that_was_refused_is_asked_for_anew(gateway, staff):
    orders = gateway.told.orders
    pages = staff("grower")
    path = f"/v1/sales/{orders[2]}/collections"
    keys = []
    pages.page.on("request", lambda request: request.url.endswith(path)
                  and keys.append(request.headers["idempotency-key"]))
    gateway.override[f"POST {path}"] = [
        (409, {"title": "unpaid", "status": 409, "detail": "This order is not paid yet."})]
    pages.go(f"/market/orders/{orders[2]}")
    pages.unfold("Refund")
    pages.send("refund", amount="2.5", reason="Two were bruised")
    pages.page.locator("[data-hand-out]").click()
    pages.page.wait_for_selector("main .lot-alarm")
    assert "The collection could not be recorded: This order is not paid yet." in pages.text()
    assert pages.announced() == "The collection could not be recorded."
    pages.page.get_by_role("button", name="Dismiss").click()
    with pages.page.expect_response(lambda response: response.url.endswith(path)):
        pages.page.locator("[data-hand-out]").click()
    wait_until(pages.page, "document.querySelector('main').innerText.includes('Collected')")
    assert len(keys) == 2 and keys[0] != keys[1], "what is stored as refused stays refused"
    assert len(gateway.orders("collected")) == 1
