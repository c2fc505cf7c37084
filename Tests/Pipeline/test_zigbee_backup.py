"""A network is backed up and restored: what the farm reads and writes is what another program reads and writes.

PyPI's zigpy-znp, whose authors know the firmware, works on the same simulated coordinators.
"""

import asyncio
import logging

import pytest
from client import until
from test_zigbee import STACKS, Network
from zigbee_device import Device
from zstack import ZStack

TEMPERATURE = 0x0402


@pytest.fixture
def stick(request):
    one = ZStack(request.param)
    yield one
    one.close()


def backed_up(network: Network) -> dict:
    """Returns a backup of the farm's coordinator."""
    network.staff.make("POST", "/v1/coordinators/backups", {"source": network.source})
    path = "/v1/coordinators/backup"
    until(lambda: network.staff.get(path, source=network.source)["state"] == "ready", 60, "a backup")
    return network.staff.get(path, source=network.source)["backup"]


def comparable(backup: dict, counters: bool = True) -> dict:
    """What two programs must say of one network."""
    devices = [dict(one) for one in backup["devices"]]
    if not counters:
        for one in devices:
            one["link_key"] = one.get("link_key", {}).get("key")
    return {name: backup[name] for name in (
        "coordinator_ieee", "pan_id", "extended_pan_id", "nwk_update_id", "security_level", "channel", "channel_mask",
        "stack_specific")} | {"devices": devices, "key": backup["network_key"] | ({} if counters else {
            "frame_counter": 0})}


def by_another_program(stick: ZStack, restored: dict | None = None) -> dict:
    """PyPI's zigpy-znp restores a network on a coordinator, if one is given, and returns the backup that it makes."""
    from zigpy.backups import NetworkBackup
    from zigpy_znp.zigbee.application import ControllerApplication

    async def use() -> dict:
        app = ControllerApplication({"device": {"path": stick.path}, "backup_enabled": False})
        await app.connect()
        try:
            if restored is not None:
                await app.backups.restore_backup(NetworkBackup.from_dict(restored), counter_increment=0)
            return (await app.backups.create_backup(load_devices=True)).as_open_coordinator_json()
        finally:
            await app.disconnect()

    logging.getLogger("zigpy_znp").setLevel(logging.ERROR)
    return asyncio.run(use())


def network_with_devices(stack: str) -> dict:
    """A network of four devices, as another program describes it: two keys of Z-Stack's kind, one of another, none."""
    def device(number: int, is_child: bool, key: str | None) -> dict:
        one = {"ieee_address": f"00158d000000{number:04x}", "nwk_address": f"{0x1A00 + number:04x}",
               "is_child": is_child}
        return one | ({"link_key": {"key": key, "tx_counter": 100 + number, "rx_counter": number}} if key else {})

    seed = bytes(range(16))

    def derived(number: int, shift: int) -> str:
        address = 2 * bytes.fromhex(f"00158d000000{number:04x}")[::-1]
        return bytes(a ^ b for a, b in zip(seed[shift:] + seed[:shift], address, strict=True)).hex()

    has_keys = stack != "1.2"
    return {
        "metadata": {"version": 1, "format": "zigpy/open-coordinator-backup", "source": "test", "internal": {}},
        "stack_specific": {"zstack": {"tclk_seed": seed.hex()}} if has_keys else {},
        "coordinator_ieee": "00124b00aabbccdd", "pan_id": "3fa9", "extended_pan_id": "dddd4b00aabbcc01",
        "nwk_update_id": 3, "security_level": 5, "channel": 25, "channel_mask": [15, 20, 25],
        "network_key": {"key": "0102030405060708090a0b0c0d0e0f10", "sequence_number": 2, "frame_counter": 70_000},
        "devices": [
            device(1, True, derived(1, 0) if has_keys else None), device(2, False, derived(2, 7) if has_keys else None),
            device(3, False, "ffeeddccbbaa99887766554433221100" if has_keys else None), device(4, True, None)],
    }


@pytest.mark.parametrize("stick", STACKS, indirect=True)
def test_a_backup_of_the_farm_is_that_of_another_program(own_farm, stick):
    theirs = by_another_program(stick, network_with_devices(stick.stack))
    given = network_with_devices(stick.stack)
    if stick.stack == "1.2":
        # It stores only devices that are children or have a key.
        given["devices"] = [one for one in given["devices"] if one["is_child"]]
    assert comparable(theirs) == comparable(given)
    network = Network(own_farm, stick)
    network.reaches("running")
    ours = backed_up(network)
    assert comparable(ours) == comparable(theirs)
    assert network.coordinator()["state"] == "running"
    journal = str(network.farm.replay("sensor-ingest/farm-0"))
    assert ours["network_key"]["key"] not in journal.lower(), "the key is in no journal"
    print(f"zigbee: a backup of {stick.stack} with {len(ours['devices'])} devices equals that of zigpy-znp")


@pytest.mark.parametrize("stick", STACKS, indirect=True)
def test_a_network_is_restored_on_another_coordinator_and_its_devices_stay(own_farm, stick):
    network = Network(own_farm, stick)
    network.reaches("blank")
    backup = network_with_devices(stick.stack)
    network.staff.make("POST", "/v1/coordinators/restorations", {"source": network.source, "backup": backup})
    running = network.reaches("running")
    assert (running["panId"], running["channel"], running["extendedPanId"]) == ("3fa9", 25, "dddd4b00aabbcc01")
    assert stick.key.hex() == backup["network_key"]["key"]
    again = backed_up(network)
    assert again["network_key"]["frame_counter"] >= 80_000, "devices refuse numbers that they have seen"
    sensor = Device(1, TEMPERATURE)
    sensor.short, sensor.ieee, sensor.network = 0x1A01, 0x00158D0000000001, stick
    stick.devices[sensor.short] = sensor
    sensor.report(TEMPERATURE, 0x29, 850)
    until(lambda: network.readings(sensor.device) == {"temperature": 8.5}, 20, "a reading of a device that stayed")
    network.farm.stop()
    theirs = by_another_program(stick)
    expected = comparable(backup, counters=False)
    if stick.stack == "1.2":
        expected["devices"] = [one for one in expected["devices"] if one["is_child"]]
    assert comparable(theirs, counters=False) == expected
    print(f"zigbee: {stick.stack} was given a network of {len(expected['devices'])} devices, which zigpy-znp reads")
