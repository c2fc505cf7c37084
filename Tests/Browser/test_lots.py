"""The staff's page of lots on a farm with thousands of them: pages, search, and a harvest on a page of its own."""

from datetime import datetime, timedelta

import pytest
from sample_farm import NOW
from staff_driver import StaffPages

COUNT = 4000
SIZES = {"phone": {"width": 390, "height": 800}, "desk": {"width": 1280, "height": 900}}


def with_many_lots(gateway) -> None:
    """Lots of the last years, three a day, on both plots."""
    first = next(iter(gateway.farm.lots.values()))
    plots = [name.removeprefix("plot/") for name in gateway.farm.places if name.startswith("plot/")]
    newest = NOW if isinstance(NOW, datetime) else datetime.fromisoformat(NOW)
    for number in range(COUNT):
        lot = f"N-{number:04d}"
        harvested = (newest - timedelta(hours=8 * number)).strftime("%Y-%m-%dT%H:%M:%SZ")
        gateway.farm.lots[lot] = first | {
            "lot": lot, "product": f"Beans {number % 7}", "gtin": f"0200000{number:06d}0", "harvested": harvested,
            "plot": plots[number % len(plots)], "boxList": [], "printed": False, "custody": []}
    gateway.farm.pack("N-3987", 2, 100)


def found(pages: StaffPages) -> list[str]:
    return pages.page.eval_on_selector_all("[data-lot]", "all => all.map((one) => one.dataset.lot)")


def search(pages: StaffPages, **values) -> list[str]:
    pages.go("/lots")
    pages.fill("search-lots", **values).locator("button[type=submit]").click()
    pages.page.wait_for_function("location.hash.includes('?')")
    pages.page.wait_for_timeout(50)
    pages.settle()
    return found(pages)


@pytest.mark.parametrize("screen", SIZES)
def test_four_thousand_lots_are_pages_of_forty(gateway, staff, pictures, screen):
    with_many_lots(gateway)
    pages = staff("grower", viewport=SIZES[screen])
    pages.go("/lots")
    height = pages.page.evaluate("document.documentElement.scrollHeight")
    print(f"lots: {COUNT} on a page of {height} px at {SIZES[screen]['width']} px, {len(found(pages))} shown")
    assert len(found(pages)) == 40 and height < 10_000
    pages.page.screenshot(path=pictures / f"lots-{screen}.png")
    seen = found(pages)
    pages.page.get_by_role("link", name="Older lots").click()
    pages.page.wait_for_function("first => document.querySelector('[data-lot]')?.dataset.lot !== first", arg=seen[0])
    pages.settle()
    assert len(found(pages)) == 40 and not set(seen) & set(found(pages))
    pages.page.get_by_role("link", name="Newest lots").click()
    pages.page.wait_for_function("first => document.querySelector('[data-lot]')?.dataset.lot === first", arg=seen[0])
    assert found(pages) == seen
    pages.page.go_back()
    pages.page.wait_for_function("first => document.querySelector('[data-lot]')?.dataset.lot !== first", arg=seen[0])


def test_a_lot_is_found_by_number_product_item_number_serial_plot_day_and_a_scanned_label(gateway, staff, pictures):
    with_many_lots(gateway)
    pages = staff("grower")
    lot = gateway.farm.lots["N-3987"]
    serial = lot["boxList"][1]["serial"]
    for words in ("n-3987", lot["gtin"], serial, serial.lower(), f"{gateway.url}/S1AB2CXYZ/01/{lot['gtin']}/10/N-3987",
                  f"https://farm.example/01/{lot['gtin']}/10/N-3987/21/{serial}"):
        assert search(pages, q=words) == ["N-3987"], words
    pages.page.screenshot(path=pictures / "lots-found.png")
    assert pages.form("search-lots").locator("[name=q]").input_value().endswith(serial), "the words stay"
    assert search(pages, q="beans 3", plot=lot["plot"])[0].startswith("N-")
    assert all(gateway.farm.lots[name]["plot"] == lot["plot"] for name in found(pages)) and len(found(pages)) == 40
    # What has three harvests a day in UTC has them on the farm's days, too.
    day = datetime.fromisoformat(lot["harvested"]).strftime("%Y-%m-%d")
    same = search(pages, day=day)
    assert 2 <= len(same) <= 4 and "N-3987" in same
    assert search(pages, q="turnips of nowhere") == [] and "No matching lots." in pages.text()
    pages.page.locator(".nothing a", has_text="All lots").click()
    pages.settle_on("/lots")
    assert len(found(pages)) == 40


def test_a_search_that_the_server_answers_in_parts_goes_on_by_itself(gateway, staff):
    pages = staff("grower")
    lot = gateway.api.lots({})["items"][0]
    gateway.override["GET /v1/lots"] = [
        (200, {"items": [], "next": "0|1|a"}), (200, {"items": [], "next": "0|2|b"}), (200, {"items": [lot]})]
    pages.page.goto(f"{gateway.url}/staff#/lots?q=old%20turnips")
    pages.page.wait_for_selector("[data-lot]")
    assert found(pages) == [lot["lot"]]
    asked = [path for _, path in gateway.requests if path.startswith("/v1/lots?")]
    assert ["after=0%7C1%7Ca" in asked[-2], "after=0%7C2%7Cb" in asked[-1]] == [True, True], asked
    assert "q=old%20turnips" in asked[-1]


def test_without_a_connection_the_newest_lots_are_searched(gateway, staff):
    with_many_lots(gateway)
    pages = staff("grower")
    pages.cut_off(gateway, "/lots")
    pages.page.goto(f"{gateway.url}/staff#/lots?q=N-0005")
    pages.page.wait_for_selector(".note")
    assert found(pages) == ["N-0005"] and "only the newest 40 lots are searched" in pages.text()


def test_a_harvest_has_a_page_of_its_own(gateway, staff):
    pages = staff("grower")
    pages.go("/lots")
    assert pages.page.locator('form[data-form="harvest"]').count() == 0
    pages.page.locator("main a", has_text="Record a harvest").click()
    pages.settle_on("/harvest")
    assert pages.heading() == "Record a harvest"
    pages.send("harvest", product="Chard", grams="3", lot="chard-2")
    pages.settle_on("/lots/CHARD-2")
