"""An administrator creates a ZigBee network on the page Sensors, and lets a sensor join."""

import json

import pytest
from conftest import DESKTOP, PHONE
from farm import ADMINISTRATOR, Farm
from staff_driver import StaffPages
from zigbee_device import Device
from zstack import ZStack


@pytest.fixture
def stick():
    one = ZStack("3.30")
    yield one
    one.close()


def restored(stick, backup: dict, pages, pictures) -> None:
    """The network of a backup of another coordinator takes the place of the present one."""
    page = pages.page
    other = backup | {"pan_id": "3fa9", "channel": 25, "channel_mask": [25]}
    page.locator("[data-coordinator] summary").filter(has_text="Restore another network").click()
    form = page.locator(f"[data-form='restore-coordinator {stick.source}']")
    form.locator("button[type=submit]").click()
    assert "Choose the file of a backup." in form.inner_text()
    form.locator("input[type=file]").set_input_files({
        "name": "backup.json", "mimeType": "application/json", "buffer": json.dumps(other).encode()})
    form.locator("[name=replaces]").fill(f"{stick.pan:04x}")
    page.screenshot(path=pictures / "zigbee-restore-390.png")
    form.locator("button[type=submit]").click()
    page.wait_for_selector("[data-state=running] >> text=Network 3fa9 on channel 25", timeout=60_000)
    assert (stick.pan, stick.channel) == (0x3FA9, 25) and pages.problems == []


def test_a_network_is_created_and_a_sensor_joins_on_the_page(stick, new_phone, pictures):
    farm = Farm(environment={"FURROW_SOURCES": stick.source})
    try:
        farm.start()
        farm.claim()
        pages = StaffPages(new_phone(viewport=PHONE), f"http://127.0.0.1:{farm.port}")
        pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
        pages.go("/sensors")
        page = pages.page
        page.wait_for_selector("[data-state=blank]", timeout=30_000)
        assert "No network yet" in pages.text("#zigbee")
        page.locator("#zigbee").scroll_into_view_if_needed()
        page.screenshot(path=pictures / "zigbee-blank-390.png")
        pages.send(f"form-network {stick.source}", channel="15")
        page.wait_for_selector("[data-state=running]", timeout=30_000)
        assert f"Network {stick.pan:04x} on channel 15" in pages.text("#zigbee")

        pages.press(f"permit-joining {stick.source}")
        page.wait_for_selector("[data-open]", timeout=10_000)
        assert pages.text("[data-open]").startswith(("2:5", "3:00"))
        sensor = Device(1, 0x0402, 0x0405, refuses=(0x0405,))
        assert stick.join(sensor)
        page.wait_for_selector(f"[data-joined='{sensor.device}'] >> text=Reports battery, temperature", timeout=30_000)
        assert "LUMI lumi.weather" in pages.text("#zigbee") and "Not set up: humidity: refused" in pages.text("#zigbee")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "390 px: too wide"
        page.locator("#zigbee").screenshot(path=pictures / "zigbee-joined-390.png")
        pages.press(f"end-joining {stick.source}")
        page.wait_for_selector("[data-open]", state="detached", timeout=10_000)
        assert not stick.is_open

        office = StaffPages(new_phone(viewport=DESKTOP), f"http://127.0.0.1:{farm.port}")
        office.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
        office.go("/sensors")
        office.page.locator("#zigbee").screenshot(path=pictures / "zigbee-1280.png")
        folds = office.page.locator("[data-coordinator] details.fold summary")
        folds.filter(has_text="Back up this network").click()
        with office.page.expect_download() as saved:
            office.press(f"back-up-coordinator {stick.source}")
        backup = json.loads(saved.value.path().read_text())
        assert saved.value.suggested_filename == f"zigbee-network-{stick.pan:04x}.json"
        assert backup["network_key"]["key"] == stick.key.hex() and backup["pan_id"] == f"{stick.pan:04x}"
        office.page.wait_for_selector("[data-state=running]", timeout=30_000)
        office.press(f"remove-device {sensor.device}")
        assert sensor.has_left.wait(20)
        office.page.wait_for_selector(f"[data-joined='{sensor.device}']", state="detached", timeout=10_000)
        assert pages.problems == [] and office.problems == []
        restored(stick, backup, pages, pictures)
    finally:
        farm.destroy()
