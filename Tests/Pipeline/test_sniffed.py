"""What the simulated network sends is on the air as a real one's: Wireshark decrypts and reads what the farm measured."""

import json
import re
import subprocess

import pytest
from client import until
from farm import PROGRAMS
from test_zigbee import Network
from zigbee_device import Device
from zstack import ZStack

TEMPERATURE, HUMIDITY = 0x0402, 0x0405
CELSIUS = [-5.5, 0, 7.25, 18.75, 31]


@pytest.fixture
def stick():
    one = ZStack("3.30")
    yield one
    one.close()


def test_wireshark_reads_the_simulated_network_as_the_farm_does(own_farm, stick, tmp_path):
    network = Network(own_farm, stick)
    network.reaches("blank")
    network.form()
    air = stick.sniff()
    network.permit()
    sensor = Device(1, TEMPERATURE, HUMIDITY)
    network.join(sensor)
    for value in CELSIUS:
        sensor.report(TEMPERATURE, 0x29, round(value * 100))
        until(lambda now=value: network.readings(sensor.device).get("temperature") == now, 20, f"{value} °C")
    file = tmp_path / "network.pcap"
    file.write_bytes(air.capture())

    key = ":".join(f"{byte:02x}" for byte in stick.key)
    shown = subprocess.run(
        ["tshark", "-r", file, "-o", f'uat:zigbee_pc_keys:"{key}","Normal","farm"', "-V"], check=True,
        capture_output=True, text=True, timeout=60).stdout
    assert [float(value) for value in re.findall(r"Measured Value: (-?[0-9.]+) \[", shown)] == CELSIUS
    assert shown.count("ZigBee Cluster Library Frame") == len(air.frames) > len(CELSIUS)
    assert "Malformed" not in shown and f"Destination PAN: 0x{stick.pan:04x}" in shown

    lines = subprocess.run(
        [PROGRAMS / "furrow", "decode", "--file", file, "--network-key", stick.key.hex()], check=True,
        capture_output=True, text=True, timeout=60).stdout.splitlines()
    readings = [reading["value"] for line in map(json.loads, lines) for reading in line.get("readings", [])
                if reading["quantity"] == "temperature"]
    assert readings == CELSIUS
    print(f"zigbee: tshark and the farm read {len(CELSIUS)} values in {len(air.frames)} frames of the simulator")
