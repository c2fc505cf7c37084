"""The plan of an inventory: pins are set by finger and by keys, and a stocktake shows what is found on it."""

import io

import pytest
from beacons import BeaconTag, Reader, admitted
from conftest import DESKTOP, PHONE
from PIL import Image, ImageDraw
from radio_farm import ADMINISTRATOR, RadioFarm, until
from staff_driver import StaffPages
from test_accessibility import look


def drawn_plan() -> bytes:
    """A shed of 800 by 500 pixels with two shelves and a door."""
    image = Image.new("RGB", (800, 500), "#f4efe2")
    pen = ImageDraw.Draw(image)
    pen.rectangle((20, 20, 780, 480), outline="#5e5a49", width=6)
    for box in ((60, 60, 340, 130), (60, 370, 340, 440), (600, 60, 720, 440)):
        pen.rectangle(box, fill="#d8c9a3", outline="#5e5a49", width=3)
    pen.line((420, 480, 500, 480), fill="#f4efe2", width=8)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def shed():
    farm = RadioFarm({})
    try:
        farm.open_cold_store()
        farm.client.make("PUT", "/v1/inventories/tools", {"title": "Tools"})
        for item in ("axe", "rake", "saw"):
            farm.client.make("PUT", f"/v1/items/{item}", {"inventory": "tools", "title": item.title(), "code": item})
        yield farm
    finally:
        farm.destroy()


def spots(farm: RadioFarm) -> dict[str, dict | None]:
    return {item["item"]: item.get("spot") for item in farm.client.items("/v1/inventories/tools/items")}


