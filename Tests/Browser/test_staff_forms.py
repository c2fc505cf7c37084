"""Forms of the staff's pages: what is refused, lost on the way, sent twice or stood open for hours."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from gateway import LOT
from staff_driver import PASSWORD
from story_driver import wait_until


@pytest.mark.shared
def test_wrong_credentials_are_told_and_the_form_can_be_sent_again(gateway, staff):
    pages = staff("grower")
    pages.sign_out()
    for email in ("nobody@farm.test", "grower@farm.test"):
        pages.send("sign-in", email=email, password="wrong password")
        assert pages.problem() == "This e-mail address and password don't fit."
        assert pages.page.locator("nav.menu").count() == 0
    pages.send("sign-in", email="grower@farm.test", password=PASSWORD)
    pages.page.wait_for_selector("nav.menu")


@pytest.mark.shared
def test_a_missing_answer_is_told_beside_its_field_with_the_focus_there(gateway, staff):
    pages = staff("grower")
    pages.go("/harvest")
    pages.form("harvest").locator("button[type=submit]").click()
    grams = pages.form("harvest").locator("[name=grams]")
    assert grams.get_attribute("aria-invalid") == "true"
    assert pages.page.evaluate("document.activeElement.name") == "grams"
    described = grams.get_attribute("aria-describedby").split()
    assert "Weight in kilograms is required." in [pages.text(f"#{name}") for name in described]
    assert [path for method, path in gateway.requests if method == "POST"] == ["/v1/sessions"], "only the sign-in"
    grams.fill("2")
    assert grams.get_attribute("aria-invalid") is None


@pytest.mark.shared
def test_a_refusal_about_one_field_is_told_there_and_others_on_top(gateway, staff):
    pages = staff("grower")
    pages.go("/harvest")
    gateway.override["POST /v1/lots"] = [(400, {"title": "malformed", "status": 400, "detail": "product: is too long"})]
    pages.send("harvest", product="Tomatoes", grams="5")
    assert pages.page.evaluate("document.activeElement.name") == "product"
    assert "Is too long." in pages.text('[data-field="product"]')
    pages.send("harvest", lot=LOT)
    assert pages.problem() == f"There is a lot {LOT}."
    assert pages.form("harvest").locator("[name=grams]").input_value() == "5", "what was typed stays"


@pytest.mark.shared
def test_a_list_that_is_too_long_says_so_on_its_page_and_nowhere_else(gateway, staff):
    pages = staff("grower")
    pages.go("/stores/cold1")
    lot = gateway.client.items("/v1/lots")[0]
    gateway.override["GET /v1/lots"] = (200, {"items": [lot] * 100, "next": "more"})
    pages.go("/plots")
    pages.go("/stores/cold1")
    assert pages.text(".cut-note") == "There are more lots than the 2,000 shown here. Older ones are not shown."
    pages.go("/plots")
    assert pages.page.locator(".cut-note").count() == 0
    gateway.override.clear()
    pages.go("/stores/cold1")
    assert pages.page.locator(".cut-note").count() == 0


@pytest.mark.shared
def test_a_time_in_a_refusal_is_told_as_the_clock_of_the_farm_shows_it(gateway, staff):
    pages = staff("grower")
    pages.go("/harvest")
    wait = "What was applied to South has to wait until 2026-07-09T14:30:00.25Z before a harvest."
    gateway.override["POST /v1/lots"] = [
        (409, {"title": "waiting-time", "status": 409, "detail": wait}),
        (422, {"title": "in-the-future", "status": 422, "detail": "happened: 2026-12-09T23:30:00Z has not come yet."})]
    pages.send("harvest", product="Tomatoes", grams="5")
    assert pages.problem() == "What was applied to South has to wait until 9 July 2026, 16:30 before a harvest."
    pages.send("harvest", product="Tomatoes", grams="6")
    assert "10 December 2026, 00:30 has not come yet." in pages.text('[data-field="happened"]')


def test_one_intention_has_one_key_over_lost_answers_and_a_reload(gateway, staff):
    pages = staff("grower")
    keys = []
    pages.page.on("request", lambda request: request.method == "POST" and keys.append(
        (request.url.rsplit("/", 1)[1], request.headers["idempotency-key"])))
    pages.go("/stores")
    path = "POST /v1/stores"
    gateway.override[path] = "cut"
    pages.send("open-store", title="Shed")
    assert "does not answer" in pages.problem()
    gateway.override[path] = [(503, {"title": "storage", "status": 503, "detail": "The ledger cannot write just now."})]
    pages.send("open-store")
    assert "cannot write just now" in pages.problem()
    pages.page.reload()
    pages.settle()
    gateway.override[path] = [(202, {"status": "/v1/commands/x"}), (202, {"status": "/v1/commands/x"})]
    pages.send("open-store", title="Shed")
    assert [row["store"] for row in gateway.client.items("/v1/stores") if row["title"] == "Shed"] == ["shed"]
    sent = [key for name, key in keys if name == "stores"]
    assert len(sent) == 5 and len(set(sent)) == 1, sent
    pages.send("open-store", title="Shed")
    sent = [key for name, key in keys if name == "stores"]
    assert len(set(sent)) == 2, "after an answer the same words are something new"
    assert pages.page.evaluate("sessionStorage.length") == 0


def test_another_content_after_a_lost_answer_is_another_intention(gateway, staff):
    pages = staff("grower")
    keys = []
    pages.page.on("request", lambda request: request.method == "POST" and keys.append(
        request.headers["idempotency-key"]))
    pages.go("/stores")
    gateway.override["POST /v1/stores"] = "cut"
    pages.send("open-store", title="Shed")
    gateway.override.clear()
    pages.send("open-store", title="Barn loft")
    assert len(set(keys)) == 2


def test_a_second_click_while_busy_sends_nothing(gateway, staff):
    pages = staff("grower")
    pages.go("/stores")
    sent = []
    pages.page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    gateway.override["POST /v1/stores"] = [(202, {})]
    button = pages.fill("open-store", title="Shed").locator("button[type=submit]")
    button.click()
    assert button.get_attribute("aria-busy") == "true" and "One moment" in button.inner_text()
    button.click()
    wait_until(pages.page, "document.querySelector('main').innerText.includes('Shed')")
    assert len(sent) == 2 and "shed" in [row["store"] for row in gateway.client.items("/v1/stores")]


def newest(gateway) -> dict:
    """What was recorded last on the south terrace."""
    return max(gateway.activities(), key=lambda row: row["recorded"])


def test_times_are_entered_at_the_farm_wherever_the_browser_is(gateway, staff):
    pages = staff("grower", timezone_id="America/New_York")
    pages.go("/plots/south")
    assert "Europe/Madrid" in pages.text('[data-field="happened"]')
    pages.send("record-activity", kind="weeding", happened="2026-07-01T08:00")
    assert newest(gateway)["happened"] == "2026-07-01T06:00:00.000000Z"
    assert "1 July 2026, 08:00" in pages.text(".work")


def test_a_form_that_stood_open_for_hours_takes_what_happened_meanwhile(gateway, staff):
    pages = staff("grower")
    now = datetime.now(ZoneInfo("Europe/Madrid"))
    pages.page.clock.install(time=now - timedelta(hours=3))
    pages.go("/plots/south")
    pages.page.reload()
    pages.settle()
    pages.page.clock.fast_forward("03:00:00")
    for hours, is_past in ((1, False), (-1, True)):
        happened = (now + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M")
        pages.send("record-activity", kind="weeding", happened=happened)
        assert ("Choose a date that is not in the future." in pages.text()) != is_past, hours
    assert newest(gateway)["kind"] == "weeding"
