"""The staff's pages from the first link to the story that a printed label leads to."""

from datetime import UTC, datetime

import pytest
from fake_gateway import FakeGateway
from farm_state import FarmState
from sample_farm import LOT, NOW
from staff_driver import PASSWORD, StaffPages
from story_driver import StoryPage, wait_until


@pytest.fixture
def empty_gateway():
    """A Furrow on its first day."""
    gateway = FakeGateway(FarmState(datetime.now(UTC))).start()
    yield gateway
    gateway.stop()


def test_a_farm_goes_from_its_set_up_link_to_a_label_whose_story_verifies(empty_gateway, new_phone):
    gateway = empty_gateway
    staff = StaffPages(new_phone(), gateway.url)
    staff.set_up(f"{gateway.url}/setup#{gateway.api.setup_token}", "Ana Ruiz", "ana@farm.test")
    assert staff.heading() == "Create your farm"
    staff.send("create-farm", title="Finca Ávila", country="es", zone="Europe/Madrid")
    assert staff.heading() == "Finca Ávila" and "add a plot" in staff.text()
    assert gateway.farm.farms["finca-avila"]["country"] == "ES"

    staff.go("/plots")
    staff.send("lay-out-plot", title="South terrace", crop="Tomatoes", areaSquareMetres="3400")
    staff.settle_on("/plots/south-terrace")
    assert staff.heading() == "South terrace" and "Nothing is recorded yet" in staff.text()
    staff.send("record-activity", kind="sowing", substance="Tomato seed", amount="1.2", unit="kg")
    assert staff.announced() == "Sowing was recorded."
    assert "Tomato seed, 1.2 kg" in staff.text(".work")

    staff.page.get_by_role("button", name="Correct Sowing").click()
    staff.send("correct-activity", amount="1.4", reason="Weighed again")
    assert staff.page.locator("dialog").count() == 0
    assert "Tomato seed, 1.4 kg" in staff.text(".work") and "Reason: Weighed again" in staff.text(".work")

    staff.go("/stores")
    staff.send("open-store", title="Cold room", cold=True)
    assert "Cold store" in staff.text()
    staff.go("/lots")
    staff.page.locator("main a", has_text="Record a harvest").click()
    staff.settle_on("/harvest")
    staff.send("harvest", product="Tomatoes", grams="120.5", lot="t-1")
    staff.settle_on("/lots/T-1")
    assert "Only valid inside this farm" in staff.text() and "pack the lot first" in staff.text()
    staff.unfold("Pack")
    staff.send("pack", boxes="10", gramsEach="5")
    assert staff.announced() == "10 boxes were packed." and "70.5 kg" in staff.text()
    staff.unfold("Move to a store")
    staff.send("store", store="cold-room")
    staff.unfold("Split")
    staff.send("split", grams="20")
    assert "Cold room" in staff.text() and "Split into" in staff.text()

    staff.press("print-labels")
    staff.unfold("Each label")
    links = staff.page.locator("#labels .links a", has_text="Story")
    assert links.count() == 10
    assert staff.page.locator("#labels a.button").get_attribute("href") == "/v1/lots/T-1/labels.pdf"
    buyer = StoryPage(new_phone())
    verdict = buyer.open(gateway.url + links.first.get_attribute("href"))
    assert verdict.tone == "good" and "Weighed again" in buyer.story_text()

    staff.unfold("Hand over")
    staff.send("hand-over", to="Mercado Central", document="A-17")
    assert "has left the farm" in staff.text() and "to Mercado Central" in staff.text()
    staff.sign_out()
    assert staff.page.locator("nav.menu").count() == 0
    assert staff.problems == [] and buyer.problems == []


def test_a_used_set_up_link_says_so(empty_gateway, new_phone):
    link = f"{empty_gateway.url}/setup#{empty_gateway.api.setup_token}"
    StaffPages(new_phone(), empty_gateway.url).set_up(link, "Ana", "ana@farm.test")
    late = StaffPages(new_phone(), empty_gateway.url)
    late.page.goto(link)
    late.settle()
    late.send("setup", name="Eve", email="eve@farm.test", password=PASSWORD)
    assert "was used" in late.problem()
    assert late.page.evaluate("document.activeElement.className") == "form-problem"
    late.page.goto(f"{empty_gateway.url}/setup")
    late.settle()
    assert "address is incomplete" in late.text()


