"""The history of a place: curves of all its sensors side by side, with limits and alarms, over any period, as CSV too."""

import csv
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from conftest import DESKTOP
from radio_farm import ADMINISTRATOR, RadioFarm, until
from staff_driver import StaffPages
from story_driver import wait_until
from tags import Tag
from test_accessibility import look

SMALL = {"width": 390, "height": 844}
HOURS = 60


@pytest.fixture(scope="module")
def two_shelves():
    """A cold store with two sensors: sixty hours of reports, one of them too warm, and then an alarm."""
    farm = RadioFarm()
    try:
        farm.server.claim()
        make = farm.client.make
        make("POST", "/v1/farms", {"farm": "creek", "title": "Horse Creek", "zone": "America/New_York"})
        make("POST", "/v1/stores", {"farm": "creek", "store": "cold", "title": "Cold store", "cold": True})
        make("POST", "/v1/stores", {"farm": "creek", "store": "barn", "title": "Barn"})
        tags = {"Top shelf": Tag(1, family=0xEA), "Door": Tag(2, family=0xEA)}
        for title, tag in tags.items():
            make("PUT", f"/v1/points/{title.split()[0].lower()}", {
                "title": title, "place": "store/cold", "device": tag.device})
        make("PUT", "/v1/rules/warm", {"place": "store/cold", "quantity": "temperature", "above": 8, "below": 1})
        start = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=HOURS)
        for hour in range(HOURS):
            adverts = []
            for number, tag in enumerate(tags.values()):
                warm = 9.5 if number == 1 and hour == 40 else 3 + number + hour % 5 / 4
                at = (start + timedelta(hours=hour)).isoformat().replace("+00:00", "Z")
                adverts.append(tag.advert(temperature=warm, humidity=85) | {"at": at})
            make("POST", "/v1/adverts", {"adverts": adverts})
        make("POST", "/v1/adverts", {"adverts": [tags["Door"].advert(temperature=8.75, humidity=85)]})
        until(lambda: farm.client.items("/v1/alarms/history", point="door"), 20, "the alarm")
        until(lambda: sum(one["n"] for one in farm.client.items(
            "/v1/readings", place="store/cold", quantity="temperature", resolution="1d")) == 2 * HOURS + 1, 20, "all")
        yield farm, start
    finally:
        farm.destroy()


def opened(context, farm, path: str) -> StaffPages:
    pages = StaffPages(context, farm.url)
    pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    pages.go(path)
    return pages


def drawn(pages: StaffPages) -> None:
    pages.page.wait_for_selector(".histories[data-loaded]")
    for chart in pages.page.locator("climate-chart").all():
        chart.scroll_into_view_if_needed()
    wait_until(pages.page, "!document.querySelector('climate-chart:not([data-drawn])')")


def test_the_curves_of_a_place_show_limits_alarms_and_the_worst_value(two_shelves, new_phone, pictures):
    farm, start = two_shelves
    first = (start - timedelta(days=1)).date()
    pages = opened(new_phone(viewport=DESKTOP), farm, f"/stores/cold/history?period=days&on={first}")
    drawn(pages)
    assert pages.page.locator("figure h2").all_inner_texts() == ["Cold store", "Door", "Top shelf"]
    for title in ("Cold store", "Door"):
        figure = pages.text(f'figure[data-title="{title}"]')
        assert "Worst value 9.5 °C" in figure.replace("\n", " ") and "Beyond the limit" in figure
        assert "1.5 °C·h above the limit of 8 °C" in figure and "2 alarms" in figure, figure
    assert "Within the limits" in pages.text('figure[data-title="Top shelf"]')
    assert "Last value 8.8 °C" in pages.text('figure[data-title="Door"]').replace("\n", " ")
    pages.page.screenshot(path=pictures / "history-1280.png", full_page=True)

    door = pages.page.locator('figure[data-title="Door"]')
    with pages.page.expect_download() as download:
        door.locator("a[download]").click()
    rows = list(csv.DictReader(open(download.value.path(), newline="")))
    assert sum(int(row["n"]) for row in rows) == HOURS + 1
    assert max(float(row["temperature max (Cel)"] or 0) for row in rows) == 9.5

    door.locator("summary", has_text="Values as a table").click()
    table = door.locator("table")
    table.locator("tbody tr").first.wait_for()
    assert table.locator("thead th").all_inner_texts() == ["Time", "Lowest", "Mean", "Highest", "Reports"]
    assert table.locator("tbody tr").count() == len([row for row in rows if row["n"] != "0"])
    assert "9.5\u00a0°C" in table.inner_text()
    assert pages.problems == []


def test_a_person_reads_values_in_the_units_of_their_choice(two_shelves, new_phone, pictures):
    farm, start = two_shelves
    first = (start - timedelta(days=1)).date()
    pages = opened(new_phone(viewport=SMALL), farm, "/account")
    choose_units(pages, "us")
    pages.go(f"/stores/cold/history?period=days&on={first}")
    drawn(pages)
    figure = pages.text('figure[data-title="Door"]').replace("\n", " ").replace("\u00a0", " ")
    assert "Worst value 49.1 °F" in figure and "2.7 °F·h above the limit of 46.4 °F" in figure, figure
    assert "°C" not in figure
    axis = pages.page.locator('figure[data-title="Door"] .dygraph-axis-label-y').all_inner_texts()
    assert axis and all(30 <= float(label) <= 60 for label in axis), axis
    look(pages.page, "history-fahrenheit", "phone", "light", pictures)
    pages.go("/account")
    choose_units(pages, "metric")
    assert pages.problems == []


