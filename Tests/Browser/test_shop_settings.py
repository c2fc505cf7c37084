"""What somebody does with this device and with what is known of them: anew, out, gone, and how they are reached."""

import pytest
from shop_driver import PASSWORD
from story_driver import wait_until

pytestmark = pytest.mark.home("market")


def tables(shop) -> set[str]:
    """Of which tables this browser holds records."""
    return {row["table"] for row in shop.held()["records"]}


def with_an_order(shop, gateway) -> None:
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("honey")
    shop.order()
    shop.page.wait_for_selector("[data-order]")


def test_anew_keeps_what_there_is_until_the_new_has_come(shop, gateway):
    with_an_order(shop, gateway)
    shop.go("/").ready()
    everything = tables(shop)
    shop.go("/settings")
    gateway.stop()
    shop.page.get_by_role("button", name="Download everything again").click()
    wait_until(shop.page, "document.querySelector('[data-bar=\"offline\"]') !== null")
    assert tables(shop) == everything and "honey" in shop.go("/orders").text()
    assert "as soon as there is a connection" in shop.go("/settings").text()
    gateway.withdraw("products", "carrots")
    gateway.start()
    shop.page.get_by_role("button", name="Download everything again").click()
    wait_until(shop.page, "document.querySelector('main').innerText.includes('and 6\\u00a0products')")
    assert tables(shop) == everything


def test_who_signs_out_leaves_a_shop_and_nothing_of_their_own(shop, gateway):
    with_an_order(shop, gateway)
    shop.go("/settings")
    # Nobody is told anything after the session is over.
    gateway.override["GET /v1/sync"] = "cut"
    shop.page.get_by_role("button", name="Sign out", exact=True).click()
    shop.page.wait_for_selector("[data-product]")
    assert tables(shop).isdisjoint({"orders", "favourites"}) and len(shop.held()["records"]) > 20


def test_who_is_erased_leaves_a_shop_and_what_others_have_promised(shop, gateway):
    shop.sign_up("Ann", "ann@buyers.test")
    shop.put_into_cart("honey")
    gateway.override["POST /v1/sync"] = "cut"
    shop.order()
    gateway.end_sessions("ann@buyers.test")
    shop.sign_up("Ben", "ben@buyers.test")
    shop.put_into_cart("carrots")
    shop.order()
    assert len(shop.held()["outbox"]) == 2
    shop.page.on("dialog", lambda dialog: dialog.accept())
    shop.go("/settings")
    shop.page.get_by_role("button", name="Delete my account and all my data").click()
    shop.page.wait_for_selector("[data-product]")
    assert [row["shown"]["lines"][0]["title"] for row in shop.held()["outbox"]] == ["Sourwood honey"]
    assert "orders" not in tables(shop) and shop.page.locator(".account-name").count() == 0


def test_what_is_kept_of_somebody_is_not_replaced_by_what_nobody_could_ask_for(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    contact = {"name": "Bea", "telephone": "+1 423 555 0199", "address": "7 Creek Road"}
    gateway.override["GET /v1/me/export"] = (200, {"market": {"contact": contact}})
    shop.go("/settings")
    assert shop.page.locator('[name="telephone"]').input_value() == "+1 423 555 0199"
    gateway.override["GET /v1/me/export"] = (503, {"title": "busy", "status": 503})
    shop.go("/settings")
    assert shop.page.locator('form[data-form="contact"]').count() == 0
    assert "when the farm server answers" in shop.text()


def test_who_takes_their_data_along_and_is_erased_cannot_sign_in_again(shop, gateway):
    shop.sign_up("Bea Canary", "canary@buyers.test")
    shop.go("/settings")
    with shop.page.expect_download() as told:
        shop.page.get_by_role("button", name="Download my data").click()
    assert "canary@buyers.test" in told.value.path().read_text()
    shop.page.on("dialog", lambda dialog: dialog.accept())
    shop.page.get_by_role("button", name="Delete my account").click()
    shop.page.wait_for_selector('.account a:text("Sign in")')
    # What everybody may see is coming anew meanwhile.
    held = shop.held()
    assert (held["outbox"], held["updates"]) == ([], [])
    credentials = {"email": "canary@buyers.test", "password": PASSWORD}
    assert gateway.anyone().settle("POST", "/v1/sessions", credentials).status == 401
