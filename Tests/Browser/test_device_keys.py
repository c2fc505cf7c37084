"""The key of a sensor that encrypts: entered on the page or by the operator's command, and shown nowhere."""

import json
import subprocess
import time

import pytest
from client import until
from conftest import PHONE
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from farm import PROGRAMS, demoted
from radio_farm import ADMINISTRATOR, RadioFarm
from sniffed import SniffedNetwork
from staff_driver import StaffPages
from test_accessibility import look

#: The example of bthome.io: 25.06 °C and 50.55 %.
ADDRESS, SEALED = "54:48:e6:8f:80:a5", "1216d2fc41a47266c95f730011223378237214"
DEVICE, KEY = "ble:5448e68f80a5", "231d39c1d7cc1ab1aee224cd096db932"


@pytest.fixture
def farm():
    farm = RadioFarm()
    try:
        farm.open_cold_store()
        farm.client.make("POST", "/v1/adverts", {"adverts": [{"address": ADDRESS, "hex": SEALED}]})
        yield farm
    finally:
        farm.destroy()


def sealed(celsius: float, counter: int) -> str:
    """Returns an advertisement of BTHome, version 2, encrypted as bthome.io says."""
    head, count = bytes.fromhex("d2fc41"), counter.to_bytes(4, "little")
    plain = b"\x02" + round(celsius * 100).to_bytes(2, "little", signed=True)
    box = AESCCM(bytes.fromhex(KEY), tag_length=4).encrypt(
        bytes.fromhex(ADDRESS.replace(":", "")) + head + count, plain, None)
    data = head + box[:-4] + count + box[-4:]
    return bytes([len(data) + 1, 0x16]).hex() + data.hex()


def readings(farm: RadioFarm) -> list[float]:
    return [reading["value"] for device in farm.client.items("/v1/devices") if device["device"] == DEVICE
            for reading in device["readings"]]


def test_a_key_is_entered_on_the_page_and_the_stored_message_is_decoded(farm, new_phone, pictures):
    pages = StaffPages(new_phone(viewport=PHONE), farm.url)
    pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    pages.go("/sensors")
    pages.page.locator("#unread summary").click()
    assert "It is encrypted, and its key is not known here." in pages.text("#unread")
    pages.page.locator("#unread button", has_text="Enter its key").click()
    pages.send(f"set-device-key {DEVICE}", key=KEY[:30])
    assert "Use 32 hexadecimal digits" in pages.text("dialog")
    look(pages.page, "device-key", "phone", "light", pictures)
    pages.send(f"set-device-key {DEVICE}", key=KEY.upper())
    until(lambda: readings(farm) == [25.06, 50.55], 20, "the stored message, decoded")
    pages.go("/")
    pages.go("/sensors")
    pages.page.locator("#device-keys summary").click()
    assert DEVICE in pages.text("#device-keys") and KEY not in pages.page.content()
    pages.page.set_viewport_size({"width": 1280, "height": 900})
    look(pages.page, "device-key", "desk", "dark", pictures)
    pages.press(f"remove-device-key {DEVICE}")
    until(lambda: farm.client.items("/v1/device-keys") == [], 10, "the key to be removed")
    everything = json.dumps(farm.server.replay()) + farm.server.logs()
    assert KEY not in everything.lower() and "device-key-set" in everything
    assert pages.problems == []


def test_the_operators_command_reads_a_key_from_standard_input(farm):
    def command(*words: str, stdin: str = "") -> subprocess.CompletedProcess:
        return subprocess.run(
            [*demoted(), PROGRAMS / "furrow", "device-key", *words, "--home", farm.server.home, "--json"], input=stdin,
            text=True, capture_output=True, timeout=60, cwd="/")

    assert command("set", ADDRESS, stdin="nonsense\n").returncode == 1
    done = command("set", ADDRESS, stdin=KEY + "\n")
    assert json.loads(done.stdout) == {"device": DEVICE, "isSet": True}, done
    until(lambda: readings(farm) == [25.06, 50.55], 20, "the stored message, decoded")
    # A process that is killed has its keys again.
    farm.server.kill("sensor-ingest/farm-0")
    farm.client.make("POST", "/v1/adverts", {"adverts": [{"address": ADDRESS, "hex": sealed(21.5, 0x44332212)}]})
    until(lambda: readings(farm) == [21.5], 20, "a message after the kill, decoded")
    assert command("remove", ADDRESS).returncode == 0
    assert command("remove", ADDRESS).returncode == 1
    assert farm.client.items("/v1/device-keys") == []


def test_a_capture_of_an_encrypted_network_is_read_once_its_key_is_entered(farm, new_phone, pictures, tmp_path):
    network = SniffedNetwork(bytes.fromhex(KEY))
    file = tmp_path / "barn.pcap"
    file.write_bytes(network.capture([4.5, 4.75, 5.0], int(time.time()) - 600))
    pages = StaffPages(new_phone(viewport=PHONE), farm.url)
    pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    pages.go("/sensors")
    pages.page.locator("#captures input[type=file]").set_input_files(file)
    pages.page.get_by_text("3 packets encrypted with a key that is not known here").first.wait_for()
    assert not [one for one in farm.client.items("/v1/devices") if one["device"] == network.device]

    pages.page.get_by_role("button", name="Enter the key of a ZigBee network").click()
    pages.send("set-network-key", network="the barn", key=KEY)
    assert "zigbee:greenhouse" in pages.text("dialog")
    # As zigbee2mqtt's file has it.
    numbers = str(list(bytes.fromhex(KEY)))
    look(pages.page, "network-key", "phone", "light", pictures)
    pages.send("set-network-key", network="barn", key=numbers)
    until(lambda: [one["device"] for one in farm.client.items("/v1/device-keys")] == ["zigbee:barn"], 10, "the key")
    pages.page.get_by_text("Captures are decrypted with it").first.wait_for()

    def read() -> bool:
        file.write_bytes(network.capture([4.5, 4.75, 5.0], int(time.time()) - 600))
        pages.page.locator("#captures input[type=file]").set_input_files(file)
        pages.page.get_by_text("new report").first.wait_for()
        return any(one["device"] == network.device for one in farm.client.items("/v1/devices"))

    # The process that decodes receives the key within seconds.
    until(read, 30, "the thermometer", pause=1)
    (device,) = [one for one in farm.client.items("/v1/devices") if one["device"] == network.device]
    assert device["reports"] == 3 and [one["value"] for one in device["readings"]] == [5.0], device
    pages.page.locator("#device-keys summary").click()
    assert "zigbee:barn" in pages.text("#device-keys") and KEY not in pages.page.content()
    pages.page.set_viewport_size({"width": 1280, "height": 900})
    look(pages.page, "captures", "desk", "dark", pictures)
    everything = json.dumps(farm.server.replay()) + farm.server.logs()
    assert KEY not in everything.lower() and numbers not in everything
    assert pages.problems == []


def test_furrow_decode_decrypts_a_capture_with_the_networks_key(tmp_path):
    network = SniffedNetwork(bytes.fromhex(KEY))
    file = tmp_path / "barn.pcap"
    file.write_bytes(network.capture([4.5], 1_800_000_000))
    done = subprocess.run([PROGRAMS / "furrow", "decode", "--file", file, "--network-key", KEY], check=True, text=True,
                          capture_output=True)
    (line,) = [json.loads(text) for text in done.stdout.splitlines()]
    assert [(one["device"], one["value"]) for one in line["readings"]] == [(network.device, 4.5)], line