def choose_units(pages: StaffPages, units: str) -> None:
    form = pages.form("set-language")
    form.locator("[name=units]").select_option(units)
    # The page loads again in the other units; a question to it at that moment would fail.
    with pages.page.expect_navigation():
        form.locator("button[type=submit]").click()
    pages.page.wait_for_selector("nav.menu")
    assert pages.page.evaluate("localStorage.getItem('furrow-units')") == units


def test_a_period_is_chosen_and_read_with_the_keyboard(two_shelves, new_phone):
    farm, _ = two_shelves
    pages = opened(new_phone(viewport=DESKTOP), farm, "/stores/cold")
    assert "Worst: 9.5 °C" in pages.text("figure")
    pages.page.get_by_role("link", name="History").focus()
    pages.page.keyboard.press("Enter")
    pages.page.wait_for_selector(".histories[data-loaded]")
    week = pages.text(".head p")
    pages.page.locator("select[name=kind]").focus()
    pages.page.keyboard.type("Day")
    pages.page.get_by_role("button", name="Show").press("Enter")
    wait_until(pages.page, "week => document.querySelector('.head p').innerText !== week", week)
    today = datetime.now(ZoneInfo("America/New_York")).date()
    assert f"period=day&on={today}" in pages.path, "of a week with today, the day is today"
    drawn(pages)
    pages.page.locator(".chart-plot").first.focus()
    pages.page.keyboard.press("ArrowRight")
    assert "°C" in pages.text(".chart-legend")
    day = pages.text(".head p")
    pages.page.get_by_role("link", name="Earlier").press("Enter")
    wait_until(pages.page, "day => document.querySelector('.head p').innerText !== day", day)
    drawn(pages)
    assert pages.problems == []


def test_a_phone_at_night_shows_the_history_and_a_place_without_sensors(two_shelves, new_phone, pictures):
    farm, start = two_shelves
    context = new_phone(viewport=SMALL, color_scheme="dark")
    pages = opened(context, farm, f"/stores/cold/history?period=days&on={start.date()}")
    drawn(pages)
    pages.page.screenshot(path=pictures / "history-390-dark.png", full_page=True)
    assert pages.page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"]
    pages.go("/stores/barn/history")
    assert "No sensor has measured here yet" in pages.text()
    pages.go("/stores/cold/history?period=days&on=2020-01-01&to=2020-01-31")
    pages.page.wait_for_selector(".histories[data-loaded]")
    assert "Nothing was measured in this time" in pages.text()
    assert pages.problems == []


def test_the_growth_table_of_a_plot_shows_climate_treatments_and_corrections(two_shelves, new_phone, pictures):
    farm, start = two_shelves
    make, tag = farm.client.make, Tag(3, family=0xEA)
    make("POST", "/v1/plots", {"farm": "creek", "plot": "south", "title": "South field"})
    make("PUT", "/v1/points/south", {"title": "South", "place": "plot/south", "device": tag.device})
    reported = [tag.advert(temperature=20 + hour, humidity=60) | {
        "at": (start + timedelta(hours=hour)).isoformat().replace("+00:00", "Z")} for hour in range(3)]
    make("POST", "/v1/adverts", {"adverts": reported})
    done = make("POST", "/v1/plots/south/activities", {
        "kind": "fertilising", "substance": "Compost", "amount": 300, "unit": "kg",
        "happened": (start + timedelta(hours=5)).isoformat().replace("+00:00", "Z")})
    make("POST", f"/v1/activities/{done['activity']}/corrections", {"amount": 30, "reason": "One nought too many"})
    until(lambda: len(farm.client.items("/v1/growth", plot="south")) == 4, 20, "the table")

    pages = opened(new_phone(viewport=SMALL), farm, "/plots/south")
    pages.page.get_by_role("link", name="Growth table").click()
    pages.settle_on("/plots/south/growth")
    pages.go(f"/plots/south/growth?period=days&on={(start - timedelta(days=1)).date()}")
    rows = pages.page.locator(".growth tbody tr")
    assert [row.get_attribute("data-serial") for row in rows.all()] == ["1", "2", "3", "4"]
    assert "22 °C" in rows.nth(2).inner_text().replace("\u00a0", " ")
    assert "Compost, 30 kg" in rows.nth(3).inner_text()
    assert "Corrected. Before: Compost, 300 kg: One nought too many" in rows.nth(3).inner_text()
    assert pages.page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"]
    pages.page.screenshot(path=pictures / "growth-390.png", full_page=True)
    with pages.page.expect_download() as download:
        pages.page.get_by_role("link", name="Download CSV").click()
    records = list(csv.DictReader(open(download.value.path(), newline="")))
    assert [record["SAF05 fertilizer"] for record in records] == ["", "", "", "Compost, 30 kg"]
    assert [record["SAF02 temperature (Cel)"] for record in records] == ["20.0", "21.0", "22.0", ""]
    assert pages.problems == []
