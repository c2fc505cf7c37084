"""ZigBee networks: from a blank coordinator of each firmware to readings, with devices that join, rest, and leave."""

import asyncio
import logging
import socket
import struct
import threading
import time

import pytest
from client import Client, until
from coordinator import frame
from farm import free_port
from zigbee_device import Device
from zstack import ZStack

TEMPERATURE, HUMIDITY, SOIL, ALARM_ZONE, TUYA = 0x0402, 0x0405, 0x0408, 0x0500, 0xEF00
STACKS = ["1.2", "3.0", "3.30"]


class Network:
    """A farm with one simulated coordinator, as its staff sees it."""

    def __init__(self, own_farm, stick: ZStack, source: str | None = None):
        self.stick = stick
        self.source = source or stick.source
        self.farm = own_farm(environment={"FURROW_SOURCES": self.source}).start()
        self.staff: Client = self.farm.claim()

    def coordinator(self) -> dict:
        (one,) = self.staff.get("/v1/coordinators")["items"]
        return one

    def reaches(self, state: str) -> dict:
        until(lambda: self.coordinator()["state"] == state, 60, f"a coordinator that is {state}")
        return self.coordinator()

    def form(self, channel: int = 15, **more) -> dict:
        self.staff.make("POST", "/v1/coordinators/network", {"source": self.source, "channel": channel, **more})
        return self.reaches("running")

    def permit(self, seconds: int = 120) -> None:
        self.staff.make("POST", "/v1/coordinators/joining", {"source": self.source, "seconds": seconds})
        until(lambda: self.stick.is_open == (seconds > 0), 10, "an open network")

    def devices(self) -> dict[str, dict]:
        return {one["device"]: one for one in self.staff.get("/v1/zigbee-devices")["items"]}

    def join(self, device: Device) -> dict:
        """A device joins and is interviewed."""
        assert self.stick.join(device), "an open network"
        until(lambda: "interviewed" in self.devices().get(device.device, {}), 60, "an interviewed device")
        return self.devices()[device.device]

    def readings(self, device: str) -> dict[str, float]:
        for one in self.staff.get("/v1/devices")["items"]:
            if one["device"] == device:
                return {reading["quantity"]: reading["value"] for reading in one["readings"]}
        return {}


@pytest.fixture
def stick(request):
    one = ZStack(getattr(request, "param", "3.30"))
    yield one
    one.close()


@pytest.mark.parametrize("stick", STACKS, indirect=True)
def test_a_blank_coordinator_becomes_a_network_with_a_reporting_sensor(own_farm, stick):
    network = Network(own_farm, stick)
    blank = network.reaches("blank")
    assert "no network yet" in blank["trouble"] and "panId" not in blank, blank
    assert not stick.is_formed and not stick.is_started, "no network without the word of a person"

    running = network.form(channel=15)
    assert stick.channel == running["channel"] == 15
    assert running["panId"] == f"{stick.pan:04x}" and "trouble" not in running, running
    assert len(set(stick.key)) > 8, "a random key"
    assert not stick.is_open, "a new network is closed"
    sensor = Device(1, TEMPERATURE, HUMIDITY)
    assert not stick.join(sensor)

    network.permit()
    assert 100 < network.coordinator()["openSeconds"] <= 120
    found = network.join(sensor)
    assert found["reporting"] == "battery, temperature, humidity" and not found["isRouter"], found
    assert (found["maker"], found["model"]) == ("LUMI", "lumi.weather"), found
    assert set(sensor.configured) == {0x0001, TEMPERATURE, HUMIDITY}
    assert set(sensor.bound.values()) == {(int.from_bytes(stick.memory[1], "little"), 1)}
    sensor.report(TEMPERATURE, 0x29, -550)
    until(lambda: network.readings(sensor.device) == {"temperature": -5.5}, 20, "a reading")
    sensor.report(TEMPERATURE, 0x29, 700, control=0x08)
    until(lambda: any(payload[2] == 0x0B for _, payload in sensor.replies), 20, "a default response")

    network.permit(0)
    assert "openSeconds" not in network.coordinator()
    types = [entry["type"] for entry in network.farm.replay("sensor-ingest/farm-0")]
    for kind in ["network-formed", "joining-permitted", "device-joined", "device-interviewed"]:
        assert f"farm.furrow.sensors.{kind}.v1" in types, types
    journal = str(network.farm.replay("sensor-ingest/farm-0"))
    assert stick.key.hex() not in journal.lower(), "the key is in no journal"
    print(f"zigbee: a blank coordinator of {stick.stack} formed a network; {len(stick.heard)} messages were sent to it")


