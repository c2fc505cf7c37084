"""The map of a farm: its stores have pins, and a pin shows what lies there, also without a network."""

from conftest import DESKTOP, PHONE
from radio_farm import ADMINISTRATOR, until
from staff_driver import StaffPages
from story_driver import wait_until
from test_accessibility import look
from test_plan import drawn_plan, shed

__all__ = ["shed"]


def test_a_pin_of_the_farms_map_shows_the_things_at_its_place(shed, new_phone, pictures, tmp_path):
    farm = shed.client.items("/v1/farms")[0]["farm"]
    store = shed.client.items("/v1/stores")[0]
    # Given a saw in the cold store, two other tools elsewhere, and a picture of the farm
    shed.client.make("PUT", "/v1/items/saw", {
        "inventory": "tools", "title": "Saw", "code": "saw", "place": f"store/{store['store']}"})
    (tmp_path / "farm.png").write_bytes(drawn_plan())
    staff = StaffPages(new_phone(viewport=PHONE), shed.url)
    staff.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    staff.ready()
    page = staff.page
    staff.go("/farm-map")
    form = staff.form(f"farm-map {farm}")
    # When the form is sent without a picture, it says what is missing
    form.locator("button[type=submit]").click()
    assert "Choose a picture." in staff.text(".field-picture")
    form.locator('input[type="file"]').set_input_files(tmp_path / "farm.png")
    form.locator(".picture-view img").wait_for()
    form.locator("button[type=submit]").click()
    page.wait_for_selector(".plan img")
    # And the store is put on it
    place = staff.form(f"map-pin {farm}")
    place.locator("[name=place]").select_option(f"store/{store['store']}")
    choice = place.locator(".plan-choice")
    choice.scroll_into_view_if_needed()
    box = choice.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.8)
    place.locator("button[type=submit]").click()
    until(lambda: shed.client.items("/v1/farm-maps")[0]["pins"], 20, "the pin")
    (pin,) = shed.client.items("/v1/farm-maps")[0]["pins"]
    assert pin["place"] == f"store/{store['store']}" and abs(pin["spot"]["x"] - 250) < 20
    # Then its pin has the number of things, and shows them
    marker = page.locator(f"[data-pin='store/{store['store']}']")
    marker.wait_for()
    assert marker.inner_text() == "1" and f"{store['title']}: 1\u00a0item" == marker.get_attribute("aria-label")
    marker.press("Enter")
    page.wait_for_selector("[data-item=saw]")
    assert page.evaluate("document.activeElement.dataset.pin") == f"store/{store['store']}"
    look(page, "farm-map", "phone", "light", pictures)
    page.set_viewport_size({"width": DESKTOP["width"], "height": DESKTOP["height"]})
    look(page, "farm-map", "desk", "light", pictures)
    # And without a network, too
    wait_until(page, "caches.open('furrow-staff-pictures').then((cache) => cache.keys()).then((all) => all.length > 0)")
    page.context.set_offline(True)
    staff.go("/inventories")
    staff.go("/farm-map")
    page.locator(f"[data-pin='store/{store['store']}']").click()
    page.wait_for_selector("[data-item=saw]")
    page.context.set_offline(False)
