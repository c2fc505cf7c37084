"""Beacons in the browser: what is near, a tag that is held to a reader, and a stocktake that counts by itself."""

import pytest
from beacons import BeaconTag, Reader, admitted
from conftest import DESKTOP, PHONE
from radio_farm import ADMINISTRATOR, RadioFarm, until
from staff_driver import StaffPages
from test_accessibility import look


@pytest.fixture
def shed():
    farm = RadioFarm({})
    try:
        farm.open_cold_store()
        farm.client.make("PUT", "/v1/inventories/tools", {"title": "Tools"})
        yield farm
    finally:
        farm.destroy()


def test_a_walk_with_a_reader_counts_the_tools_that_have_a_tag(shed, new_phone, pictures):
    client = shed.client
    token = admitted(client, "barn")
    tags = [BeaconTag(number, -54) for number in range(1, 5)]
    for tag in tags[1:]:
        client.make("PUT", f"/v1/items/tool-{tag.minor}", {
            "inventory": "tools", "title": f"Tool {tag.minor}", "beacon": tag.beacon})
    staff = StaffPages(new_phone(viewport=PHONE), shed.url)
    staff.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    staff.ready()
    page = staff.page

    # A tag that is held to a reader is put into the form of a new item.
    tags[0].rssi = -40
    reader = Reader(shed.server.port, token, [*tags[:3], BeaconTag(77, -85)])
    try:
        staff.go("/inventories/tools")
        page.locator("[data-form=set-item]").get_by_role("button", name="Take the tag at a reader").click()
        page.wait_for_function(
            "beacon => document.querySelector('[data-form=set-item] [name=beacon]').value === beacon",
            arg=tags[0].beacon, timeout=20_000)
        look(page, "item-tag", "phone", "light", pictures)
        staff.send("set-item", title="Tool 1")
        assert {item["beacon"] for item in client.items("/v1/inventories/tools/items")} == {
            tag.beacon for tag in tags}

        # What is near is shown with the names of the items.
        staff.go("/beacons")
        first = page.locator("[data-reader='gateway/barn'] li").first
        first.get_by_text("Tool 1").wait_for(timeout=20_000)
        first.get_by_text("held to the reader").wait_for(timeout=20_000)
        assert page.locator("[data-reader='gateway/barn'] li").count() == 4
        look(page, "beacons", "phone", "light", pictures)
        page.set_viewport_size({"width": DESKTOP["width"], "height": DESKTOP["height"]})
        look(page, "beacons", "desk", "dark", pictures)
        page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})

        # The region that the tools' tags have in common is offered; the reader is in it.
        form = page.locator("[data-form=set-beacon-region]")
        assert form.locator("[name=choice] option").all_text_contents()[1:] == [
            "Those of Tools", "Others, by their numbers"]
        form.locator("[name=choice]").select_option(label="Those of Tools")
        assert not form.locator("[name=beacons]").is_visible()
        staff.send("set-beacon-region", title="Shed")
        page.locator("[data-region=shed]").get_by_text("barn, since").wait_for(timeout=20_000)
        look(page, "regions", "phone", "light", pictures)
        page.set_viewport_size({"width": DESKTOP["width"], "height": DESKTOP["height"]})
        look(page, "regions", "desk", "dark", pictures)
        page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
        page.locator("[data-region=shed]").get_by_role("button", name="Remove Shed").click()
        page.wait_for_selector("[data-region=shed]", state="detached")
        assert client.items("/v1/beacon-regions") == []

        # A stocktake counts the three tools in reach, and not the one that is missing, nor another farm's tag.
        staff.go("/inventories/tools")
        page.locator("[data-form=start-stocktake] button[type=submit]").click()
        page.wait_for_selector("#tally :text('0 of 4')")
        page.locator("#beacon-scan").get_by_role("button", name="Start").click()
        page.wait_for_selector("#tally :text('3 of 4')", timeout=30_000)
        page.wait_for_selector("#beacon-scan :text('3 items counted')")
        look(page, "stocktake-scan", "phone", "light", pictures)
        stocktake = page.url.rsplit("/", 1)[1]
        until(lambda: client.get(f"/v1/stocktakes/{stocktake}")["sightings"] == 3, 20, "three sightings")
        lines = " ".join(client.items(f"/v1/stocktakes/{stocktake}/lines"))
        assert lines.count('"state":"found"') == 3 and "unexpected" not in lines
        page.locator("#beacon-scan").get_by_role("button", name="Stop").click()
        assert staff.page.locator("#missing li").count() == 1
    finally:
        reader.close()
