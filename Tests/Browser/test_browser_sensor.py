"""The browser connects to a SensorTag itself: values, a sensor that leaves and returns, a farm that cannot be reached.

Headless Chromium has no Bluetooth, so the sensor is a fake (`fake_bluetooth.js`).
"""

from pathlib import Path

import pytest
from client import until
from conftest import DESKTOP, PHONE
from farm import ADMINISTRATOR, Farm
from staff_driver import StaffPages

FAKE = Path(__file__).with_name("fake_bluetooth.js").read_text()
TAG = "ble:546c0eb71a84"


@pytest.fixture
def farm():
    farm = Farm()
    try:
        farm.start()
        farm.claim()
        yield farm
    finally:
        farm.destroy()


def reports(farm: Farm) -> list[dict]:
    """The reports of the SensorTag in the journal."""
    return [event["data"] for event in farm.replay("sensor-ingest/farm-0")
            if event["type"] == "farm.furrow.sensors.measured.v1" and event["data"]["device"] == TAG]


def test_a_sensortag_is_connected_and_its_values_are_delivered_once(farm, new_phone, pictures):
    context = new_phone(viewport=PHONE)
    context.add_init_script(FAKE)
    pages = StaffPages(context, f"http://127.0.0.1:{farm.port}")
    pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    page = pages.page
    page.clock.install()
    pages.go("/sensors")
    page.locator("#sensortag summary").click()
    page.locator("#sensortag button", has_text="Connect").click()
    page.wait_for_selector("#sensortag-state >> text=Connected")
    measure = "([celsius, percent]) => fakeTag.measure(celsius, percent)"
    assert page.evaluate(measure, [4.5, 91])
    until(lambda: len(reports(farm)) == 1, 20, "the first value")
    values = {reading["quantity"]: reading["value"] for reading in reports(farm)[0]["readings"]}
    assert values == {"temperature": pytest.approx(4.5, abs=0.01), "humidity": pytest.approx(91, abs=0.01)}
    page.locator("#sensortag").screenshot(path=pictures / "sensortag-390.png")

    # It leaves and returns: it is connected again, switched on again, and one of thirty values is recorded.
    page.evaluate("() => fakeTag.leave()")
    page.wait_for_selector("#sensortag-state >> text=The sensor is away")
    page.evaluate("() => fakeTag.comeBack()")
    page.clock.run_for(10_000)
    page.wait_for_selector("#sensortag-state >> text=Connected")
    assert page.evaluate("() => fakeTag.state.connections") == 2
    assert page.evaluate(measure, [5.5, 90])
    page.clock.run_for(30_000)
    assert page.evaluate(measure, [6.5, 90])

    # Without the farm, values wait in the browser, also if the page is closed; then each is delivered once.
    context.set_offline(True)
    for number in range(20):
        page.clock.run_for(31_000)
        assert page.evaluate(measure, [10 + number / 2, 80])
    waiting = page.evaluate("() => JSON.parse(localStorage.getItem('sensortag-waiting'))")
    assert sum(len(batch["adverts"]) for batch in waiting) >= 20
    assert "waiting" in pages.text("#sensortag-counts")
    context.set_offline(False)
    page.clock.run_for(20_000)
    until(lambda: len(reports(farm)) >= 22, 30, "all values")
    page.clock.run_for(20_000)
    until(lambda: pages.text("#sensortag-counts") == "22 values delivered", 20, "a page that counts them")
    measured = [report["readings"][0]["value"] for report in reports(farm)]
    assert len(measured) == len(set(measured)) == 22, measured
    page.locator("#sensortag button", has_text="Disconnect").click()
    page.wait_for_selector("#sensortag-state >> text=Not connected")
    assert [problem for problem in pages.problems if "ERR_INTERNET_DISCONNECTED" not in problem] == []


def test_a_browser_without_bluetooth_is_told_so_and_offered_the_hub(farm, new_phone):
    context = new_phone(viewport=DESKTOP)
    context.add_init_script("delete Navigator.prototype.bluetooth;")
    pages = StaffPages(context, f"http://127.0.0.1:{farm.port}")
    pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    pages.go("/sensors")
    pages.page.locator("#sensortag summary").click()
    assert "cannot connect" in pages.text("#sensortag") and "furrow-hub" in pages.text("#sensortag")
    assert pages.page.locator("#sensortag button").count() == 0
    assert pages.problems == []
