"""Other programs' decoders, from PyPI: each returns the values of a packet by Furrow's names and units."""

import importlib
import json
import time
from collections.abc import Callable

from packets import SHORT_UUID, Packet, Values, channel

GRAVITY = 9.80665

#: What Home Assistant's libraries call a quantity.
HOME_ASSISTANT = {
    "carbon_dioxide": "co2", "moisture": "soil-moisture", "light": "illuminance", "dew_point": "dew-point",
    "volatile_organic_compounds": "voc", "rssi": "", "signal_strength": "", "acceleration_x": "acceleration-x",
    "acceleration_y": "acceleration-y", "acceleration_z": "acceleration-z", "acceleration_total": "",
}
HOME_ASSISTANT |= {f"temperature_probe_{number}": channel("temperature", number) for number in range(1, 7)}
# ThermoPro's probes measure inside and around.
HOME_ASSISTANT |= {f"internal_temperature_probe_{number}": channel("temperature", 2 * number - 1) for number in (1, 2)}
HOME_ASSISTANT |= {f"ambient_temperature_probe_{number}": channel("temperature", 2 * number) for number in (1, 2)}
#: The factor by which a unit is multiplied.
UNITS = {"mV": 0.001, "mbar": 1, "m/s²": 1, "mG": GRAVITY / 1000, "g": GRAVITY, "Pa": 0.01, "kPa": 10, "mL": 0.001}

CLASSES = {
    "bthome_ble": "BTHomeBluetoothDeviceData", "xiaomi_ble": "XiaomiBluetoothDeviceData",
    "govee_ble": "GoveeBluetoothDeviceData", "inkbird_ble": "INKBIRDBluetoothDeviceData",
    "thermopro_ble": "ThermoProBluetoothDeviceData", "sensorpush_ble": "SensorPushBluetoothDeviceData",
    "qingping_ble": "QingpingBluetoothDeviceData", "ruuvitag_ble": "RuuvitagBluetoothDeviceData",
}


def home_assistant(library: str) -> Callable[[Packet], Values]:
    """Returns the decoder of one of Home Assistant's libraries."""
    from habluetooth import BluetoothServiceInfoBleak

    parser = getattr(importlib.import_module(library), CLASSES[library])

    def decode(packet: Packet) -> Values:
        manufacturer = {}
        if packet.manufacturer:
            manufacturer = {int.from_bytes(packet.manufacturer[:2], "little"): packet.manufacturer[2:]}
        info = BluetoothServiceInfoBleak(
            name=packet.name or packet.mac, address=packet.mac, rssi=-60, manufacturer_data=manufacturer,
            service_data={SHORT_UUID.format(service): data for service, data in packet.services},
            service_uuids=[SHORT_UUID.format(uuid) for uuid in packet.uuids] + packet.long_uuids, source="test",
            device=None,  # pyright: ignore[reportArgumentType] (no device is behind the packet)
            advertisement=None, connectable=False, time=time.monotonic(), tx_power=None,
            raw=packet.structures)
        # A parser of its own for each packet: it would drop a counter that goes back.
        update = (parser(bindkey=packet.key) if packet.key else parser()).update(info)
        values = {}
        for key, sensor in update.entity_values.items():
            quantity = HOME_ASSISTANT.get(key.key, key.key)
            if quantity and isinstance(sensor.native_value, int | float) and not isinstance(sensor.native_value, bool):
                unit = update.entity_descriptions[key].native_unit_of_measurement
                # Govee's sensor outdoors is the second.
                name = channel(quantity, 2 if key.device_id == "remote" else 1)
                values[name] = sensor.native_value * UNITS.get(str(getattr(unit, "value", unit)), 1)
        return values

    return decode


#: What bleparser calls a quantity, and the factor by which its value is multiplied.
BLEPARSER = {
    "temperature": ("temperature", 1), "humidity": ("humidity", 1), "battery": ("battery", 1), "voltage": ("voltage", 1),
    "pressure": ("pressure", 1), "illuminance": ("illuminance", 1), "moisture": ("soil-moisture", 1),
    "conductivity": ("conductivity", 1), "co2": ("co2", 1), "dewpoint": ("dew-point", 1), "power": ("power", 1),
}


