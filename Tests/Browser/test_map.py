"""The map of the directory with many farms: groups, closer views, and touch areas that never overlap."""

import random

import pytest
from conftest import DESKTOP
from shop_driver import Shop
from story_driver import wait_until

pytestmark = [pytest.mark.home("market"), pytest.mark.shared]
COUNTIES = ("Greene", "Unicoi", "Washington", "Henry", "Knox", "Shelby", "Davidson", "Cocke", "Sumner", "Blount")
SIZES = {"phone": {"width": 390, "height": 800}, "desk": DESKTOP}

#: The touch areas in sight, and how many pairs of them overlap by more than a rounding error.
LOOK = """() => {
    const boxes = [...document.querySelectorAll(".map [data-farms]")].map((one) => {
        const { left, right, top, bottom } = one.querySelector(".map-touch").getBoundingClientRect();
        return { farms: one.dataset.farms.split(" "), left, right, top, bottom };
    });
    const overlaps = boxes.flatMap((one, index) => boxes.slice(index + 1).filter((other) =>
        Math.min(one.right, other.right) - Math.max(one.left, other.left) > 0.5
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.5));
    const names = [...document.querySelectorAll(".map-name")].map((one) => one.getBoundingClientRect());
    const piled = names.flatMap((one, index) => names.slice(index + 1).filter((other) =>
        Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 4));
    return { spots: boxes.map(({ farms }) => farms), overlaps: overlaps.length, piled: piled.length,
             least: Math.min(...boxes.map(({ left, right }) => right - left)) };
}"""


def with_many_farms(gateway) -> int:
    """61 farms in place of the five: in clusters, some of them at the very same place."""
    chance = random.Random(61)
    places = [(chance.uniform(35.1, 36.5), chance.uniform(-89.5, -82.0)) for _ in range(12)]
    farms = []
    for number in range(61):
        latitude, longitude = places[number % len(places)]
        near = 0 if number % 5 == 0 else chance.choice((0.002, 0.02, 0.2))
        farms.append({
            "id": f"farm-{number}", "title": f"Farm {number}", "county": COUNTIES[number % len(COUNTIES)],
            "region": "Tennessee", "zone": "UTC", "latitude": latitude + chance.uniform(-near, near),
            "longitude": longitude + chance.uniform(-near, near)})
    gateway.tell("farms", *farms, gone=tuple(gateway.pulled("farms")))
    return len(farms)


def looked(shop: Shop) -> dict:
    seen = shop.page.evaluate(LOOK)
    assert seen["overlaps"] == 0, seen
    assert seen["least"] > 43.5, seen["least"]
    return seen


@pytest.mark.parametrize("screen", SIZES)
def test_no_two_touch_areas_of_the_map_overlap_at_any_depth(gateway, new_phone, pictures, screen):
    count = with_many_farms(gateway)
    shop = Shop(new_phone(viewport=SIZES[screen]), gateway.url)
    shop.go("/directory/map").page.wait_for_selector(".map [data-farms]")
    page = shop.page
    first = looked(shop)
    assert first["piled"] == 0 and sum(len(farms) for farms in first["spots"]) == count
    page.screenshot(path=pictures / f"map-{screen}.png", full_page=True)
    seen, views, deepest = {farms[0] for farms in first["spots"] if len(farms) == 1}, 1, 0
    for _ in range(count):
        unseen = next((farms for farms in looked(shop)["spots"] if len(farms) > 1 and not set(farms) <= seen), None)
        if unseen is None and len(seen) == count:
            break
        assert unseen is not None, f"{count - len(seen)} farms cannot be reached"
        for _ in range(12):
            page.locator(f'.map-group[data-farms="{" ".join(unseen)}"]').dispatch_event("click")
            view = looked(shop)
            views += 1
            seen |= {farms[0] for farms in view["spots"] if len(farms) == 1}
            unseen = next((farms for farms in view["spots"] if len(farms) > 1 and not set(farms) <= seen), None)
            if page.locator(".map-button[aria-label='Zoom in']").get_attribute("aria-disabled") == "true":
                deepest += 1
                page.screenshot(path=pictures / f"map-closest-{screen}.png", full_page=True)
                assert all(len(farms) == 1 for farms in view["spots"]), "the closest view has no groups"
            if unseen is None:
                break
        page.get_by_role("button", name="Whole map").click()
    print(f"map: {count} farms in {len(first['spots'])} spots at first, {views} views, {deepest} of them the closest: "
          f"0 touch areas overlap")
    assert len(seen) == count and deepest >= 3 and shop.problems == []


def test_the_map_is_used_with_the_keyboard_and_said_to_those_who_do_not_see_it(gateway, shop):
    with_many_farms(gateway)
    page = shop.go("/directory/map").page
    page.wait_for_selector(".map-group")
    group = page.locator(".map-group").first
    assert group.get_attribute("role") == "button" and "zoom in" in group.get_attribute("aria-label")
    group.focus()
    page.keyboard.press("Enter")
    wait_until(page, "document.querySelector('.map-said').innerText.startsWith('Zoomed in on')")
    assert page.evaluate("document.activeElement.closest('.map [data-farms]') !== null"), "the first has the focus"
    before = page.locator(".map").get_attribute("viewBox")
    page.keyboard.press("ArrowRight")
    wait_until(page, "before => document.querySelector('.map').getAttribute('viewBox') !== before", before)
    page.keyboard.press("-")
    page.get_by_role("button", name="Whole map").focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("button", name="Whole map").get_attribute("aria-disabled") == "true"
    for _ in range(10):
        if page.locator(".map-pin").count() > 0 and page.locator(".map-button[aria-label='Zoom in']").get_attribute(
                "aria-disabled") == "true":
            break
        page.locator(".map-group").first.focus()
        page.keyboard.press("Enter")
    page.locator(".map-pin").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector('main[data-page="farm"]')
    page.go_back()
    page.wait_for_selector(".map-pin")
