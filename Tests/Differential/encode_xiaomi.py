"""Encoders of Xiaomi's MiBeacon: frame control, product, counter, address, one object; plain or encrypted."""

import random
import struct

from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from packets import Packet, Values, encodes, mac

#: Products by the kinds of objects that they send: a plant sensor, thermometers.
PLANT, THERMOMETER, LOW_ENERGY = 0x0098, 0x01AA, 0x2832


def plain_object(r: random.Random) -> tuple[int, bytes, Values]:
    celsius, humidity, battery = r.randint(-400, 600), r.randint(0, 1000), r.randint(0, 100)
    light, soil, conductivity = r.randint(0, 100_000), r.randint(0, 100), r.randint(0, 10_000)
    return r.choice([
        (0x1004, struct.pack("<h", celsius), {"temperature": celsius / 10}),
        (0x1006, struct.pack("<H", humidity), {"humidity": humidity / 10}),
        (0x1007, light.to_bytes(3, "little"), {"illuminance": light}),
        (0x1008, bytes([soil]), {"soil-moisture": soil}),
        (0x1009, struct.pack("<H", conductivity), {"conductivity": conductivity}),
        (0x100A, bytes([battery]), {"battery": battery}),
        (0x100D, struct.pack("<hH", celsius, humidity), {"temperature": celsius / 10, "humidity": humidity / 10}),
    ])


def product(kind: int, thermometer: int) -> int:
    return PLANT if kind in (0x1007, 0x1008, 0x1009) else thermometer


@encodes("mibeacon", "xiaomi_ble")
def mibeacon(r: random.Random, address: int) -> Packet:
    kind, data, values = plain_object(r)
    body = struct.pack("<HHB", 0x5050, product(kind, THERMOMETER), r.randint(0, 255)) + mac(address)[::-1]
    return Packet(values, services=[(0xFE95, body + struct.pack("<HB", kind, len(data)) + data)])


@encodes("mibeacon-encrypted", "xiaomi_ble")
def mibeacon_encrypted(r: random.Random, address: int) -> Packet:
    kind, data, values = plain_object(r)
    key, counter, high = r.randbytes(16), r.randint(0, 255), r.randbytes(3)
    head = struct.pack("<HHB", 0x5878, product(kind, LOW_ENERGY), counter)
    nonce = mac(address)[::-1] + head[2:5] + high
    sealed = AESCCM(key, tag_length=4).encrypt(nonce, struct.pack("<HB", kind, len(data)) + data, b"\x11")
    body = head + mac(address)[::-1] + b"\x08" + sealed[:-4] + high + sealed[-4:]
    return Packet(values, services=[(0xFE95, body)], key=key)