def bleparser() -> Callable[[Packet], Values]:
    from bleparser import BleParser

    def decode(packet: Packet) -> Values:
        keys = {packet.address.to_bytes(6, "big"): packet.key} if packet.key else {}
        parser = BleParser(discovery=True, filter_duplicates=False, aeskeys=keys)
        sensor, _ = parser.parse_raw_data(packet.report)
        values = {}
        for name, (quantity, factor) in BLEPARSER.items():
            if sensor and name in sensor:
                values[quantity] = sensor[name] * factor
        if sensor and "energy unit" in sensor:
            quantity, factor = {"kWh": ("energy", 1), "m3": ("volume", 1000), "cnt": ("count", 1)}[str(sensor["energy unit"])]
            values[quantity] = sensor["energy"] * factor
        return values

    return decode


THEENGS = {
    "tempc": ("temperature", 1), "tempc1": ("temperature", 1), "tempc2": ("temperature-2", 1), "hum": ("humidity", 1),
    "batt": ("battery", 1), "volt": ("voltage", 1), "lux": ("illuminance", 1), "moi": ("soil-moisture", 1),
    "fer": ("conductivity", 1), "pres": ("pressure", 1), "co2": ("co2", 1), "lvl_cm": ("level", 10),
    "accx": ("acceleration-x", GRAVITY / 1000), "accy": ("acceleration-y", GRAVITY / 1000),
    "accz": ("acceleration-z", GRAVITY / 1000),
}


def theengs() -> Callable[[Packet], Values]:
    import TheengsDecoder

    def decode(packet: Packet) -> Values:
        fields: dict = {"id": packet.mac, "rssi": -60}
        if packet.name:
            fields["name"] = packet.name
        if packet.manufacturer:
            fields["manufacturerdata"] = packet.manufacturer.hex()
        # A gateway passes on a listed service in the same member.
        for uuid in packet.uuids:
            fields["servicedatauuid"] = f"{uuid:04x}"
        for service, data in packet.services:
            fields |= {"servicedata": data.hex(), "servicedatauuid": f"{service:04x}"}
        text = TheengsDecoder.decodeBLE(json.dumps(fields))
        found = json.loads(text) if text else {}
        values = {quantity: found[name] * factor for name, (quantity, factor) in THEENGS.items() if name in found}
        if "contact" in found:
            values["contact"] = 0 if found["contact"] == "closed" else 1
        return values

    return decode


def aioblescan() -> Callable[[Packet], Values]:
    from aioblescan import HCI_Event
    from aioblescan.plugins import EddyStone

    def decode(packet: Packet) -> Values:
        event = HCI_Event()
        event.decode(packet.report)
        found = EddyStone().decode(event) or {}
        values = {"temperature": found.get("temperature"), "voltage": found.get("battery")}
        return {name: value / (1000 if name == "voltage" else 1) for name, value in values.items() if value is not None}

    return decode


#: Clusters with one measured attribute: the quantity, and the value of the raw number (ZigBee Cluster Library).
CLUSTERS: dict[tuple[int, int], tuple[str, Callable[[float], float]]] = {
    (0x0402, 0): ("temperature", lambda raw: raw / 100), (0x0405, 0): ("humidity", lambda raw: raw / 100),
    (0x0403, 0): ("pressure", float), (0x0408, 0): ("soil-moisture", lambda raw: raw / 100),
    (0x0400, 0): ("illuminance", lambda raw: 10 ** ((raw - 1) / 10_000)), (0x040D, 0): ("co2", lambda raw: raw * 1e6),
    (0x0001, 0x20): ("voltage", lambda raw: raw / 10), (0x0001, 0x21): ("battery", lambda raw: raw / 2),
}


def zigpy() -> Callable[[Packet], Values]:
    from zigpy.zcl import foundation

    def decode(packet: Packet) -> Values:
        header, rest = foundation.ZCLHeader.deserialize(packet.message)
        assert header.command_id == foundation.GeneralCommand.Report_Attributes
        values = {}
        while rest and header.manufacturer is None:
            attribute, rest = foundation.Attribute.deserialize(rest)
            known = CLUSTERS.get((packet.cluster, attribute.attrid))
            if known:
                values[known[0]] = known[1](attribute.value.value)
        return values

    return decode


def peer(name: str) -> Callable[[Packet], Values] | None:
    """Returns a decoder by its name; nil if no independent one is known."""
    if name == "none":
        return None
    own = {"bleparser": bleparser, "theengs": theengs, "aioblescan": aioblescan, "zigpy": zigpy}
    return own[name]() if name in own else home_assistant(name)
