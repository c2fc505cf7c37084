"""The first page says that all is well only together with how many sensors reported, and names the silent ones."""

import re

import pytest
from gateway import Gateway
from story_driver import wait_until

WELL = "All values are within their limits."


#: A sensor's silence and a broken receiver take hours to come about by themselves.
SILENT = {"silentSensors": 1, "withinMinutes": None, "silent": [
    {"point": "p-south", "title": "South terrace, row 4", "place": "plot/south", "device": "ble:c50dfa99cb9e",
     "since": "2026-07-20T06:10:00Z"}]}


def fall_silent(gateway: Gateway) -> None:
    gateway.tamper["/v1/reporting"] = lambda answer: {
        name: value for name, value in (answer | SILENT).items() if value is not None}


@pytest.mark.shared
def test_all_is_well_only_together_with_how_many_sensors_reported(gateway, staff):
    gateway.measure()
    pages = staff("auditor")
    told = pages.text("#alarms").replace("\u00a0", " ")
    assert re.search(rf"{WELL} All 2 sensors reported within [1-9]\d* minutes?\.", told), told


@pytest.mark.shared
def test_silent_sensors_are_named_in_place_of_all_is_well(gateway, staff, tmp_path):
    gateway.measure()
    fall_silent(gateway)
    silent = gateway.tamper["/v1/reporting"]
    gateway.tamper["/v1/reporting"] = lambda answer: silent(answer) | {
        "radios": [{"source": "znp:/dev/ttyUSB0", "trouble": "it does not answer"}]}
    seen = {}
    for width in (390, 1280):
        pages = staff("auditor" if width == 390 else "grower", viewport={"width": width, "height": 844})
        text = pages.text("#alarms").replace("\u00a0", " ")
        assert WELL not in text and pages.page.locator("#alarms .calm").count() == 0
        assert "silent since" in text and "South terrace, row 4" in text
        assert "The receiver znp:/dev/ttyUSB0 does not work: it does not answer." in text
        assert pages.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{width} px: too wide"
        pages.page.screenshot(path=tmp_path / f"silent-{width}.png")
        seen[width] = text
    print(f"first page at {sorted(seen)} px: {seen[390]}")
    gateway.tamper.clear()
    pages.go("/plots")
    pages.go("/")
    assert WELL in pages.text("#alarms")


@pytest.mark.shared
def test_the_sensors_page_shows_the_connections_to_mqtt_brokers(gateway, staff, tmp_path):
    broker = {"source": "mqtt://broker.farm:1883", "messages": 1203, "refused": 2, "offlineDevices": 1}
    working = broker | {"connected": "2026-07-20T06:10:00Z", "lastMessage": "2026-07-20T07:00:00Z"}
    trouble = "it refuses the password of farm: check FURROW_MQTT_USER and FURROW_MQTT_PASSWORD"
    for width in (390, 1280):
        pages = staff("grower", viewport={"width": width, "height": 844})
        gateway.tamper["/v1/reporting"] = lambda answer: answer | {"brokers": [working]}
        pages.go("/sensors")
        text = pages.text("#brokers").replace("\u00a0", " ")
        assert "Connected since" in text and "last message" in text and "1,203 messages" in text, text
        assert "2 messages could not be read" in text and "1 sensor reported as offline" in text, text
        assert pages.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{width} px: too wide"
        pages.page.locator("#brokers").scroll_into_view_if_needed()
        pages.page.screenshot(path=tmp_path / f"brokers-{width}.png")
        gateway.tamper["/v1/reporting"] = lambda answer: answer | {
            "brokers": [broker], "radios": [{"source": broker["source"], "trouble": trouble}]}
        pages.go("/")
        pages.go("/sensors")
        text = pages.text("#brokers")
        assert "Not connected" in text and f"The broker does not work: {trouble}." in text, text
    gateway.tamper.clear()
    pages.go("/")
    pages.go("/sensors")
    assert pages.page.locator("#brokers").count() == 0


def unbind(gateway: Gateway) -> None:
    for point in gateway.client.items("/v1/points"):
        gateway.client.make("PUT", f"/v1/points/{point['point']}", {"title": point["title"], "place": point["place"]})


def lift_limits(gateway: Gateway) -> None:
    gateway.client.make("PUT", "/v1/rules/r-cold", {"place": "store/cold1", "quantity": "temperature", "above": 8,
                                                    "enabled": False})


def bind_another(gateway: Gateway) -> None:
    new = {"title": "New", "place": "store/barn", "device": "ble:c50000000077"}
    gateway.client.make("PUT", "/v1/points/p-new", new)


@pytest.mark.parametrize(("change", "said"), [
    (unbind, "No sensor is assigned to a place yet, so nothing is monitored."),
    (lift_limits, "No limit is set, so no value raises an alarm."),
    (bind_another, "never reported"),
])
def test_nothing_is_called_well_that_is_not_watched(gateway, staff, change, said):
    gateway.measure()
    change(gateway)
    pages = staff("auditor")
    assert said in pages.text("#alarms") and WELL not in pages.text("#alarms")


@pytest.mark.shared
def test_all_is_well_is_not_said_while_nobody_knows(gateway, staff):
    gateway.override["GET /v1/reporting"] = (503, {"title": "busy", "detail": "Later."})
    pages = staff("auditor")
    assert "not known at the moment whether all sensors report" in pages.text("#alarms")
    assert WELL not in pages.text("#alarms")


@pytest.mark.shared
def test_silence_appears_while_the_page_is_open(gateway, new_phone, staff):
    gateway.measure()
    pages = staff("auditor")
    pages.page.clock.install()
    pages.page.reload()
    pages.settle()
    assert WELL in pages.text("#alarms")
    fall_silent(gateway)
    pages.page.clock.fast_forward(61_000)
    wait_until(pages.page, "document.querySelector('#alarms .silent-sensors') !== null")
    assert WELL not in pages.text("#alarms")


@pytest.mark.shared
def test_radios_that_are_not_understood_are_listed_with_why(gateway, staff, tmp_path):
    unread = [
        {"device": "ble:a4c138000001", "reason": reason, "last": "2026-07-20T09:10:00Z", "source": "gateway/barn",
         "data": "0303"} for reason in ("unsupported", "encrypted", "truncated")]
    refused = {"model": "lumi.weather", "refused": {"quantity": "temperature", "value": -100, "unit": "Cel",
                                                    "reason": "out-of-range", "at": "2026-07-20T09:10:00Z"}}
    gateway.tamper["/v1/unread-devices"] = lambda answer: answer | {"items": unread}
    gateway.tamper["/v1/devices"] = lambda answer: answer | {
        "items": [answer["items"][0] | refused, *answer["items"][1:]]}
    pages = staff("auditor")
    pages.go("/sensors")
    pages.page.locator("#unread summary").click()
    text = pages.text("#unread")
    for words in ("not supported yet", "its key is not known", "Part of the message is missing"):
        assert words in text
    assert "Sent an implausible value: temperature −100" in pages.text("main").replace("\u00a0", " ")
    pages.page.screenshot(path=tmp_path / "unread.png", full_page=True)
