"""The staff's pages: alarms, sensors, people, the server, and days without a network."""

import pytest
from gateway import LOT, STAFF, Gateway
from loma_farm import STRAY
from staff_driver import PASSWORD, StaffPages
from story_driver import wait_until
from test_accessibility import look


def test_alarms_come_in_live_and_are_announced(gateway, staff):
    pages = staff("auditor")
    pages.page.wait_for_selector('[data-live="on"]')
    assert "All values are within their limits." in pages.text("#alarms")
    gateway.measure(cold=9.4)
    pages.page.wait_for_selector("#alarms .alarm")
    assert "Cold room: temperature 9.4 °C, above the limit of 8 °C" in pages.text("#alarms")
    wait_until(pages.page, "document.querySelector('#announcements').innerText.startsWith('Alarm. Cold room')")
    gateway.measure(cold=9.6)
    wait_until(pages.page, "document.querySelector('[data-place=\"store/cold1\"].place').innerText.includes('9.6')")
    assert "p-cold" not in pages.text("#alarms")
    # Of two in one place it is said which: one point has a title, the other was bound after the page was opened.
    gateway.client.make("PUT", "/v1/points/p-door", {"title": "Door", "place": "store/cold1", "device": STRAY})
    gateway.measure(cold=9.5)
    wait_until(pages.page, "document.querySelectorAll('#alarms .alarm').length === 2")
    assert "(Cold room, back wall)" in pages.text("#alarms") and "(p-door)" in pages.text("#alarms")
    gateway.client.make("PUT", "/v1/points/p-door", {"title": "Door", "place": "store/barn", "device": STRAY})
    gateway.measure(cold=7.2)
    wait_until(pages.page, "document.querySelectorAll('#alarms .alarm').length < 2")
    gateway.measure(cold=8.03)
    wait_until(pages.page, "document.querySelector('#alarms').innerText.includes('8.03')")
    assert "8.03 °C, above the limit of 8 °C" in pages.text("#alarms"), "not told as 8 above 8"
    gateway.stop()
    pages.page.wait_for_selector('[data-live="off"]')
    gateway.start()
    pages.page.wait_for_selector('[data-live="on"]', timeout=20_000)


def test_what_was_seen_last_is_shown_without_a_network_with_its_age(gateway, staff):
    pages = staff("grower")
    seen = {}
    for path in ("/plots", "/stores", "/lots", "/"):
        pages.go(path)
        assert pages.page.locator(".as-of").count() == 0, path
        seen[path] = pages.page.locator("main h2").all_inner_texts()
    pages.ready()
    gateway.stop()
    pages.page.reload()
    for path, titles in seen.items():
        pages.go(path)
        assert "No connection. As of" in pages.text(".as-of"), path
        assert titles and pages.page.locator("main h2").all_inner_texts() == titles, path
    gateway.start()
    pages.page.wait_for_selector('[data-live="on"]', timeout=20_000)
    assert pages.page.locator(".as-of").count() == 0
    pages.sign_out()
    assert pages.page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('furrow-kept'))") == []


def test_a_sensor_is_bound_and_a_limit_set_and_changed(gateway, staff):
    pages = staff("grower")
    pages.go("/sensors")
    pages.send("bind-point", title="Field by the well, gate", place="plot/well")
    [point] = [row for row in gateway.client.items("/v1/points") if row["point"] == "field-by-the-well-gate"]
    assert point == {"point": "field-by-the-well-gate", "title": "Field by the well, gate", "place": "plot/well",
                     "device": STRAY}
    pages.send("set-rule", place="plot/well", quantity="temperature", below="-1")
    assert "Field by the well temperature below −1 °C" in pages.text("main")
    pages.form("set-rule").locator("[name=rule]").select_option("r-cold")
    assert pages.form("set-rule").locator("[name=above]").input_value() == "8"
    pages.send("set-rule", above="7")
    rules = {row["rule"]: row for row in gateway.client.items("/v1/rules")}
    assert rules["r-cold"]["above"] == 7 and len(rules) == 2
    pages.send("set-rule", place="plot/well", quantity="humidity")
    assert pages.problem() == "Set above, below or both."


