"""furrow-hub on a box whose Bluetooth belongs to BlueZ: Debian's simulated one."""

import os
import struct
import subprocess

import pytest
from bluez import BlueZ
from client import until
from farm import PROGRAMS
from load import MEASURED, prepare
from sensortag import ADDRESS, DATA, HUMIDITY, NAME, SETTING, celsius
from test_hub import Hub

UUIDS = [str(uuid).lower() for uuid in (HUMIDITY, DATA, SETTING)]
#: Ruuvi's own test vector of data format 5: 24.3 °C.
RUUVI = {str(0x0499): "0512fc5394c37c0004fffc040cac364200cdcbb8334c884f"}


@pytest.fixture
def bluez():
    bluez = BlueZ()
    yield bluez
    bluez.destroy()


class BlueZHub(Hub):
    """A hub that finds BlueZ by itself, on the bus that the environment names."""

    def __init__(self, farm, folder, token, bluez):
        super().__init__(farm, folder, token)
        place = self.words.index("--controller")
        del self.words[place:place + 2]
        self.environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": bluez.address}

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen([PROGRAMS / "furrow-hub", *self.words], stderr=log, env=self.environment)
        return self


def test_a_box_with_bluez_receives_sets_up_a_sensortag_and_survives_the_end_of_bluez(own_farm, tmp_path, bluez):
    farm = own_farm().start()
    prepare(farm)
    token = farm.client().make("POST", "/v1/gateways", {"gateway": "cold-store"})["token"]
    hub = BlueZHub(f"http://127.0.0.1:{farm.port}", tmp_path, token, bluez).start()

    def trouble() -> str:
        return (hub.status().get("controller") or "") if (hub.home / "status.json").exists() else "none yet"

    def temperatures(device: str) -> list[float]:
        return [round(reading["value"], 2) for event in farm.replay("sensor-ingest/farm-0")
                if event["type"] == MEASURED and event["data"]["device"] == device
                for reading in event["data"]["readings"] if reading["quantity"] == "temperature"]

    def scans(adapter: str = "/org/bluez/hci0") -> bool:
        return bool(bluez.called(adapter, "StartDiscovery"))

    def set_up(times: int) -> None:
        until(lambda: len(bluez.called(tag, "Connect")) >= times, 30, "the SensorTag to be connected")
        bluez.do("resolve", tag, UUIDS)
        until(lambda: len(bluez.called(f"{tag}/service0024/char0022", "WriteValue")) >= times, 30, "it to be switched on")
        until(lambda: len(hub.lines("device connected")) >= times, 30, "it to be set up")

    sent: list[int] = []

    def notify(count: int) -> None:
        for _ in range(count):
            sent.append(24_000 + 100 * len(sent))
            bluez.do("notify", tag, struct.pack("<HH", sent[-1], 32_768).hex())

    try:
        # Without BlueZ, and without an adapter, the hub says so and goes on.
        until(lambda: "BlueZ does not run" in trouble(), 30, "the hub to miss BlueZ")
        bluez.do("begin", "")
        until(lambda: "no Bluetooth adapter" in trouble(), 60, "the hub to miss an adapter")
        bluez.do("end")
        bluez.do("begin", "hci0")
        until(scans, 60, "the hub to scan")

        ruuvi = bluez.do("add_device", "CB:B8:33:4C:88:4F", "")
        bluez.do("advertise", ruuvi, RUUVI)
        until(lambda: temperatures("ble:cbb8334c884f") == [24.3], 30, "the value of the RuuviTag")

        tag = bluez.do("add_device", ADDRESS, NAME.decode())
        set_up(1)
        (said,) = until(lambda: [one for one in farm.client().items("/v1/gateways")
                                 if ADDRESS.lower() in one.get("hub", {"connected": []})["connected"]], 30,
                        "the farm to list the SensorTag as connected")
        assert said["gateway"] == "cold-store" and "trouble" not in said["hub"]
        assert bluez.called(f"{tag}/service0024/char0022", "WriteValue")[0][0] == "01"
        assert len(bluez.called(f"{tag}/service0024/char0021", "StartNotify")) == 1
        notify(10)
        bluez.do("leave", tag)
        until(lambda: hub.lines("device disconnected"), 30, "the hub to notice that the SensorTag is gone")

        def returned() -> bool:
            bluez.do("advertise", tag, {})
            return len(bluez.called(tag, "Connect")) >= 2

        until(returned, 30, "the SensorTag to be connected again")
        set_up(2)
        notify(10)
        until(lambda: hub.status()["received"] >= 21, 30, "the hub to have all values")

        # BlueZ ends, as in an update, and knows the SensorTag no more when it is back.
        bluez.do("end")
        until(lambda: "BlueZ" in trouble(), 30, "the hub to notice that BlueZ has ended")
        bluez.do("begin", "hci0")
        until(scans, 90, "the hub to scan again")
        bluez.do("add_device", ADDRESS, NAME.decode())
        until(lambda: len(bluez.called(tag, "Connect")) >= 1, 30, "the SensorTag to be connected again")
        bluez.do("resolve", tag, UUIDS)
        until(lambda: len(hub.lines("device connected")) >= 3, 30, "it to be set up again")
        notify(10)
        expected = [round(celsius(raw), 2) for raw in sent]
        until(lambda: len(temperatures("ble:546c0e000001")) >= len(sent), 60, "every value at the farm")
        assert temperatures("ble:546c0e000001") == expected
        memory = hub.resident
        assert hub.end() == 0
        assert len(bluez.called(tag, "Disconnect")) == 1, "a hub that stops leaves the SensorTag to itself"
        print(f"bluez: {len(sent)} values of a SensorTag notified in 3 connections, {len(expected)} recorded once, "
              f"{memory} MB")
        assert len(sent) == 30 and memory <= 30
    finally:
        if hub.process and hub.process.poll() is None:
            hub.process.kill()


def test_a_hub_starts_among_hundreds_of_other_devices(tmp_path, bluez):
    crowd = 400
    bluez.do("begin", "hci0")
    bluez.do("add_crowd", crowd)
    hub = BlueZHub("http://127.0.0.1:1", tmp_path, "token", bluez).start()
    try:
        until(lambda: bluez.called("/org/bluez/hci0", "StartDiscovery"), 30, "the hub to scan")
        until(lambda: hub.lines("controller started"), 10, "the hub to know that it scans")
        print(f"bluez: a hub scans among {crowd} devices, {hub.resident} MB")
        assert hub.resident <= 40
    finally:
        hub.end()