def test_a_network_and_its_devices_survive_restarts_of_coordinator_and_service(own_farm, stick):
    network = Network(own_farm, stick)
    network.reaches("blank")
    before = network.form()
    network.permit()
    sensor = Device(1, TEMPERATURE)
    network.join(sensor)
    key, asked = stick.key, len(sensor.replies)
    stick.write(frame(*stick.reset()[0]))
    until(lambda: stick.is_started, 60, "a network that is started again")
    network.reaches("running")
    network.farm.kill("sensor-ingest/farm-0")
    until(lambda: network.farm.ready("sensor-ingest/farm-0"), 60, "the service after the kill")
    after = network.reaches("running")
    assert stick.key == key and (after["panId"], after["channel"]) == (before["panId"], before["channel"])
    stick.announce(sensor)
    sensor.report(TEMPERATURE, 0x29, 1250)
    until(lambda: network.readings(sensor.device) == {"temperature": 12.5}, 20, "a reading")
    assert len(sensor.replies) == asked, "a known device is not interviewed again"


def test_a_device_on_batteries_is_interviewed_when_it_sends_something(own_farm, stick):
    network = Network(own_farm, stick)
    network.reaches("blank")
    network.form()
    network.permit()
    sensor = Device(1, TEMPERATURE, SOIL, is_awake=False, refuses=(SOIL,))
    assert stick.join(sensor)
    until(lambda: sensor.device in network.devices(), 20, "a device that joined")
    assert "interviewed" not in network.devices()[sensor.device]
    network.farm.kill("sensor-ingest/farm-0")
    until(lambda: network.farm.ready("sensor-ingest/farm-0"), 60, "the service after the kill")
    network.reaches("running")
    sensor.is_awake = True
    sensor.report(TEMPERATURE, 0x29, 900)
    until(lambda: "interviewed" in network.devices()[sensor.device], 60, "an interviewed device")
    found = network.devices()[sensor.device]
    assert found["reporting"] == "battery, temperature" and found["unfulfilled"] == "soil moisture: refused", found


def test_a_removed_device_leaves_also_if_it_rests(own_farm, stick):
    network = Network(own_farm, stick)
    network.reaches("blank")
    network.form()
    network.permit()
    sensor = Device(1, TEMPERATURE)
    network.join(sensor)
    sensor.is_awake = False
    network.staff.make("POST", f"/v1/zigbee-devices/{sensor.device}/removal", {})
    assert network.devices()[sensor.device]["isRemoved"]
    assert not sensor.has_left.is_set()
    sensor.is_awake = True
    sensor.report(TEMPERATURE, 0x29, 900)
    assert sensor.has_left.wait(20), "a device that left"
    until(lambda: sensor.device not in network.devices(), 20, "a list without the device")


def test_a_removed_device_that_joins_again_stays(own_farm, stick):
    network = Network(own_farm, stick)
    network.reaches("blank")
    network.form()
    network.permit()
    sensor = Device(1, TEMPERATURE)
    network.join(sensor)
    sensor.is_awake = False
    sent = stick.heard.count(0x2402)
    network.staff.make("POST", f"/v1/zigbee-devices/{sensor.device}/removal", {})
    until(lambda: stick.heard.count(0x2402) > sent, 20, "a request to leave, which the resting device misses")
    sensor.is_awake = True
    stick.announce(sensor)
    until(lambda: not network.devices()[sensor.device]["isRemoved"], 20, "a device that is back")
    network.farm.kill("sensor-ingest/farm-0")
    until(lambda: network.farm.ready("sensor-ingest/farm-0"), 60, "the service after the kill")
    network.reaches("running")
    sensor.report(TEMPERATURE, 0x29, 900)
    until(lambda: network.readings(sensor.device) == {"temperature": 9.0}, 20, "a reading")
    assert not sensor.has_left.is_set()


def test_a_network_is_replaced_only_by_its_number(own_farm, stick):
    network = Network(own_farm, stick)
    network.reaches("blank")
    first = network.form()
    network.permit()
    network.join(Device(1, TEMPERATURE))
    key = stick.key
    for more in [{}, {"replaces": "0000"}]:
        answer = network.staff.call("POST", "/v1/coordinators/network", {"source": network.source, **more})
        assert answer.status == 409 and answer.json["type"].endswith("network-exists"), answer.json
        assert first["panId"] in answer.json["detail"]
    second = network.form(channel=25, replaces=first["panId"])
    assert second["channel"] == 25 and second["panId"] != first["panId"] and stick.key != key
    assert network.devices() == {}


@pytest.mark.parametrize("stick", ["3.0"], indirect=True)
def test_a_network_that_cannot_be_formed_is_explained(own_farm, stick):
    stick.channel_is_free = False
    network = Network(own_farm, stick)
    network.reaches("blank")
    network.staff.make("POST", "/v1/coordinators/network", {"source": network.source})
    until(lambda: "formingFailure" in network.coordinator(), 60, "a failure")
    assert "interference" in network.coordinator()["formingFailure"]
    stick.channel_is_free = True
    network.reaches("blank")
    assert "formingFailure" not in network.form()


