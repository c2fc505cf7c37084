"""The recipes of the README for what a farm owns already: its settings as they are written, and the messages of each
program as it sends them.
"""

import json
import os
import re
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from broker import USER, Broker, Publisher
from client import until
from esphome import published
from farm import PROGRAMS, ROOT
from tags import Tag

README = (ROOT / "README.md").read_text()
#: The settings of the connection, one a line.
SETTINGS = re.search(r"^```\n(FURROW_MQTT=.*?)^```", README, re.MULTILINE | re.DOTALL)
#: What is set in Mosquitto, between backquotes.
MOSQUITTO = re.search(r"^\| Mosquitto \| (.*) \|$", README, re.MULTILINE)


def now() -> datetime:
    return datetime.now(UTC)


def messages() -> dict[str, tuple[str, list[tuple[str, object, bool]]]]:
    """By row of the README's table: the device that must appear, and the messages: topic, payload, whether stored."""
    seconds = int(time.time())
    return {
        "zigbee2mqtt": ("zb:00124b0000000001", [
            ("zigbee2mqtt/bridge/devices", [{"ieee_address": "0x00124b0000000001", "friendly_name": "cold store",
                                             "definition": {"exposes": [{"property": "temperature", "unit": "°C"}]}}],
             True),
            # `last_seen: ISO_8601`, as the recipe sets it.
            ("zigbee2mqtt/cold store", {"temperature": 4.5, "last_seen": now().isoformat()}, False)]),
        "OpenMQTTGateway, Theengs Gateway": ("ble:a4c138000001", [
            ("home/barn/BTtoMQTT/A4C138000001", {"id": "A4:C1:38:00:00:01", "rssi": -60, "servicedata": "4002c201",
                                                 "servicedatauuid": "0xfcd2"}, False)]),
        "Ruuvi Gateway": ("ble:f41f0c28cbd6", [
            ("ruuvi/C8:25:2D:8E:9C:2C/F4:1F:0C:28:CB:D6",
             {"gw_mac": "C8:25:2D:8E:9C:2C", "rssi": -26, "gwts": str(seconds), "ts": str(seconds),
              "data": "0201061BFF99040503844C6DC6D7000CFFF803F4ADB6AD697FF41F0C28CBD6"}, False)]),
        "a phone with the app Theengs": ("ble:a4c138000002", [
            ("home/phone/BTtoMQTT/A4C138000002", {"id": "A4:C1:38:00:00:02", "rssi": -70, "brand": "Xiaomi",
                                                  "tempc": 4.5, "hum": 50}, False)]),
        "Tasmota": ("tasmota:greenhouse:AM2301", [
            ("tele/greenhouse/SENSOR", {"Time": now().strftime("%Y-%m-%dT%H:%M:%S"),
                                        "AM2301": {"Temperature": 4.5, "Humidity": 50}, "TempUnit": "C"}, False)]),
        "ESPHome, Home Assistant discovery": ("ha:a4cf12000001", [
            ("homeassistant/sensor/pump/temperature/config",
             {"name": "Temperature", "uniq_id": "pump-temperature", "dev_cla": "temperature", "unit_of_meas": "°C",
              "stat_t": "pump/sensor/temperature/state",
              "dev": {"ids": "a4cf12000001", "name": "pump", "mf": "espressif"}}, True),
            ("pump/sensor/temperature/state", 4.5, False)]),
    }


@pytest.fixture
def broker():
    one = Broker()
    yield one
    one.close()


def settings(broker: Broker) -> dict[str, str]:
    """Returns the README's settings, with this broker's address and the file of its password."""
    assert SETTINGS, "the README has no settings of a broker"
    found = dict(line.split("=", 1) for line in SETTINGS.group(1).splitlines())
    names = {"FURROW_MQTT", "FURROW_MQTT_USER", "FURROW_MQTT_PASSWORD_FILE", "FURROW_MQTT_AUTHORITY"}
    assert set(found) == names, found
    address = found["FURROW_MQTT"].replace("mqtts://broker.farm:8883", f"mqtt://localhost:{broker.port}")
    assert found["FURROW_MQTT_USER"] == USER and address != found["FURROW_MQTT"], found
    return {"FURROW_MQTT": address, "FURROW_MQTT_USER": USER, "FURROW_MQTT_PASSWORD_FILE": str(broker.password_file)}


