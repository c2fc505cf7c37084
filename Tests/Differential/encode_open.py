"""Encoders of open formats: RuuviTag, BTHome, firmware for Xiaomi thermometers, b-parasite, beacons."""

import random
import struct

from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from packets import Packet, Values, encodes, mac

GRAVITY = 9.80665


@encodes("ruuvi3", "ruuvitag_ble")
def ruuvi3(r: random.Random, _: int) -> Packet:
    humidity, celsius, hundredths = r.randint(0, 200), r.randint(-60, 85), r.randint(0, 99)
    sign = celsius < 0 or (celsius == 0 and hundredths > 0 and r.random() < 0.5)
    pressure, volts = r.randint(0, 65_535), r.randint(1600, 3646)
    axes = [r.randint(-2000, 2000) for _ in range(3)]
    temperature = (abs(celsius) + hundredths / 100) * (-1 if sign else 1)
    body = struct.pack(">BBBBHhhhH", 3, humidity, abs(celsius) | (0x80 if sign else 0), hundredths, pressure, *axes,
                       volts)
    return Packet({"temperature": temperature, "humidity": humidity / 2, "pressure": (pressure + 50_000) / 100,
                   "voltage": volts / 1000} | accelerations(axes), b"\x99\x04" + body)


@encodes("ruuvi5", "ruuvitag_ble")
def ruuvi5(r: random.Random, address: int) -> Packet:
    celsius, humidity = r.randint(-12_000, 17_000), r.randint(0, 40_000)
    pressure, volts, movement = r.randint(0, 65_534), r.randint(0, 2046), r.randint(0, 254)
    axes = [r.randint(-32_767, 32_767) for _ in range(3)]
    values = {"temperature": celsius * 0.005, "humidity": humidity * 0.0025, "pressure": (pressure + 50_000) / 100,
              "voltage": (volts + 1600) / 1000} | accelerations(axes)
    # The values that mean "not available".
    for quantity, missing in [("temperature", -32_768), ("humidity", 65_535), ("pressure", 65_535)]:
        if r.random() < 0.02:
            del values[quantity]
            celsius = missing if quantity == "temperature" else celsius
            humidity = missing if quantity == "humidity" else humidity
            pressure = missing if quantity == "pressure" else pressure
    body = struct.pack(">BhHHhhhHBH", 5, celsius, humidity, pressure, *axes, volts << 5 | r.randint(0, 30), movement,
                       r.randint(0, 65_534))
    return Packet(values, b"\x99\x04" + body + mac(address))


@encodes("ruuvi6", "ruuvitag_ble", rounding={"illuminance": 0.51})
def ruuvi6(r: random.Random, address: int) -> Packet:
    celsius, humidity, pressure = r.randint(-8000, 17_000), r.randint(0, 40_000), r.randint(0, 60_000)
    fine, ppm, light = r.randint(0, 10_000), r.randint(0, 40_000), r.randint(0, 254)
    body = struct.pack(">BhHHHHBBBBBB", 6, celsius, humidity, pressure, fine, ppm, r.randint(0, 249), r.randint(0, 249),
                       light, r.randint(0, 200), r.randint(0, 255), 0)
    return Packet({"temperature": celsius / 200, "humidity": humidity / 400, "pressure": (pressure + 50_000) / 100,
                   "pm25": fine / 10, "co2": ppm, "illuminance": 65_536 ** (light / 254) - 1},
                  b"\x99\x04" + body + mac(address)[3:])


@encodes("ruuvi-e1", "ruuvitag_ble")
def ruuvi_e1(r: random.Random, address: int) -> Packet:
    celsius, humidity, pressure = r.randint(-8000, 17_000), r.randint(0, 40_000), r.randint(0, 60_000)
    dust, ppm, light = [r.randint(0, 9999) for _ in range(4)], r.randint(0, 40_000), r.randint(0, 14_428_400)
    body = struct.pack(">BhHHHHHHHBB", 0xE1, celsius, humidity, pressure, *dust, ppm, r.randint(0, 249),
                       r.randint(0, 249))
    body += light.to_bytes(3, "big") + b"\xff\xff\xff" + r.randbytes(3) + b"\x00" + b"\xff" * 5 + mac(address)
    return Packet({"temperature": celsius / 200, "humidity": humidity / 400, "pressure": (pressure + 50_000) / 100,
                   "pm25": dust[1] / 10, "pm10": dust[3] / 10, "co2": ppm, "illuminance": light / 100},
                  b"\x99\x04" + body)