def test_people_are_added_and_erased_by_administrators_only(gateway, staff, new_phone):
    grower = staff("grower")
    assert "Staff" not in grower.text("nav.menu")
    grower.go("/people")
    assert "This page cannot be shown" in grower.text()
    pages = staff("administrator")
    pages.go("/people")
    pages.send("create-account", name="Luz Mora", email="luz@farm.test", role="auditor", password="a long password")
    assert "Luz Mora" in pages.text()
    pages.send("create-account", name="Luz Mora", email="luz@farm.test", role="auditor", password="a long password")
    assert "with this e-mail address already" in pages.problem()
    auditor = StaffPages(new_phone(), gateway.url)
    auditor.sign_in("luz@farm.test", "a long password")
    pages.page.get_by_role("button", name="Erase Luz Mora").click()
    pages.page.get_by_role("button", name="Cancel").click()
    assert "Luz Mora" in pages.text()
    pages.page.get_by_role("button", name="Erase Luz Mora").click()
    pages.press("erase")
    wait_until(pages.page, "!document.querySelector('main').innerText.includes('Luz Mora')")
    assert "luz@farm.test" not in [one["email"] for one in gateway.client.items("/v1/accounts")]
    auditor.page.evaluate("location.hash = '/lots'")
    auditor.page.wait_for_selector('form[data-form="sign-in"]')
    assert auditor.problems == []


def well(gateway: Gateway) -> dict:
    """What the server says of itself, on a machine with a disk and a backup that are known."""
    told = gateway.client.get("/v1/operations")
    return told | {
        "services": told["services"][:3],
        "backup": {"made": told["at"], "path": "/mnt/usb", "bytes": 1_000_000, "restored": told["at"],
                   "copied": told["at"]},
        "disk": {"free": 12_300_000_000, "size": 40_000_000_000, "needed": 4_000_000_000, "days": 1500}}


def test_administrators_see_how_the_server_stands_and_others_do_not(gateway, staff, pictures):
    answer = well(gateway)
    gateway.override["GET /v1/operations"] = (200, answer)
    pages = staff("administrator")
    pages.go("/operations")
    assert pages.heading() == "Server" and "All run" in pages.text() and "12.3 GB free" in pages.text()
    assert "enough for 4 years." in pages.text("[data-tile=disk]")
    assert [one.get_attribute("data-tone") for one in pages.page.locator("[data-tile]").all()] == ["good"] * 6
    assert "restored in a test" in pages.text("[data-tile=backup]")
    assert "copied to the repository" in pages.text("[data-tile=backup]")
    look(pages.page, "server", "phone", "light", pictures)
    pages.page.set_viewport_size({"width": 1280, "height": 900})
    look(pages.page, "server", "desk", "light", pictures)
    answer["backup"]["restoreFault"] = "The restored hub ends at 7."
    pages.page.get_by_role("button", name="Refresh").press("Enter")
    wait_until(pages.page, "document.querySelector('[data-tile=backup]').dataset.tone === 'bad'")
    assert "Not restorable" in pages.text("[data-tile=backup]") and "ends at 7." in pages.text("[data-tile=backup]")
    del answer["backup"]["restoreFault"]
    pages.page.get_by_role("button", name="Refresh").press("Enter")
    wait_until(pages.page, "document.querySelector('[data-tile=backup]').dataset.tone === 'good'")
    answer["services"][0] |= {"state": "silent", "troubles": ["It does not answer."]}
    answer |= {"parked": 2, "waiting": 5}
    answer["backup"] = {}
    answer["disk"]["days"] = 29
    pages.page.get_by_role("button", name="Refresh").press("Enter")
    wait_until(pages.page, "document.querySelector('[data-tile=backup]').dataset.tone === 'bad'")
    wait_until(pages.page, "document.querySelector('#announcements').innerText.startsWith('The status was refreshed')")
    assert "1 of 3 need attention" in pages.text()
    assert "enough for 29 days. Free up space soon" in pages.text("[data-tile=disk][data-tone=note]")
    assert "5 later events are blocked" in pages.text("[data-tile=parked]")
    assert "None yet" in pages.text("[data-tile=backup]") and "Unreachable" in pages.text("[data-state=silent]")
    assert pages.page.evaluate("document.activeElement.textContent") == "Refresh"
    answer["disk"] |= {"free": 3_900_000_000, "days": 0}
    pages.page.get_by_role("button", name="Refresh").press("Enter")
    wait_until(pages.page, "document.querySelector('[data-tile=disk]').dataset.tone === 'bad'")
    assert "Nothing new is recorded until 4 GB are free: free up space now." in pages.text("[data-tile=disk]")
    gateway.override["GET /v1/operations"] = (503, {"status": 503})
    pages.page.get_by_role("button", name="Refresh").press("Enter")
    wait_until(pages.page, "document.querySelector('.signal').textContent.includes('does not answer')")
    assert "1 of 3 need attention" in pages.text(), "what was said last is gone"
    gateway.override.clear()
    grower = staff("grower")
    assert grower.page.locator('.menu a[href$="#/operations"]').count() == 0
    grower.go("/operations")
    assert grower.heading() == "This page cannot be shown"


