"""Encoders of tags, meters and tank sensors: ELA, Teltonika, KKM, Mokosmart, iNode, Mopeka, NodOn, BM2, BM6."""

import random
import struct

from encode_open import accelerations
from packets import Deviation, Packet, encodes, mac


@encodes("ela-service", "bleparser")
def ela(r: random.Random, _: int) -> Packet:
    celsius, humidity = r.randint(-4000, 8500), r.randint(0, 100)
    services = [(0x2A6E, struct.pack("<h", celsius))]
    values = {"temperature": celsius / 100}
    name = "P T EN 800100"
    if r.random() < 0.5:
        services.append((0x2A6F, bytes([humidity])))
        values["humidity"] = humidity
        name = "P RHT 900100"
    return Packet(values, services=services, name=name)


@encodes("teltonika-eye", "none")
def teltonika(r: random.Random, _: int) -> Packet:
    mask, data, values = r.choice([0x81, 0x83, 0xB3, 0x03]), b"", {}
    celsius, humidity, volts = r.randint(-4000, 8500), r.randint(0, 100), r.randint(0, 160)
    if mask & 1:
        data += struct.pack(">h", celsius)
        values["temperature"] = celsius / 100
    if mask & 2:
        data += bytes([humidity])
        values["humidity"] = humidity
    data += r.randbytes((2 if mask & 0x10 else 0) + (3 if mask & 0x20 else 0))
    if mask & 0x80:
        data += bytes([volts])
        values["voltage"] = 2 + volts / 100
    return Packet(values, b"\x9a\x08\x01" + bytes([mask]) + data)


@encodes("ksensor", "theengs", rounding={"temperature": 0.0101, "*": 0.0051})
def ksensor(r: random.Random, _: int) -> Packet:
    volts, celsius = r.randint(1500, 3600), r.randint(-40 * 256, 85 * 256)
    axes = [r.randint(-4000, 4000) for _ in range(3)]
    body = struct.pack(">BBBHhhhh", 0x21, 1, 0x0B, volts, celsius, *axes)
    return Packet({"voltage": volts / 1000, "temperature": celsius / 256} | accelerations(axes),
                  services=[(0xFEAA, body)], uuids=[0xFEAA])


@encodes("kkm-k6", "bleparser",
         Deviation("temperature", "the peer takes a fraction of 256 for one of 100, and turns the sign below zero"),
         Deviation("humidity", "the peer takes a fraction of 256 for one of 100"))
def kkm(r: random.Random, _: int) -> Packet:
    volts, celsius, humidity = r.randint(1500, 3600), r.randint(-40 * 256, 85 * 256), r.randint(0, 25_600)
    # Without the bit of the accelerations in the mask, as K6 sends them.
    axes = [r.randint(-4000, 4000) for _ in range(3)]
    body = struct.pack(">BBBHhHhhh", 0x21, 1, 7, volts, celsius, humidity, *axes)
    return Packet({"voltage": volts / 1000, "temperature": celsius / 256, "humidity": humidity / 256}
                  | accelerations(axes), services=[(0xFEAA, body)])


@encodes("ela-manufacturer", "none")
def ela_manufacturer(r: random.Random, _: int) -> Packet:
    celsius, humidity, volts = r.randint(-4000, 8500), r.randint(0, 100), r.randint(1500, 3600)
    data = b"\x12" + struct.pack("<h", celsius) + b"\x21" + bytes([humidity]) + b"\xf2" + struct.pack("<H", volts)
    return Packet({"temperature": celsius / 100, "humidity": humidity, "voltage": volts / 1000}, b"\x57\x07" + data)


@encodes("sensor-easy", "theengs")
def sensor_easy(r: random.Random, _: int) -> Packet:
    celsius, volts = r.randint(-4000, 8500), r.randint(1500, 3600)
    return Packet({"temperature": celsius / 100, "voltage": volts / 1000}, b"\x57\x07\xf2" + struct.pack("<H", volts),
                  services=[(0x2A6E, struct.pack("<h", celsius))], name="P T EN 800100")


@encodes("mokosmart", "theengs")
def mokosmart(r: random.Random, _: int) -> Packet:
    volts, tenths, humidity = r.randint(1500, 3600), r.randint(-400, 850), r.randint(0, 1000)
    values = {"voltage": volts / 1000}
    if r.random() < 0.5:
        return Packet(values, services=[(0xFEAB, b"\x40\x00\x0a" + struct.pack(">H", volts) + r.randbytes(6))])
    values |= {"temperature": tenths / 10, "humidity": humidity / 10}
    return Packet(values, services=[(0xFEAB, b"\x70\x00\x0a" + struct.pack(">hHH", tenths, humidity, volts) + b"\x01")])


