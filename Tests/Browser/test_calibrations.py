"""A sensor is calibrated on the page Sensors: its place then shows the corrected value."""

import pytest
from client import until
from gateway import Gateway


def latest(gateway: Gateway) -> float:
    stores = gateway.client.items("/v1/stores")
    return next(store for store in stores if store["store"] == "cold1")["latest"]["temperature"]["value"]


@pytest.mark.shared
def test_a_calibrated_sensor_shows_the_corrected_value_at_its_place(gateway: Gateway, staff, tmp_path):
    gateway.measure(cold=4.6)
    until(lambda: latest(gateway) == 4.6, 20, "the value as the sensor sends it")
    device = next(point["device"] for point in gateway.client.items("/v1/points") if point["place"] == "store/cold1")
    for width in (390, 1280):
        pages = staff("grower", viewport={"width": width, "height": 844})
        pages.go("/sensors")
        pages.send("calibrate", device=device, quantity="temperature", offset=-0.4, certificate=f"Ice water {width}")
        row = pages.page.locator(f"[data-calibration='{device} temperature']")
        row.get_by_text(f"Ice water {width}").wait_for()
        assert "− 0.4 °C" in row.inner_text().replace("\u00a0", " ")
        assert pages.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{width} px: too wide"
        pages.page.locator("#calibrations").scroll_into_view_if_needed()
        pages.page.screenshot(path=tmp_path / f"calibrations-{width}.png")
    gateway.measure(cold=4.6)
    until(lambda: latest(gateway) == 4.2, 20, "the corrected value")
    # Each value has the correction of its own time: 0 for those that other tests send.
    gateway.client.make("POST", "/v1/calibrations", {"device": device, "quantity": "temperature"})