@pytest.mark.shared
def test_the_whole_menu_of_an_administrator_fits_a_phone(staff):
    menu = staff("administrator").page.locator("nav.menu")
    assert menu.locator("a").count() == 8
    assert menu.evaluate("element => element.scrollWidth <= element.clientWidth")


@pytest.mark.shared
def test_auditors_see_everything_and_no_forms(gateway, staff):
    pages = staff("auditor")
    for path in ("/plots", "/plots/south", "/stores", "/stores/cold1", "/lots", f"/lots/{LOT}", "/sensors"):
        pages.go(path)
        assert pages.page.locator("main form:not([role=search])").count() == 0, path
        assert pages.page.locator("main h1").count() == 1


def test_a_lost_session_leads_to_the_sign_in_and_back(gateway, staff):
    pages = staff("grower")
    pages.go("/lots")
    gateway.end_sessions(STAFF["grower"])
    pages.page.evaluate("location.hash = '/plots'")
    pages.page.wait_for_selector('form[data-form="sign-in"]')
    pages.send("sign-in", email="grower@farm.test", password=PASSWORD)
    pages.page.wait_for_selector("nav.menu")
    assert pages.heading() == "Plots"


@pytest.mark.shared
def test_everything_can_be_done_with_the_keyboard(gateway, staff):
    pages = staff("grower")
    page = pages.page
    page.reload()
    pages.settle()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.locator("nav.menu a", has_text="Plots").focus()
    page.keyboard.press("Enter")
    pages.settle_on("/plots")
    wait_until(page, "document.activeElement.tagName === 'H1'")
    page.locator("main a", has_text="South terrace").focus()
    page.keyboard.press("Enter")
    pages.settle_on("/plots/south")
    page.locator("main").get_by_role("button", name="Correct Weeding").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("dialog[open]").count() == 1
    assert page.evaluate("document.querySelector('dialog').contains(document.activeElement)")
    page.keyboard.press("Escape")
    wait_until(page, "!document.querySelector('dialog')")


@pytest.mark.shared
def test_the_charts_of_a_place_follow_the_choice(gateway, staff):
    pages = staff("auditor")
    pages.go("/stores/cold1")
    pages.page.locator("climate-chart").scroll_into_view_if_needed()
    pages.page.wait_for_selector("climate-chart[data-drawn]")
    pages.page.select_option("#quantity", "humidity")
    wait_until(pages.page, "document.querySelector('figcaption').innerText.startsWith('Air humidity')")
