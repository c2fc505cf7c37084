"""The own account: change the password, see and end sessions, choose a new password with a link, read the audit log."""

import pytest
from conftest import DESKTOP
from people_api import write
from shop_driver import Shop
from staff_driver import PASSWORD
from story_driver import wait_until
from test_accessibility import look

NEW = "seven quiet hills at dawn"
SIZES = {"phone": {"width": 390, "height": 800}, "desk": DESKTOP}


def test_a_password_is_changed_by_who_knows_it_and_other_devices_are_signed_out(gateway, staff):
    pages = staff("grower")
    other = staff("grower")
    pages.go("/account")
    assert pages.page.locator("[data-session]").count() == 2 and "(this device)" in pages.text(".devices")
    pages.send("change-password", old="not this one at all", password=NEW)
    assert "not your present password" in pages.text("main")
    pages.send("change-password", old=PASSWORD, password=NEW)
    assert pages.announced() == "Your password was changed."
    wait_until(pages.page, "document.querySelectorAll('[data-session]').length === 1")
    other.go("/lots")
    other.page.wait_for_selector('form[data-form="sign-in"]')
    other.send("sign-in", email="grower@farm.test", password=NEW)
    other.page.wait_for_selector("nav.menu")


def test_one_device_is_signed_out_and_then_all(gateway, staff):
    pages, other = staff("grower"), staff("grower")
    pages.go("/account")
    pages.page.get_by_role("button", name="Sign out Chromium on Linux").or_(
        pages.page.get_by_role("button", name="Sign out Firefox on Android")).first.click()
    wait_until(pages.page, "document.querySelectorAll('[data-session]').length === 1")
    other.page.evaluate("location.hash = '/plots'")
    other.page.wait_for_selector('form[data-form="sign-in"]')
    pages.press("sign out everywhere")
    pages.page.wait_for_selector('form[data-form="sign-in"]')
    assert gateway.api.sessions == {}


def test_a_forgotten_password_is_replaced_with_a_link_that_works_once(gateway, shop):
    gateway.api.enrol("Bea", "bea@buyers.test", PASSWORD, "buyer")
    shop.go("/sign-in").page.locator("a", has_text="Forgot your password?").click()
    shop.page.wait_for_selector('main[data-page="forgot"]')
    form = shop.page.locator('form[data-form="forgot"]')
    form.locator("[name=email]").fill("bea@buyers.test")
    form.locator("button").click()
    shop.page.wait_for_selector('h2:text("Check your e-mail")')
    (token,) = gateway.api.reset_tokens
    shop.go(f"/reset#{token}")
    form = shop.page.locator('form[data-form="reset"]')
    form.locator("[name=password]").fill(NEW)
    form.locator("button").click()
    shop.signed_in("Bea")
    shop.page.goto("about:blank")
    shop.go(f"/reset#{token}")
    shop.page.locator("[name=password]").fill(NEW)
    shop.page.locator('form[data-form="reset"] button').click()
    shop.page.wait_for_selector(".form-problem:visible")
    assert "was used" in shop.text(".form-problem")
    assert "address is incomplete" in shop.go("/forgot").go("/reset").text()


def test_the_audit_log_is_read_in_pages_newest_first(gateway, staff):
    pages = staff("auditor")
    for count in range(1, 121):
        write(gateway.api, "sign-in-refused", None, count)
    pages.go("/audit-log")
    lines = pages.page.locator(".audit-log > li")
    assert lines.count() == 50 and "(120 times)" in lines.first.inner_text()
    for expected in (100, 120):
        pages.page.get_by_role("button", name="Show older entries").click()
        wait_until(pages.page, "count => document.querySelectorAll('.audit-log > li').length === count", expected)
    assert not pages.page.get_by_role("button", name="Show older entries").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SIZES)
def test_pages_of_accounts_are_accessible_and_fit_the_screen(gateway, staff, new_phone, pictures, screen, scheme):
    options = {"viewport": SIZES[screen], "color_scheme": scheme, "reduced_motion": "reduce"}
    pages = staff("administrator", **options)
    person = next(iter(gateway.api.accounts))
    for _ in range(2):
        gateway.api.session(person)
    for what in ("signed-in", "sign-in-refused", "password-changed", "gateway-admitted"):
        write(gateway.api, what, person, 3)
    for path, name in {"/account": "account", "/audit-log": "audit-log"}.items():
        pages.go(path)
        look(pages.page, f"people-{name}", screen, scheme, pictures)
    items = pages.page.locator(".audit-log > li")
    assert items.first.evaluate("one => getComputedStyle(one.parentElement).listStyleType") == "none"
    shop = Shop(new_phone(**options), gateway.url)
    gateway.api.sends_mail = False
    for path, name in {"/forgot": "forgot", "/reset": "reset-without", "/reset#abc": "reset"}.items():
        shop.page.goto("about:blank")
        shop.go(path)
        look(shop.page, f"people-{name}", screen, scheme, pictures)
    shop.page.locator("[name=password]").fill("short")
    shop.page.locator('form[data-form="reset"] button').click()
    look(shop.page, "people-reset-error", screen, scheme, pictures)
    shop.go("/forgot").page.locator("[name=email]").fill("nobody@farm.test")
    shop.page.locator('form[data-form="forgot"] button').click()
    shop.page.wait_for_selector('h2:text("Ask the farm")')
    look(shop.page, "people-forgot-done", screen, scheme, pictures)
    shop.sign_up("Bea", "bea@buyers.test")
    shop.go("/settings").page.wait_for_selector(".devices")
    look(shop.page, "people-settings", screen, scheme, pictures)
    assert shop.problems == []
