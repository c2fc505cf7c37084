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