def test_each_program_of_the_table_is_read_with_the_readmes_settings(own_farm, broker):
    # Mosquitto runs with the options that the README names.
    options = re.findall(r"`([a-z_0-9]+ [a-z0-9]+)`", MOSQUITTO.group(1))
    assert len(options) >= 4, options
    lines = broker.configuration.read_text().splitlines()
    names = [option.split()[0] for option in options]
    broker.configuration.write_text("\n".join(
        [line for line in lines if line.split(" ")[0] not in names] + options) + "\n")
    broker.restart()
    rows = messages()
    for row in rows:
        assert f"| {row} |" in README, f"the README has no row {row}"
    farm = own_farm(environment=settings(broker)).start()
    client = farm.claim()
    until(lambda: client.get("/v1/reporting")["brokers"][0].get("connected"), 20, "the broker")
    publisher = Publisher(broker)
    for stored in (True, False):
        publisher.publish([(topic, json.dumps(payload).encode()) for _, sent in rows.values()
                           for topic, payload, is_stored in sent if is_stored == stored], retained=stored)
    wanted = {device for device, _ in rows.values()}

    def found() -> list[dict]:
        return [one for one in client.items("/v1/devices") if any(
            reading["quantity"] == "temperature" and abs(reading["value"] - 4.5) < 0.01 for reading in one["readings"])]

    until(lambda: len(found()) == len(wanted), 30, f"the devices of {len(rows)} programs")
    devices = [one["device"] for one in found()]
    assert set(devices) == wanted
    print(f"recipes: {len(rows)} programs behind a broker: {sorted(devices)}")
    farm.audited()


def test_an_esp32_with_the_readmes_lines_passes_on_advertisements(own_farm, broker, tmp_path: Path):
    lines = re.search(r"^```yaml\n(mqtt:.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert lines
    tag = Tag(7)
    data = bytes.fromhex(tag.advert(4.5)["hex"])
    # Behind the flags: length, type, company, and the tag's own bytes.
    sent = published(lines.group(1), "A4:C1:38:00:00:03", [(0xFCD2, bytes.fromhex("4002c201"))], [], tmp_path)
    sent += published(lines.group(1), ":".join(re.findall("..", tag.address)), [], [(0x0499, data[7:])], tmp_path)
    assert len(sent) == 2, sent
    farm = own_farm(environment=settings(broker)).start()
    client = farm.claim()
    until(lambda: client.get("/v1/reporting")["brokers"][0].get("connected"), 20, "the broker")
    Publisher(broker).publish(sent)

    def found() -> dict[str, float]:
        return {one["device"]: reading["value"] for one in client.items("/v1/devices") for reading in one["readings"]
                if reading["quantity"] == "temperature"}

    until(lambda: len(found()) == 2, 20, "both devices")
    print(f"esphome: {found()}")
    assert found() == {"ble:a4c138000003": 4.5, tag.device: 4.5}


def test_the_readmes_command_of_the_radio_hub_runs_and_says_what_is_missing(tmp_path: Path):
    """`test_hub_bluez.py` runs it with BlueZ; here the README's words are run where there is none."""
    (command,) = re.findall(r"^furrow-hub --farm http:.*$", README, re.MULTILINE)
    token, home = tmp_path / "token", tmp_path / "home"
    token.write_text("x" * 43 + "\n")
    words = command.replace("http://farm:8080", "http://127.0.0.1:9").replace(
        "/etc/furrow-hub/token", str(token)).split()
    nowhere = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/missing"}
    hub = subprocess.Popen([PROGRAMS / words[0], *words[1:], "--home", home], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=nowhere)

    def status() -> str:
        done = subprocess.run([PROGRAMS / "furrow-hub", "status", "--home", home], capture_output=True, text=True,
                              timeout=20, check=False)
        return done.stdout + done.stderr

    try:
        until(lambda: "no system bus to reach BlueZ by" in status(), 20, "the status to name what is missing")
        assert hub.poll() is None
        print(f"hub: {status().splitlines()[0]}")
    finally:
        hub.terminate()
        assert hub.wait(20) == 0
