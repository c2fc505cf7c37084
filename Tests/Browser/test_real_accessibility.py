"""Every page of a real farm server, on a phone and on a desk: no violation that axe can find, nothing too wide."""

import pytest
from conftest import DESKTOP, PHONE
from real_farm import ADMINISTRATOR, LOT
from real_proxy import Proxy
from staff_driver import StaffPages
from story_driver import StoryPage
from test_accessibility import look

SCREENS = {"phone": PHONE, "desk": DESKTOP}
PAGES = {
    "/": "dashboard", "/plots": "plots", "/plots/p1": "plot", "/plots/p2": "plot-with-charts", "/stores": "stores",
    "/stores/s1": "store", "/lots": "lots", f"/lots/{LOT}": "lot", "/harvest/p1": "harvest", "/sensors": "sensors",
    "/market": "sales", "/market/products": "products", "/market/stock": "stock", "/market/places": "places",
    "/market/farm": "farm-page", "/people": "people", "/start-page": "start-page",
    "/account": "account", "/audit-log": "audit-log", "/operations": "operations", "/nowhere": "no-such-page",
}
seen: list[str] = []


def show(page, name: str, screen: str, pictures) -> None:
    for chart in page.locator("climate-chart").all():
        chart.scroll_into_view_if_needed()
        page.wait_for_selector("climate-chart[data-drawn]")
    page.evaluate("scrollTo(0, 0)")
    look(page, f"real-{name}", screen, "light", pictures)
    seen.append(f"{name}-{screen}")


@pytest.mark.parametrize("screen", SCREENS)
def test_story_pages_have_no_violation(real_farm, new_phone, pictures, screen):
    proxy = Proxy(real_farm.server.port)
    story = StoryPage(new_phone(viewport=SCREENS[screen], reduced_motion="reduce"))
    label = proxy.url + real_farm.label_path(LOT)
    gtin = real_farm.client.get(f"/v1/lots/{LOT}")["gtin"]
    assert "First visit" in story.open(label).words
    show(story.page, "story-first-visit", screen, pictures)
    story.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    show(story.page, "story-unfolded", screen, pictures)
    assert "Unchanged" in story.reload().words
    show(story.page, "story-later-visit", screen, pictures)
    assert story.open(f"{proxy.url}/01/{gtin}/10/{LOT}").tone == "note"
    show(story.page, "story-no-label", screen, pictures)
    assert story.open(f"{proxy.url}/01/{gtin}/10/NONE").state == "missing"
    show(story.page, "story-missing", screen, pictures)
    proxy.change["/passport"] = lambda body: body.replace(b'"size":', b'"size":1')
    assert story.open(label).tone == "bad"
    show(story.page, "story-failed", screen, pictures)
    proxy.close()
    assert "offline" in story.open(label).words
    show(story.page, "story-offline", screen, pictures)
    assert story.problems == []


@pytest.mark.parametrize("screen", SCREENS)
def test_staff_pages_have_no_violation(real_farm, new_phone, pictures, screen):
    pages = StaffPages(new_phone(viewport=SCREENS[screen], reduced_motion="reduce"), real_farm.url)
    pages.page.goto(f"{real_farm.url}/staff")
    pages.settle()
    show(pages.page, "staff-sign-in", screen, pictures)
    pages.page.goto(f"{real_farm.url}/setup#used")
    pages.settle()
    show(pages.page, "staff-set-up", screen, pictures)
    pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    pages.page.wait_for_selector('[data-live="on"]')
    for path, name in PAGES.items():
        pages.go(path)
        show(pages.page, f"staff-{name}", screen, pictures)
    pages.go(f"/lots/{LOT}")
    pages.press("print-labels")
    pages.page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    show(pages.page, "staff-lot-unfolded", screen, pictures)
    pages.go("/plots/p2")
    pages.page.get_by_role("button", name="Correct").first.click()
    show(pages.page, "staff-correction", screen, pictures)
    assert pages.problems == []


def test_enough_pages_were_looked_at():
    print(f"real pages without a violation: {len(seen)}")
    assert len(seen) >= 54 and len(set(seen)) == len(seen)
