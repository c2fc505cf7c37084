"""The own account: change the password, see and end sessions, choose a new password with a link, read the audit log."""

import re

import pytest
from client import Client
from gateway import until
from mail_sink import MailSink
from shop_driver import Shop
from staff_driver import PASSWORD
from story_driver import wait_until
from test_accessibility import long_audit_log, look_at_all

NEW = "seven quiet hills at dawn"


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
    pages.page.locator("[data-session]", has_not_text="(this device)").get_by_role("button").click()
    wait_until(pages.page, "document.querySelectorAll('[data-session]').length === 1")
    other.page.evaluate("location.hash = '/plots'")
    other.page.wait_for_selector('form[data-form="sign-in"]')
    (token,) = [one["value"] for one in pages.page.context.cookies() if one["name"] == "furrow_session"]
    session = Client(gateway.farm.port, token)
    assert session.call("GET", "/v1/me").status == 200
    pages.press("sign out everywhere")
    pages.page.wait_for_selector('form[data-form="sign-in"]')
    assert session.call("GET", "/v1/me").status == 401


def test_a_forgotten_password_is_replaced_with_a_link_that_works_once(new_gateway, new_phone, tmp_path):
    mail = MailSink(tmp_path)
    gateway = new_gateway("season", environment={"FURROW_SMTP": mail.url, "FURROW_MAIL_FROM": "shop@loma.test"})
    gateway.enrol("Bea", "bea@buyers.test")
    shop = Shop(new_phone(), gateway.url)
    shop.go("/sign-in").page.locator("a", has_text="Forgot your password?").click()
    shop.page.wait_for_selector('main[data-page="forgot"]')
    form = shop.page.locator('form[data-form="forgot"]')
    form.locator("[name=email]").fill("bea@buyers.test")
    form.locator("button").click()
    shop.page.wait_for_selector('h2:text("Check your e-mail")')
    (letter,) = until(lambda: mail.to("bea@buyers.test"), 20, "the letter with the link")
    token = re.search(re.escape(gateway.url) + r"/reset#(\S+)", letter.text)[1]
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
    assert shop.problems == []
    mail.close()


@pytest.mark.shared
def test_the_audit_log_is_read_in_pages_newest_first(gateway, staff):
    pages = staff("auditor")
    gateway.override["GET /v1/audit-log"] = long_audit_log(120)
    pages.go("/audit-log")
    lines = pages.page.locator(".audit-log > li")
    assert lines.count() == 50 and "(120 times)" in lines.first.inner_text()
    for expected in (100, 120):
        pages.page.get_by_role("button", name="Show older entries").click()
        wait_until(pages.page, "count => document.querySelectorAll('.audit-log > li').length === count", expected)
    assert not pages.page.get_by_role("button", name="Show older entries").is_visible()


def test_pages_of_accounts_are_accessible_and_fit_the_screen(gateway, staff, new_phone, pictures):
    pages = staff("administrator", reduced_motion="reduce")
    refused = {"email": "administrator@farm.test", "password": "not this one at all"}
    assert gateway.anyone().call("POST", "/v1/sessions", refused).status == 401
    change = {"old": PASSWORD, "password": NEW, "keepOthers": True}
    assert gateway.client.settle("PUT", "/v1/me/password", change).status == 204
    for path, name in {"/account": "account", "/audit-log": "audit-log"}.items():
        pages.go(path)
        look_at_all(pages.page, f"people-{name}", pictures)
    items = pages.page.locator(".audit-log > li")
    assert items.first.evaluate("one => getComputedStyle(one.parentElement).listStyleType") == "none"
    shop = Shop(new_phone(reduced_motion="reduce"), gateway.url)
    for path, name in {"/forgot": "forgot", "/reset": "reset-without", "/reset#abc": "reset"}.items():
        shop.page.goto("about:blank")
        shop.go(path)
        look_at_all(shop.page, f"people-{name}", pictures)
    shop.page.locator("[name=password]").fill("short")
    shop.page.locator('form[data-form="reset"] button').click()
    look_at_all(shop.page, "people-reset-error", pictures)
    shop.go("/forgot").page.locator("[name=email]").fill("nobody@farm.test")
    shop.page.locator('form[data-form="forgot"] button').click()
    shop.page.wait_for_selector('h2:text("Ask the farm")')
    look_at_all(shop.page, "people-forgot-done", pictures)
    shop.sign_up("Bea", "bea@buyers.test")
    shop.go("/settings").page.wait_for_selector(".devices")
    look_at_all(shop.page, "people-settings", pictures)
    assert shop.problems == []
