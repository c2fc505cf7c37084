"""An administrator admits a Bluetooth gateway on the page Sensors, and removes it."""

import http.client
import json

import pytest
from conftest import DESKTOP, PHONE
from radio_farm import ADMINISTRATOR, RadioFarm, until
from staff_driver import StaffPages

#: BTHome 2, packet id 10, 25.06 °C, in Minew's form.
BODY = json.dumps([{"type": "Gateway", "mac": "AC233FC00001"},
                   {"mac": "546C0E000001", "rssi": -50, "rawData": "0916d2fc40000a02ca09"}])


@pytest.fixture
def farm():
    farm = RadioFarm()
    yield farm
    farm.destroy()


def post(farm: RadioFarm, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", farm.server.port, timeout=30)
    try:
        connection.request("POST", path, BODY)
        return connection.getresponse().status
    finally:
        connection.close()


def say(farm: RadioFarm, token: str, **state) -> int:
    """A radio hub says what it does."""
    connection = http.client.HTTPConnection("127.0.0.1", farm.server.port, timeout=30)
    counts = {"connected": [], "waiting": 0, "received": 900, "removed": 0, "refused": 0}
    try:
        connection.request("PUT", "/v1/hub", json.dumps(counts | state), {
            "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_page_shows_what_a_radio_hub_does_and_what_it_lacks(farm, new_phone, pictures):
    farm.open_cold_store()
    token = farm.client.make("POST", "/v1/gateways", {"gateway": "cold-store", "title": "Cold store"})["token"]
    pages = StaffPages(new_phone(viewport=PHONE), farm.url)
    pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])

    def shown() -> str:
        pages.page.reload()
        return pages.text("#gateways [data-gateway=cold-store]")

    assert say(farm, token, connected=["54:6c:0e:00:00:01"]) == 204
    pages.go("/sensors")
    assert "Listening, connected to 54:6c:0e:00:00:01" in shown()
    assert say(farm, token, trouble="there is no Bluetooth adapter", waiting=12, removed=3,
               oldest="2026-05-01T10:00:00Z") == 204
    listed = shown()
    assert "Its Bluetooth does not work: there is no Bluetooth adapter." in listed
    assert "12 reports waiting there, the oldest from" in listed and "lost 3 reports" in listed
    pages.page.locator("#gateways").scroll_into_view_if_needed()
    pages.page.screenshot(path=pictures / "radio-hub-390.png")
    assert pages.problems == []


def test_an_administrator_admits_a_gateway_with_the_token_that_is_shown_once(farm, new_phone, pictures):
    farm.open_cold_store()
    farm.client.make("POST", "/v1/accounts", {
        "name": "Gus", "email": "gus@farm.test", "password": "warm stores ring at night", "role": "grower"})
    pages = StaffPages(new_phone(viewport=PHONE), farm.url)
    pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    pages.go("/sensors")
    pages.page.locator("#gateways summary").click()
    pages.send("admit-gateway", title="In der Scheune, links")
    token = pages.text("dialog #gateway-token")
    assert f"{farm.url}/v1/uplink/{token}" in pages.text("dialog")
    assert pages.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "390 px: too wide"
    pages.page.screenshot(path=pictures / "gateway-token-390.png")
    pages.page.locator("dialog button", has_text="I have copied it").click()
    pages.page.wait_for_selector("dialog", state="detached")
    assert token not in pages.page.content()

    assert post(farm, f"/v1/uplink/{token}") == 200
    until(lambda: "ble:546c0e000001" in {one["device"] for one in farm.client.items("/v1/devices")}, 20, "the sensor")
    office = StaffPages(new_phone(viewport=DESKTOP), farm.url)
    office.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    office.go("/sensors")
    listed = office.text("#gateways [data-gateway=in-der-scheune-links]")
    assert "In der Scheune, links" in listed and "Last post" in listed and "1 message" in listed
    assert "receives 1 sensor" in listed
    office.page.locator("#gateways").scroll_into_view_if_needed()
    office.page.screenshot(path=pictures / "gateways-1280.png")
    office.press("remove-gateway in-der-scheune-links")
    office.page.wait_for_selector("#gateways summary >> text=Radio hubs and gateways (0)")
    assert post(farm, f"/v1/uplink/{token}") == 401

    grower = StaffPages(new_phone(viewport=PHONE), farm.url)
    grower.sign_in("gus@farm.test", "warm stores ring at night")
    grower.go("/sensors")
    assert grower.page.locator("#gateways").count() == 0
    assert pages.problems == [] and office.problems == [] and grower.problems == []
