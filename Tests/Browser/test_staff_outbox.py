"""Work and harvests that are written down without a network: kept over a reload, sent once, refused with the reason."""

import pytest
from conftest import DESKTOP
from gateway import STAFF
from staff_driver import NOTHING_WAITS, PASSWORD
from story_driver import wait_until

PATH = "POST /v1/plots/south/activities"


def write_offline(gateway, pages, **values) -> None:
    """The page of a plot, opened and then cut off, where work is written down."""
    pages.cut_off(gateway, "/plots/south")
    pages.send("record-activity", **({"kind": "weeding", "happened": "2026-07-01T08:00"} | values))
    pages.page.wait_for_selector("[data-work]")


def test_an_activity_written_down_without_a_network_survives_a_reload_and_is_sent_once(gateway, staff):
    pages = staff("grower")
    before = len(gateway.activities())
    write_offline(gateway, pages, substance="By hand")
    assert pages.announced() == "Saved on this device. It is sent as soon as there is a connection."
    pages.page.reload()
    pages.page.wait_for_selector("[data-work]")
    waiting = pages.text("[data-work]")
    for words in ("Not sent yet", "Weeded", "By hand", "1 July 2026, 08:00"):
        assert words in waiting, words
    gateway.start()
    gateway.lose[PATH] = 1
    pages.page.evaluate("dispatchEvent(new Event('online'))")
    pages.page.wait_for_timeout(300)
    pages.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(pages.page, NOTHING_WAITS)
    wait_until(pages.page, "document.querySelector('[data-work]') === null "
                           "&& document.querySelector('.work').innerText.includes('By hand')")
    assert len(gateway.activities()) == before + 1
    [row] = [row for row in gateway.activities() if row["details"].get("substance") == "By hand"]
    assert row["happened"] == "2026-07-01T06:00:00.000000Z"


def test_one_activity_has_one_key_over_lost_answers_a_server_in_trouble_and_a_reload(gateway, staff):
    pages = staff("grower")
    keys = []
    pages.page.on("request", lambda request: request.method == "POST" and keys.append(
        (request.url.rsplit("/", 1)[1], request.headers["idempotency-key"])))
    pages.go("/plots/south")
    before = len(gateway.activities())
    gateway.override[PATH] = "cut"
    pages.send("record-activity", kind="weeding", happened="2026-07-01T08:00")
    pages.page.wait_for_selector("[data-work]")
    gateway.override[PATH] = [(503, {"title": "storage", "status": 503, "detail": "The ledger cannot write just now."})]
    pages.page.reload()
    wait_until(pages.page, "document.querySelector('[data-work]') !== null")
    gateway.override[PATH] = [(202, {"status": "/v1/commands/x"}), (202, {"status": "/v1/commands/x"})]
    pages.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(pages.page, NOTHING_WAITS)
    assert len(gateway.activities()) == before + 1
    sent = [key for name, key in keys if name == "activities"]
    assert len(sent) >= 4 and len(set(sent)) == 1, sent
    pages.page.reload()
    pages.settle()
    pages.send("record-activity", kind="weeding", happened="2026-07-01T08:00")
    wait_until(pages.page, NOTHING_WAITS)
    assert len(gateway.activities()) == before + 2, "after an answer the same words are something new"


def test_a_harvest_written_down_without_a_network_becomes_one_lot_and_an_empty_form_is_left(gateway, staff):
    pages = staff("grower")
    pages.go("/lots")
    pages.cut_off(gateway, "/harvest/south")
    pages.send("harvest", product="Chard", grams="12.5", lot="chard-1")
    pages.settle_on("/lots")
    pages.page.wait_for_selector("[data-work]")
    assert "Harvested: Chard" in pages.text("[data-work]") and "12.5 kg" in pages.text("[data-work]")
    pages.page.reload()
    pages.page.wait_for_selector("[data-work]")
    gateway.start()
    pages.page.reload()
    pages.page.wait_for_selector('[data-lot="CHARD-1"]')
    wait_until(pages.page, "document.querySelector('[data-work]') === null")
    assert gateway.client.get("/v1/lots/CHARD-1")["grams"] == 12_500


def test_what_the_server_refuses_later_is_shown_with_its_reason_until_it_is_dismissed(gateway, staff):
    pages = staff("grower")
    before = len(gateway.activities())
    write_offline(gateway, pages)
    gateway.override[PATH] = [
        (422, {"title": "in-the-future", "status": 422, "detail": "happened: 2026-07-01T06:00:00Z has not come yet."})]
    gateway.start()
    pages.page.reload()
    pages.page.wait_for_selector("[data-work] .lot-alarm")
    assert "refused this: happened: 1 July 2026, 08:00 has not come yet." in pages.text("[data-work]")
    pages.page.reload()
    pages.page.wait_for_selector("[data-work] .lot-alarm")
    pages.page.get_by_role("button", name="Dismiss").click()
    wait_until(pages.page, "document.querySelector('[data-work]') === null")
    assert len(gateway.activities()) == before


@pytest.mark.parametrize("role", ["grower", "buyer"])
def test_what_one_wrote_down_is_not_sent_in_the_name_of_another(gateway, staff, role):
    pages = staff("grower")
    before = len(gateway.activities())
    write_offline(gateway, pages)
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
    assert len(gateway.activities()) == before
    pages.page.context.clear_cookies()
    pages.sign_in("grower@farm.test")
    wait_until(pages.page, NOTHING_WAITS)
    assert len(gateway.activities()) == before + 1


def test_a_tab_that_is_closed_while_it_sends_loses_and_doubles_nothing(gateway, staff):
    pages = staff("grower")
    before = len(gateway.activities())
    write_offline(gateway, pages)
    tabs = [pages.page.context.new_page() for _ in range(2)]
    for tab in tabs:
        tab.goto(f"{gateway.url}/staff#/plots/south")
        tab.wait_for_selector("[data-work]")
    pages.page.close()
    gateway.start()
    for tab in tabs:
        tab.evaluate("dispatchEvent(new Event('online'))")
    for tab in tabs:
        wait_until(tab, NOTHING_WAITS)
    assert len(gateway.activities()) == before + 1


def test_waiting_and_refused_work_looks_right(gateway, staff, pictures):
    for name, size in {"phone": {"width": 390, "height": 800}, "desk": DESKTOP}.items():
        pages = staff("grower", viewport=size)
        write_offline(gateway, pages, substance="By hand", amount="2", unit="h")
        pages.page.screenshot(path=pictures / f"outbox-waiting-{name}.png", full_page=True)
        assert pages.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        gateway.start()


def test_a_browser_that_stores_nothing_says_so_and_sends_from_the_open_page(gateway, staff):
    pages = staff("grower")
    pages.go("/plots/south")
    before = len(gateway.activities())
    pages.page.evaluate("""() => {
        IDBDatabase.prototype.transaction = () => { throw new DOMException("no room", "QuotaExceededError"); };
    }""")
    gateway.override[PATH] = "cut"
    pages.send("record-activity", kind="weeding", happened="2026-07-01T08:00")
    pages.page.wait_for_selector("[data-work]")
    assert "keep this page open" in pages.text("[data-work]")
    gateway.override.clear()
    pages.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(pages.page, "document.querySelector('[data-work]') === null")
    assert len(gateway.activities()) == before + 1