def accelerations(axes: list[int]) -> Values:
    return {f"acceleration-{axis}": value * GRAVITY / 1000 for axis, value in zip("xyz", axes, strict=True)}


#: BTHome 2, ascending: object, struct format (3: three bytes), quantity, divisor, lowest and highest raw value.
OBJECTS = [
    (b"\x01", "B", "battery", 1, 0, 100),
    (b"\x02", "<h", "temperature", 100, -4000, 8500),
    (b"\x03", "<H", "humidity", 100, 0, 10_000),
    (b"\x04", "3", "pressure", 100, 50_000, 110_000),
    (b"\x05", "3", "illuminance", 100, 0, 0xFF_FFFF),
    (b"\x08", "<h", "dew-point", 100, -4000, 6000),
    (b"\x0a", "3", "energy", 1000, 0, 0xFF_FFFF),
    (b"\x0b", "3", "power", 100, 0, 0xFF_FFFF),
    (b"\x0c", "<H", "voltage", 1000, 0, 65_535),
    (b"\x0d", "<H", "pm25", 1, 0, 1000),
    (b"\x0e", "<H", "pm10", 1, 0, 1000),
    (b"\x12", "<H", "co2", 1, 0, 40_000),
    (b"\x13", "<H", "voc", 1, 0, 60_000),
    (b"\x14", "<H", "soil-moisture", 100, 0, 10_000),
    (b"\x47", "<H", "volume", 10, 0, 65_535),
    (b"\x56", "<H", "conductivity", 1, 0, 20_000),
]


def objects(r: random.Random, kinds: list[tuple], most: int, room: int) -> tuple[bytes, Values]:
    """Returns up to `most` random objects in the order of `kinds` that fit into `room` bytes, and their values."""
    body, values = b"", {}
    chosen = r.sample(range(len(kinds)), r.randint(1, most))
    for head, form, quantity, divisor, low, high in (kinds[place] for place in sorted(chosen)):
        raw = r.randint(low, high)
        one = head + (raw.to_bytes(3, "little") if form == "3" else struct.pack(form, raw))
        if len(body) + len(one) > room:
            break
        body += one
        values[quantity] = raw / divisor
    return body, values


@encodes("bthome2", "bthome_ble")
def bthome2(r: random.Random, _: int) -> Packet:
    body, values = objects(r, OBJECTS, 6, 20)
    return Packet(values, services=[(0xFCD2, b"\x40" + body)])


@encodes("bthome2-encrypted", "bthome_ble")
def bthome2_encrypted(r: random.Random, address: int) -> Packet:
    body, values = objects(r, OBJECTS, 6, 12)
    key, counter = r.randbytes(16), struct.pack("<I", r.getrandbits(31))
    sealed = AESCCM(key, tag_length=4).encrypt(mac(address) + b"\xd2\xfc\x41" + counter, body, None)
    return Packet(values, services=[(0xFCD2, b"\x41" + sealed[:-4] + counter + sealed[-4:])], key=key)


#: BTHome 1: length and type in one byte (the type in the three highest bits) and object; the rest as above.
FIRST_OBJECTS = [
    (b"\x02\x01", "B", "battery", 1, 0, 100),
    (b"\x23\x02", "<h", "temperature", 100, -4000, 8500),
    (b"\x03\x03", "<H", "humidity", 100, 0, 10_000),
    (b"\x04\x04", "3", "pressure", 100, 50_000, 110_000),
    (b"\x04\x05", "3", "illuminance", 100, 0, 0xFF_FFFF),
    (b"\x03\x0c", "<H", "voltage", 1000, 0, 65_535),
    (b"\x03\x12", "<H", "co2", 1, 0, 40_000),
    (b"\x03\x14", "<H", "soil-moisture", 100, 0, 10_000),
]


@encodes("bthome1", "bthome_ble")
def bthome1(r: random.Random, _: int) -> Packet:
    body, values = objects(r, FIRST_OBJECTS, 4, 20)
    return Packet(values, services=[(0x181C, body)])


@encodes("bthome1-encrypted", "bthome_ble")
def bthome1_encrypted(r: random.Random, address: int) -> Packet:
    body, values = objects(r, FIRST_OBJECTS, 4, 12)
    key, counter = r.randbytes(16), struct.pack("<I", r.getrandbits(31))
    sealed = AESCCM(key, tag_length=4).encrypt(mac(address) + b"\x1e\x18" + counter, body, b"\x11")
    return Packet(values, services=[(0x181E, sealed[:-4] + counter + sealed[-4:])], key=key)


