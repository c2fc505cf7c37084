"""The first page says that all is well only together with how many sensors reported, and names the silent ones."""

import pytest
from story_driver import wait_until

WELL = "All values are within their limits."


def test_all_is_well_only_together_with_how_many_sensors_reported(gateway, staff):
    pages = staff("auditor")
    sensors = len([one for one in gateway.farm.points.values() if one.get("device")])
    assert sensors > 0
    all_of_them = "The one sensor" if sensors == 1 else f"All {sensors} sensors"
    assert f"{WELL} {all_of_them} reported within 12 minutes." in pages.text("#alarms").replace("\u00a0", " ")


def test_silent_sensors_are_named_in_place_of_all_is_well(gateway, staff, tmp_path):
    first = next(point for point, row in gateway.farm.points.items() if row.get("device"))
    gateway.farm.silent = {first: "2026-07-20T06:10:00Z"}
    gateway.farm.radios = [{"source": "znp:/dev/ttyUSB0", "trouble": "it does not answer"}]
    seen = {}
    for width in (390, 1280):
        pages = staff("auditor" if width == 390 else "grower", viewport={"width": width, "height": 844})
        text = pages.text("#alarms").replace("\u00a0", " ")
        assert WELL not in text and pages.page.locator("#alarms .calm").count() == 0
        assert "silent since" in text and gateway.farm.points[first]["title"] in text
        assert "The receiver znp:/dev/ttyUSB0 does not work: it does not answer." in text
        assert pages.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{width} px: too wide"
        pages.page.screenshot(path=tmp_path / f"silent-{width}.png")
        seen[width] = text
    print(f"first page at {sorted(seen)} px: {seen[390]}")
    gateway.farm.silent, gateway.farm.radios = {}, []
    pages.go("/plots")
    pages.go("/")
    assert WELL in pages.text("#alarms")


@pytest.mark.parametrize(("change", "said"), [
    (lambda farm: farm.points.clear(), "No sensor is assigned to a place yet, so nothing is monitored."),
    (lambda farm: farm.rules.clear(), "No limit is set, so no value raises an alarm."),
    (lambda farm: farm.silent.update({point: None for point in farm.points}), "never reported"),
])
def test_nothing_is_called_well_that_is_not_watched(gateway, staff, change, said):
    change(gateway.farm)
    pages = staff("auditor")
    assert said in pages.text("#alarms") and WELL not in pages.text("#alarms")


def test_all_is_well_is_not_said_while_nobody_knows(gateway, staff):
    gateway.override["GET /v1/reporting"] = (503, {"title": "busy", "detail": "Later."})
    pages = staff("auditor")
    assert "not known at the moment whether all sensors report" in pages.text("#alarms")
    assert WELL not in pages.text("#alarms")


def test_silence_appears_while_the_page_is_open(gateway, new_phone, staff):
    pages = staff("auditor")
    pages.page.clock.install()
    pages.page.reload()
    pages.settle()
    assert WELL in pages.text("#alarms")
    first = next(point for point, row in gateway.farm.points.items() if row.get("device"))
    gateway.farm.silent = {first: "2026-07-20T06:10:00Z"}
    pages.page.clock.fast_forward(61_000)
    wait_until(pages.page, "document.querySelector('#alarms .silent-sensors') !== null")
    assert WELL not in pages.text("#alarms")


def test_radios_that_are_not_understood_are_listed_with_why(gateway, staff, tmp_path):
    gateway.farm.unread = [
        {"device": "ble:a4c138000001", "reason": reason, "last": "2026-07-20T09:10:00Z", "source": "gateway/barn",
         "data": "0303"} for reason in ("unsupported", "encrypted", "truncated")]
    gateway.farm.devices[0] |= {"model": "lumi.weather", "refused": {
        "quantity": "temperature", "value": -100, "unit": "Cel", "reason": "out-of-range",
        "at": "2026-07-20T09:10:00Z"}}
    pages = staff("auditor")
    pages.go("/sensors")
    pages.page.locator("#unread summary").click()
    text = pages.text("#unread")
    for words in ("not supported yet", "its key is not known", "Part of the message is missing"):
        assert words in text
    assert "Sent an implausible value: temperature −100" in pages.text("main").replace("\u00a0", " ")
    pages.page.screenshot(path=tmp_path / "unread.png", full_page=True)