def test_items_have_pins_on_a_plan_and_a_stocktake_shows_on_it_what_is_found(shed, new_phone, pictures, tmp_path):
    (tmp_path / "plan.png").write_bytes(drawn_plan())
    staff = StaffPages(new_phone(viewport=PHONE), shed.url)
    staff.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    staff.ready()
    page = staff.page
    # Given a plan
    staff.go("/inventories/tools")
    page.locator("#change-inventory summary").click()
    form = staff.form("change-inventory")
    form.locator('input[type="file"]').set_input_files(tmp_path / "plan.png")
    form.locator(".picture-view img").wait_for()
    form.locator("button[type=submit]").click()
    page.wait_for_selector("#plan img")
    # When two items get a pin, one with a finger and one with keys
    page.get_by_role("button", name="Change Axe").click()
    choice = page.locator("dialog .plan-choice")
    box = choice.bounding_box()
    assert box is not None
    choice.click(position={"x": box["width"] * 0.25, "y": box["height"] * 0.2})
    page.locator("dialog").get_by_text("The pin is 25 % from the left and 20 % from the top.").wait_for()
    look(page, "spot", "phone", "light", pictures)
    page.locator("dialog button[type=submit]").click()
    until(lambda: spots(shed)["axe"], 20, "the axe to have a spot")
    page.wait_for_selector("#plan .pin")
    page.get_by_role("button", name="Change Rake").click()
    page.locator("dialog .plan-choice").focus()
    for key in ("Shift+ArrowRight", "Shift+ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    page.locator("dialog button[type=submit]").click()
    until(lambda: spots(shed)["rake"], 20, "the rake to have a spot")
    found = spots(shed)
    assert found["rake"] == {"x": 600, "y": 510} and found["saw"] is None
    assert found["axe"] is not None and abs(found["axe"]["x"] - 250) <= 5 and abs(found["axe"]["y"] - 200) <= 5
    page.wait_for_selector("#plan .pin >> nth=1")
    look(page, "plan", "phone", "light", pictures)
    page.set_viewport_size({"width": DESKTOP["width"], "height": DESKTOP["height"]})
    look(page, "plan", "desk", "dark", pictures)
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    page.get_by_role("button", name="Rake", exact=True).click()
    assert page.evaluate("document.activeElement.dataset.item") == "rake"
    # Then a stocktake shows them, also without a network: what is counted at the pin is found
    page.locator("[data-form=start-stocktake] button[type=submit]").click()
    page.wait_for_selector("#tally :text('0 of 3')")
    page.wait_for_selector("#plan img")
    page.context.set_offline(True)
    page.get_by_role("button", name="Axe: missing", exact=True).click()
    page.locator("#plan").get_by_role("button", name="Found: Axe").click()
    page.get_by_role("button", name="Axe: found", exact=True).wait_for()
    width = page.evaluate("document.querySelector('#plan img').naturalWidth")
    look(page, "stocktake-plan", "phone", "light", pictures)
    page.context.set_offline(False)
    stocktake = page.url.rsplit("/", 1)[1]
    until(lambda: shed.client.get(f"/v1/stocktakes/{stocktake}")["found"] == 1, 60, "the count to arrive")
    lines = " ".join(shed.client.items(f"/v1/stocktakes/{stocktake}/lines"))
    assert width == 800 and '"spot":{"x":600,"y":510}' in lines
    # An item that is changed elsewhere keeps its spot while the inventory has no plan
    shed.client.make("PUT", "/v1/inventories/tools", {"title": "Tools"})
    staff.go("/inventories/tools")
    page.get_by_role("button", name="Change Rake").click()
    assert page.locator("dialog .plan-choice").count() == 0
    page.locator("dialog [name=title]").fill("Hay rake")
    page.locator("dialog button[type=submit]").click()
    page.get_by_text("Hay rake").first.wait_for()
    assert spots(shed)["rake"] == {"x": 600, "y": 510}
    print(f"2 of {len(found)} items have a pin; 1 was counted at its pin without a network")
    assert staff.problems == []


def test_numbers_of_tags_are_proposed_checked_at_a_reader_and_printed(shed, new_phone, pictures):
    client = shed.client
    token = admitted(client, "barn")
    # Given a tag on the axe, one that was set up for the rake, and one that is received too seldom
    tags = [BeaconTag(1, -50), BeaconTag(2, -50), BeaconTag(9, -82)]
    client.make("PUT", "/v1/items/axe", {"inventory": "tools", "title": "Axe", "code": "axe", "beacon": tags[0].beacon,
                                         "spot": {"x": 1, "y": 2}})
    client.make("PUT", "/v1/items/hoe", {"inventory": "tools", "title": "Hoe", "beacon": tags[2].beacon})
    staff = StaffPages(new_phone(viewport=PHONE), shed.url)
    staff.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    page = staff.page
    reader = Reader(shed.server.port, token, tags)
    try:
        staff.go("/inventories/tools")
        page.get_by_role("link", name="Set up beacons for these items").click()
        # Then the next numbers of the same UUID are proposed, and what readers receive is said
        rake = page.locator("#proposals [data-item=rake]")
        rake.get_by_text("major 1, minor 2").wait_for()
        rake.get_by_text("A tag with these numbers is near barn already").wait_for(timeout=20_000)
        page.locator("#proposals [data-item=saw]").get_by_text("major 1, minor 3").wait_for()
        page.locator("#tagged [data-item=axe]").get_by_text("good.").wait_for(timeout=20_000)
        page.locator("#tagged [data-item=hoe]").get_by_text("raise its transmission power").wait_for(timeout=20_000)
        look(page, "beacon-numbers", "phone", "light", pictures)
        page.set_viewport_size({"width": DESKTOP["width"], "height": DESKTOP["height"]})
        look(page, "beacon-numbers", "desk", "dark", pictures)
        # When the numbers are used, the rest of the item stays
        rake.get_by_role("button", name="Use these numbers for Rake").click()
        page.locator("#tagged [data-item=rake]").get_by_text("good.").wait_for(timeout=20_000)
        (item,) = [one for one in client.items("/v1/inventories/tools/items") if one["item"] == "rake"]
        assert item["beacon"] == tags[1].beacon and item["code"] == "rake" and item["title"] == "Rake"
        # The printed page has the labels, and nothing else of the list
        page.emulate_media(media="print")
        assert page.locator(".tag-label:visible").count() == 3 and page.locator("#proposals li:visible").count() == 0
        page.emulate_media(media="screen")
        print("3 labels; 2 proposals, 1 warning of numbers in use, 1 of a weak signal")
        assert staff.problems == []
    finally:
        reader.close()
