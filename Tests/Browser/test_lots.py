"""The staff's page of lots on a farm with hundreds of them: pages, search, and a harvest on a page of its own."""

from datetime import datetime

import pytest
from gateway import LOT
from staff_driver import StaffPages
from story_driver import wait_until

SIZES = {"phone": {"width": 390, "height": 800}, "desk": {"width": 1280, "height": 900}}
#: The stored home with hundreds of lots.
MANY = pytest.mark.home("lots")


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
@pytest.mark.shared
@MANY
def test_hundreds_of_lots_are_pages_of_forty(gateway, staff, pictures, screen):
    pages = staff("grower", viewport=SIZES[screen])
    pages.go("/lots")
    height = pages.page.evaluate("document.documentElement.scrollHeight")
    print(f"lots: a page of {height} px at {SIZES[screen]['width']} px, {len(found(pages))} shown")
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


@pytest.mark.shared
@MANY
def test_a_lot_is_found_by_number_product_item_number_serial_plot_day_and_a_scanned_label(gateway, staff, pictures):
    pages = staff("grower")
    lot = gateway.client.get("/v1/lots/N-0387")
    serial = lot["boxList"][1]["serial"]
    for words in ("n-0387", lot["gtin"], serial, serial.lower(), f"{gateway.url}/S1AB2CXYZ/01/{lot['gtin']}/10/N-0387",
                  f"https://farm.example/01/{lot['gtin']}/10/N-0387/21/{serial}"):
        assert search(pages, q=words) == ["N-0387"], words
    pages.page.screenshot(path=pictures / "lots-found.png")
    assert pages.form("search-lots").locator("[name=q]").input_value().endswith(serial), "the words stay"
    assert search(pages, q="beans 2", plot=lot["plot"])[0].startswith("N-")
    assert all(name.startswith("N-") and int(name[2:]) % 2 == 1 for name in found(pages)) and len(found(pages)) == 40
    # What has three harvests a day in UTC has them on the farm's days, too.
    day = datetime.fromisoformat(lot["harvested"]).strftime("%Y-%m-%d")
    same = search(pages, day=day)
    assert 2 <= len(same) <= 4 and "N-0387" in same
    assert search(pages, q="turnips of nowhere") == [] and "No matching lots." in pages.text()
    pages.page.locator(".nothing a", has_text="All lots").click()
    pages.settle_on("/lots")
    assert len(found(pages)) == 40


@pytest.mark.shared
def test_a_search_that_the_server_answers_in_parts_goes_on_by_itself(gateway, staff):
    pages = staff("grower")
    lot = gateway.client.get(f"/v1/lots/{LOT}")
    gateway.override["GET /v1/lots"] = [
        (200, {"items": [], "next": "0|1|a"}), (200, {"items": [], "next": "0|2|b"}), (200, {"items": [lot]})]
    pages.page.goto(f"{gateway.url}/staff#/lots?q=old%20turnips")
    pages.page.wait_for_selector("[data-lot]")
    assert found(pages) == [lot["lot"]]
    asked = [path for _, path in gateway.requests if path.startswith("/v1/lots?")]
    assert ["after=0%7C1%7Ca" in asked[-2], "after=0%7C2%7Cb" in asked[-1]] == [True, True], asked
    assert "q=old%20turnips" in asked[-1]


@pytest.mark.shared
@MANY
def test_without_a_connection_the_newest_lots_are_searched(gateway, staff):
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


def test_a_harvest_is_written_down_with_the_keyboard_alone(gateway, staff):
    desk = staff("grower")
    page = desk.page
    desk.go("/")
    page.evaluate("document.activeElement.blur()")
    press_until(page, "document.activeElement.closest('nav') && document.activeElement.textContent.trim() === 'Lots'")
    page.keyboard.press("Enter")
    desk.settle_on("/lots")
    press_until(page, "document.activeElement.textContent === 'Record a harvest'")
    page.keyboard.press("Enter")
    desk.settle_on("/harvest")
    press_until(page, "document.activeElement.name === 'plot'")
    page.keyboard.type("South terrace")
    for name, text in {"product": "Parsley", "grams": "7.5"}.items():
        press_until(page, f"document.activeElement.name === '{name}'")
        page.keyboard.press("Control+a")
        page.keyboard.type(text)
    press_until(page, "document.activeElement.name === 'lot'")
    page.keyboard.type("par-1")
    page.keyboard.press("Enter")
    desk.settle_on("/lots/PAR-1")
    wait_until(page, "document.activeElement.tagName === 'H1'")
    lot = gateway.client.get("/v1/lots/PAR-1")
    assert (lot["product"], lot["grams"], lot["plot"]) == ("Parsley", 7500, "south")


def press_until(page, expression: str, key: str = "Tab", most: int = 60) -> None:
    for _ in range(most):
        page.keyboard.press(key)
        if page.evaluate(expression):
            return
    raise AssertionError(f"{most} times {key}, and never {expression}")