def test_alarms_come_in_live_and_are_announced(gateway, staff):
    pages = staff("auditor")
    pages.page.wait_for_selector('[data-live="on"]')
    assert "All values are within their limits." in pages.text("#alarms")
    alarm = {"rule": "r-cold", "point": "p-cold", "place": "store/cold1", "quantity": "temperature", "value": 9.4,
             "limit": 8, "at": "2026-07-20T09:31:00Z", "raised": True}
    gateway.api.tell("alarm", alarm)
    pages.page.wait_for_selector("#alarms .alarm")
    assert "Cold room: temperature 9.4 °C, above the limit of 8 °C" in pages.text("#alarms")
    wait_until(pages.page, "document.querySelector('#announcements').innerText.startsWith('Alarm. Cold room')")
    gateway.api.tell("reading", {
        "place": "store/cold1", "device": "zb:00124b001938f2aa", "at": "2026-07-20T09:32:00Z",
        "readings": [{"quantity": "humidity", "value": 91, "unit": "%RH"},
                     {"quantity": "temperature", "value": 9.6, "unit": "Cel"}]})
    wait_until(pages.page, "document.querySelector('[data-place=\"store/cold1\"].place').innerText.includes('9.6')")
    assert "p-cold" not in pages.text("#alarms")
    # Of two in one place it is said which: one point has a title, the other is not known by one.
    gateway.api.tell("alarm", alarm | {"point": "p-door"})
    wait_until(pages.page, "document.querySelectorAll('#alarms .alarm').length === 2")
    title = next(point["title"] for point in gateway.farm.points.values() if point["point"] == "p-cold")
    assert f"({title})" in pages.text("#alarms") and "(p-door)" in pages.text("#alarms")
    gateway.api.tell("alarm", alarm | {"point": "p-door", "raised": False, "value": 7.1})
    gateway.api.tell("alarm", alarm | {"raised": False, "value": 7.2})
    pages.page.wait_for_selector("#alarms .calm")
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
    assert gateway.farm.points["field-by-the-well-gate"] == {
        "point": "field-by-the-well-gate", "title": "Field by the well, gate", "place": "plot/well",
        "device": "ble:d2a3356ac1f0"}
    pages.send("set-rule", place="plot/well", quantity="temperature", below="-1")
    assert "Field by the well temperature below −1 °C" in pages.text("main")
    pages.form("set-rule").locator("[name=rule]").select_option("r-cold")
    assert pages.form("set-rule").locator("[name=above]").input_value() == "8"
    pages.send("set-rule", above="7")
    assert gateway.farm.rules["r-cold"]["above"] == 7 and len(gateway.farm.rules) == 2
    pages.send("set-rule", place="plot/well", quantity="humidity")
    assert "Give a limit above or below." in pages.text('[data-field="above"]')


def test_people_are_added_and_erased_by_administrators_only(gateway, staff):
    grower = staff("grower")
    assert "Staff" not in grower.text("nav.menu")
    grower.go("/people")
    assert "This page cannot be shown" in grower.text()
    pages = staff("administrator")
    pages.go("/people")
    pages.send("create-account", name="Luz Mora", email="luz@farm.test", role="auditor", password="a long password")
    assert "Luz Mora" in pages.text()
    pages.send("create-account", name="Luz Mora", email="luz@farm.test", role="auditor", password="a long password")
    assert "with this e-mail already" in pages.problem()
    pages.page.get_by_role("button", name="Erase Luz Mora").click()
    pages.page.get_by_role("button", name="Cancel").click()
    assert "Luz Mora" in pages.text()
    pages.page.get_by_role("button", name="Erase Luz Mora").click()
    pages.press("erase")
    wait_until(pages.page, "!document.querySelector('main').innerText.includes('Luz Mora')")
    assert not [one for one in gateway.api.accounts.values() if one["email"] == "luz@farm.test"]


def test_administrators_see_how_the_server_stands_and_others_do_not(gateway, staff):
    pages = staff("administrator")
    pages.go("/operations")
    assert pages.heading() == "Server" and "All run" in pages.text() and "12.3 GB free" in pages.text()
    assert "enough for 4 years." in pages.text("[data-tile=disk]")
    assert [one.get_attribute("data-tone") for one in pages.page.locator("[data-tile]").all()] == ["good"] * 6
    answer = gateway.api.operations({})
    answer["services"][0] |= {"state": "silent", "troubles": ["It does not answer."]}
    answer |= {"parked": 2, "waiting": 5}
    answer["backup"] = {}
    answer["disk"]["days"] = 29
    gateway.override["GET /v1/operations"] = (200, answer)
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


def test_the_whole_menu_of_an_administrator_fits_a_phone(staff):
    menu = staff("administrator").page.locator("nav.menu")
    assert menu.locator("a").count() == 8
    assert menu.evaluate("element => element.scrollWidth <= element.clientWidth")


def test_auditors_see_everything_and_no_forms(gateway, staff):
    pages = staff("auditor")
    for path in ("/plots", "/plots/south", "/stores", "/stores/cold1", "/lots", f"/lots/{LOT}", "/sensors"):
        pages.go(path)
        assert pages.page.locator("main form:not([role=search])").count() == 0, path
        assert pages.page.locator("main h1").count() == 1


def test_a_lost_session_leads_to_the_sign_in_and_back(gateway, staff):
    pages = staff("grower")
    pages.go("/lots")
    gateway.api.sessions.clear()
    pages.page.evaluate("location.hash = '/plots'")
    pages.page.wait_for_selector('form[data-form="sign-in"]')
    pages.send("sign-in", email="grower@farm.test", password=PASSWORD)
    pages.page.wait_for_selector("nav.menu")
    assert pages.heading() == "Plots"


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


def test_the_charts_of_a_place_follow_the_choice(gateway, staff):
    pages = staff("auditor")
    pages.go("/stores/cold1")
    pages.page.locator("climate-chart").scroll_into_view_if_needed()
    pages.page.wait_for_selector("climate-chart[data-drawn]")
    pages.page.select_option("#quantity", "humidity")
    wait_until(pages.page, "document.querySelector('figcaption').innerText.startsWith('Air humidity')")
    assert NOW.year == 2026
