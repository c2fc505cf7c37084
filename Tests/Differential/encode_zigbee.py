"""Encoders of ZigBee devices: attribute reports of standard clusters."""

import random
import struct

from packets import Packet, Values, encodes

#: Attributes that a device may report besides those that it measures: type, and struct format.
BESIDES = [(0x20, "<B"), (0x21, "<H"), (0x29, "<h"), (0x23, "<I"), (0x10, "<B"), (0x30, "<B"), (0x18, "<B")]


def attribute(number: int, kind: int, form: str, value: float) -> bytes:
    return struct.pack("<HB", number, kind) + struct.pack(form, value)


@encodes("zcl", "zigpy", rounding={"illuminance": 0.0051})
def zcl(r: random.Random, _: int) -> Packet:
    celsius, percent, pressure = r.randint(-4000, 8500), r.randint(0, 10_000), r.randint(500, 1100)
    light, co2 = r.randint(1, 50_000), r.randint(350, 10_000)
    choices: list[tuple[int, bytes, Values]] = [
        (0x0402, attribute(0, 0x29, "<h", celsius), {"temperature": celsius / 100}),
        (0x0405, attribute(0, 0x21, "<H", percent), {"humidity": percent / 100}),
        (0x0403, attribute(0, 0x29, "<h", pressure), {"pressure": pressure}),
        (0x0408, attribute(0, 0x21, "<H", percent), {"soil-moisture": percent / 100}),
        (0x0400, attribute(0, 0x21, "<H", light), {"illuminance": 10 ** ((light - 1) / 10_000)}),
        (0x040D, attribute(0, 0x39, "<f", co2 / 1e6), {"co2": co2}),
        (0x0001, attribute(0x20, 0x20, "<B", percent // 250), {"voltage": percent // 250 / 10}),
        (0x0001, attribute(0x21, 0x20, "<B", percent // 50), {"battery": percent // 50 / 2}),
    ]
    cluster, record, values = r.choice(choices)
    records = [record]
    for number in range(r.randint(0, 3)):
        kind, form = r.choice(BESIDES)
        records.append(attribute(0x0200 + number, kind, form, r.randint(0, 100)))
    r.shuffle(records)
    head = bytes([0x18, r.randint(0, 255), 0x0A])
    if r.random() < 0.05:
        # A maker's own attributes have the same numbers and other meanings.
        head = bytes([0x1C]) + struct.pack("<H", 0x115F) + head[1:]
        values = {}
    return Packet(values, message=head + b"".join(records), cluster=cluster)


def structure(*members: tuple[int, int, bytes]) -> bytes:
    """Returns Xiaomi's members: tag, type, value."""
    return b"".join(bytes([tag, kind]) + value for tag, kind, value in members)


@encodes("xiaomi-zigbee", "none")
def xiaomi(r: random.Random, _: int) -> Packet:
    volts, celsius = r.randint(2500, 3300), r.randint(-4000, 6000)
    humidity, pascals = r.randint(0, 10_000), r.randint(80_000, 110_000)
    body = structure(
        (1, 0x21, struct.pack("<H", volts)), (4, 0x21, struct.pack("<H", r.getrandbits(16))),
        (5, 0x21, struct.pack("<H", 4)), (6, 0x24, r.randbytes(5)), (100, 0x29, struct.pack("<h", celsius)),
        (101, 0x21, struct.pack("<H", humidity)), (102, 0x2B, struct.pack("<i", pascals)), (10, 0x21, b"\0\0"))
    message = bytes([0x18, r.randint(0, 255), 0x0A]) + struct.pack("<HBB", 0xFF01, 0x42, len(body)) + body
    return Packet({"voltage": volts / 1000, "temperature": celsius / 100, "humidity": humidity / 100,
                   "pressure": pascals / 100}, message=message, cluster=0, traits={"model": "lumi.weather"})


@encodes("tuya-soil", "none")
def tuya_soil(r: random.Random, _: int) -> Packet:
    soil, tenths, battery = r.randint(0, 100), r.randint(-200, 600), r.randint(0, 100)
    points = b"".join(struct.pack(">BBHi", number, 2, 4, value)
                      for number, value in ((3, soil), (5, tenths), (15, battery)))
    message = bytes([0x09, r.randint(0, 255), 0x02]) + struct.pack(">H", r.getrandbits(16)) + points
    return Packet({"soil-moisture": soil, "temperature": tenths / 10, "battery": battery}, message=message,
                  cluster=0xEF00, traits={"maker": "_TZE284_aao3yzhs", "model": "TS0601"})