def level(r: random.Random) -> tuple[int, dict[str, float]]:
    """Returns iNode's battery in steps, and its percentage."""
    steps = r.randint(1, 11)
    return steps, {"battery": 100 if steps == 1 else (steps - 1) * 10}


@encodes("inode-meter", "bleparser")
def inode_meter(r: random.Random, _: int) -> Packet:
    average, total, unit = r.randint(0, 65_535), r.getrandbits(32), r.randint(0, 2)
    pulses, (steps, values) = r.randint(1, 0x3FFF), level(r)
    if unit == 0:
        values |= {"energy": total / pulses, "power": 60_000 * average / pulses}
    elif unit == 1:
        values["volume"] = 1000 * total / pulses
    else:
        values["count"] = total / pulses
    data = struct.pack("<HIHBH", average, total, unit << 14 | pulses, steps << 4 | r.randint(0, 15), r.getrandbits(16))
    return Packet(values, bytes([r.choice([0x90, 0x91, 0x92]), 0x82]) + data)


@encodes("inode-care-ht", "bleparser")
def inode_care(r: random.Random, _: int) -> Packet:
    # The peer limits temperatures to −30 to 70 °C and humidity to 1 to 100 %.
    celsius, humidity, (steps, values) = r.randint(1600, 10_800), r.randint(1000, 13_800), level(r)
    data = struct.pack("<HHHHH", steps << 12 | r.randint(0, 0xFFF), 0, 0, celsius, humidity) + r.randbytes(12)
    values |= {"temperature": 175.72 * celsius * 4 / 65_536 - 46.85, "humidity": 125 * humidity * 4 / 65_536 - 6}
    return Packet(values, bytes([r.choice([0x90, 0x92]), 0x9B]) + data)


@encodes("mopeka", "theengs", rounding={"*": 0.01})
def mopeka(r: random.Random, address: int) -> Packet:
    volts, raw, quality, echo = r.randint(64, 110), r.randint(0, 110), r.randint(0, 3), r.randint(0, 0x3FFF)
    model = r.choice([3, 6, 12])
    values = {"voltage": volts / 32, "temperature": raw - 40}
    if model == 3 and quality:
        values["level"] = echo * (0.573045 - 0.002822 * raw - 0.00000535 * raw * raw)
    data = bytes([model, volts, raw]) + struct.pack("<H", quality << 14 | echo) + mac(address)[3:] + r.randbytes(2)
    return Packet(values, b"\x59\x00" + data)


@encodes("nodon-niu", "theengs")
def nodon(r: random.Random, _: int) -> Packet:
    battery = r.randint(0, 100)
    data = r.randbytes(10) + bytes([0, r.randint(2, 7), battery | r.choice([0, 0x80])]) + r.randbytes(2)
    return Packet({"battery": battery}, services=[(0x0000, data + bytes([r.randint(1, 7)]))])


@encodes("bm2", "theengs")
def bm2(r: random.Random, _: int) -> Packet:
    battery = r.randint(0, 100)
    return Packet({"battery": battery}, bytes.fromhex("4c000215655f83caae16a10a702e31f30d58dd82")
                  + r.randbytes(4) + bytes([battery]))


@encodes("bm6", "theengs")
def bm6(r: random.Random, _: int) -> Packet:
    battery = r.randint(0, 100)
    return Packet({"battery": battery}, bytes.fromhex("4c0002153ba29cd9a42c894856badaf2606ef777")
                  + bytes([r.randint(0, 255), battery]) + r.randbytes(3))


@encodes("minew-s1", "none")
def minew(r: random.Random, address: int) -> Packet:
    battery, celsius, humidity = r.randint(0, 100), r.randint(-20 * 256, 60 * 256), r.randint(0, 25_600)
    data = b"\xa1\x01" + bytes([battery]) + struct.pack(">hH", celsius, humidity) + mac(address)[::-1]
    return Packet({"battery": battery, "temperature": celsius / 256, "humidity": humidity / 256},
                  services=[(0xFFE1, data)])


@encodes("sensortag", "none")
def sensortag(r: random.Random, _: int) -> Packet:
    # HDC1000 (Texas Instruments, SNAS643): T = raw / 65,536 · 165 − 40, RH = raw / 65,536 · 100.
    celsius, humidity = r.randint(0, 65_535), r.randint(0, 65_535)
    return Packet({"temperature": celsius / 65_536 * 165 - 40, "humidity": humidity / 65_536 * 100},
                  gatt=struct.pack("<HH", celsius, humidity), characteristic="f000aa21-0451-4000-b000-000000000000")