def test_tuya_devices_get_the_time_and_alarm_zones_are_enrolled(own_farm, stick):
    network = Network(own_farm, stick)
    network.reaches("blank")
    network.form()
    network.permit()
    leak = Device(1, ALARM_ZONE, maker="_TZ3000_kstbkt6a", model="TS0207")
    found = network.join(leak)
    assert found["reporting"] == "battery, alarm" and leak.enrolled == int.from_bytes(stick.memory[1], "little")
    leak.send(ALARM_ZONE, bytes([0x09, 7, 0x01, 0x2A, 0, 0x5F, 0x11]))
    until(lambda: (ALARM_ZONE, bytes([0x11, 7, 0, 0, 0])) in leak.replies, 20, "an enrolled zone")
    leak.send(TUYA, bytes([0x09, 8, 0x24, 0, 9]))
    until(lambda: any(cluster == TUYA for cluster, _ in leak.replies), 20, "the time")
    (payload,) = [payload for cluster, payload in leak.replies if cluster == TUYA]
    assert payload[:5] == bytes([0x11, 8, 0x24, 0, 9]), payload.hex()
    utc = int.from_bytes(payload[5:9], "big")
    local = int.from_bytes(payload[9:13], "big")
    assert abs(utc - time.time()) < 60 and local == utc
    # The farm's clocks are those of the quiet hours.
    network.staff.make("PUT", "/v1/on-call", {
        "steps": [], "quiet": {"from": "22:00", "to": "06:00", "zone": "Asia/Kolkata"}})
    leak.replies.clear()

    def ahead() -> int | None:
        leak.send(TUYA, bytes([0x09, 9, 0x24, 0, 9]))
        payloads = [payload for cluster, payload in leak.replies if cluster == TUYA]
        times = [struct.unpack(">II", payload[5:13]) for payload in payloads]
        return times[-1][1] - times[-1][0] if times else None

    until(lambda: ahead() == 19_800, 20, "the local time", pause=0.5)


def test_a_coordinator_with_a_network_socket_works_and_is_reconnected(own_farm, stick):
    port = free_port()
    bridge = Bridge(stick, port)
    try:
        network = Network(own_farm, stick, f"znp:tcp://127.0.0.1:{port}")
        network.reaches("blank")
        network.form()
        network.permit()
        sensor = Device(1, TEMPERATURE)
        network.join(sensor)
        bridge.cut()
        until(lambda: bridge.connections > 1, 60, "a new connection")
        network.reaches("running")
        sensor.report(TEMPERATURE, 0x29, 1875)
        until(lambda: network.readings(sensor.device) == {"temperature": 18.75}, 30, "a reading")
    finally:
        bridge.close()


class Bridge:
    """A serial server: a TCP port before a coordinator, as network coordinators have."""

    def __init__(self, stick: ZStack, port: int):
        self.stick = stick
        self.connections = 0
        self.client: socket.socket | None = None
        self.listener = socket.create_server(("127.0.0.1", port))
        stick.write = self.write  # type: ignore[method-assign]
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        while True:
            try:
                self.client, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            self.stick.rest = b""
            while data := self.receive():
                self.stick.take(data)

    def receive(self) -> bytes:
        try:
            return self.client.recv(4096) if self.client else b""
        except OSError:
            return b""

    def write(self, data: bytes) -> float:
        try:
            if self.client:
                self.client.sendall(data)
        except OSError:
            # The connection was cut meanwhile.
            self.client = None
        return 0

    def cut(self) -> None:
        assert self.client is not None
        self.client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        if self.client:
            self.client.close()


@pytest.mark.parametrize("stick", STACKS, indirect=True)
def test_another_host_uses_the_simulated_coordinator_as_a_real_one(stick):
    """PyPI's zigpy-znp, whose authors know the firmware, forms a network on the simulated coordinator and starts it."""
    from zigpy_znp.api import ZNP
    from zigpy_znp.zigbee.application import ControllerApplication

    config = {"device": {"path": stick.path}, "backup_enabled": False}

    async def use() -> tuple[float, str, int, int]:
        app = ControllerApplication(config)
        await app.connect()
        try:
            await app.form_network()
            await app.start_network()
            assert app._znp is not None
            znp: ZNP = app._znp
            network = app.state.network_info
            await app.permit(30)
            return znp.version, network.network_key.key.serialize().hex(), network.pan_id, network.channel
        finally:
            await app.disconnect()

    logging.getLogger("zigpy_znp").setLevel(logging.ERROR)
    version, key, pan, channel = asyncio.run(use())
    assert version == {"1.2": 1.2, "3.0": 3.0, "3.30": 3.3}[stick.stack]
    assert (key, pan, channel) == (stick.key.hex(), stick.pan, stick.channel)
    assert stick.permits, "joining was permitted"
    print(f"zigbee: zigpy-znp formed a network on {stick.stack} with {len(stick.heard)} messages")