@encodes("atc", "bleparser")
def atc(r: random.Random, address: int) -> Packet:
    tenths, humidity, battery = r.randint(-400, 600), r.randint(0, 100), r.randint(0, 100)
    volts = r.randint(1500, 3600)
    body = mac(address) + struct.pack(">hBBHB", tenths, humidity, battery, volts, r.randint(0, 255))
    return Packet({"temperature": tenths / 10, "humidity": humidity, "battery": battery, "voltage": volts / 1000},
                  services=[(0x181A, body)])


def pvvx_values(r: random.Random) -> tuple[int, int, int, Values]:
    celsius, humidity, battery = r.randint(-4000, 6000), r.randint(0, 10_000), r.randint(0, 100)
    return celsius, humidity, battery, {"temperature": celsius / 100, "humidity": humidity / 100, "battery": battery}


@encodes("pvvx", "bleparser")
def pvvx(r: random.Random, address: int) -> Packet:
    celsius, humidity, battery, values = pvvx_values(r)
    volts = r.randint(1500, 3600)
    body = mac(address)[::-1] + struct.pack("<hHHBBB", celsius, humidity, volts, battery, r.randint(0, 255), 0)
    return Packet(values | {"voltage": volts / 1000}, services=[(0x181A, body)])


@encodes("pvvx-encrypted", "bleparser")
def pvvx_encrypted(r: random.Random, address: int) -> Packet:
    celsius, humidity, battery, values = pvvx_values(r)
    key, counter = r.randbytes(16), bytes([r.randint(0, 255)])
    # The nonce: the sender reversed, then the first five bytes of the AD structure.
    nonce = mac(address)[::-1] + bytes([14, 0x16, 0x1A, 0x18]) + counter
    sealed = AESCCM(key, tag_length=4).encrypt(nonce, struct.pack("<hHBB", celsius, humidity, battery, 0), b"\x11")
    return Packet(values, services=[(0x181A, counter + sealed)], key=key)


def parasite(r: random.Random, address: int, version: int, has_light: bool) -> Packet:
    scale = 1000 if version == 1 else 100
    celsius = r.randint(-20 * scale, min(60 * scale, 32_767))
    volts = r.randint(1500, 3600)
    humidity, soil, light = r.randint(0, 65_535), r.randint(0, 65_535), r.randint(0, 65_535)
    head = version << 4 | (1 if has_light else 0)
    body = struct.pack(">BBHhHH", head, r.randint(0, 15), volts, celsius, humidity, soil) + mac(address)
    values = {"temperature": celsius / scale, "humidity": humidity / 65_536 * 100, "voltage": volts / 1000,
              "soil-moisture": soil / 65_536 * 100}
    if has_light:
        body += struct.pack(">H", light)
        values["illuminance"] = light
    return Packet(values, services=[(0x181A, body)])


@encodes("b-parasite-1", "bleparser")
def parasite_1(r: random.Random, address: int) -> Packet:
    return parasite(r, address, 1, r.random() < 0.5)


@encodes("b-parasite-2", "bleparser")
def parasite_2(r: random.Random, address: int) -> Packet:
    return parasite(r, address, 2, r.random() < 0.5)


@encodes("eddystone-tlm", "aioblescan", rounding={"temperature": 0.0051})
def telemetry(r: random.Random, _: int) -> Packet:
    volts, celsius = r.randint(1500, 3600), r.randint(-40 * 256, 85 * 256)
    body = struct.pack(">BBHhII", 0x20, 0, volts, celsius, r.getrandbits(32), r.getrandbits(32))
    return Packet({"voltage": volts / 1000, "temperature": celsius / 256}, services=[(0xFEAA, body)], uuids=[0xFEAA])


@encodes("hhccjcy10", "bleparser")
def plant(r: random.Random, _: int) -> Packet:
    soil, tenths, light = r.randint(0, 100), r.randint(0, 600), r.randint(0, 100_000)
    battery, conductivity = r.randint(0, 100), r.randint(0, 10_000)
    body = struct.pack(">BH", soil, tenths) + light.to_bytes(3, "big") + struct.pack(">BH", battery, conductivity)
    return Packet({"soil-moisture": soil, "temperature": tenths / 10, "illuminance": light, "battery": battery,
                   "conductivity": conductivity}, services=[(0xFD50, body)])
