"""Encoders of makers' thermometers: SwitchBot, Inkbird, ThermoPro, SensorPush, Qingping, Sensirion, and others."""

import random
import struct

from encode_govee import packed_values
from packets import Deviation, Packet, Values, celsius_of_fahrenheit, channel, climate, encodes, half_up, mac


def switchbot_climate(r: random.Random) -> tuple[bytes, Values]:
    tenths, humidity = r.randint(-400, 600), r.randint(0, 100)
    whole = abs(tenths) // 10 | (0 if tenths < 0 else 0x80)
    return bytes([abs(tenths) % 10, whole, humidity]), {"temperature": tenths / 10, "humidity": humidity}


@encodes("switchbot-meter", "bleparser")
def switchbot_meter(r: random.Random, _: int) -> Packet:
    data, values = switchbot_climate(r)
    battery, model = r.randint(0, 100), r.choice(b"Ti")
    return Packet(values | {"battery": battery}, services=[(0xFD3D, bytes([model, 0, battery]) + data)])


@encodes("switchbot-outdoor", "theengs")
def switchbot_outdoor(r: random.Random, address: int) -> Packet:
    data, values = switchbot_climate(r)
    battery = r.randint(0, 100)
    return Packet(values | {"battery": battery}, b"\x69\x09" + mac(address) + r.randbytes(2) + data + b"\x00",
                  services=[(0xFD3D, bytes([ord("w"), 0, battery]))])


@encodes("switchbot-contact", "theengs")
def switchbot_contact(r: random.Random, _: int) -> Packet:
    battery, state, rest = r.randint(0, 100), r.choice([0, 1, 2]), r.randbytes(5)
    data = bytes([ord("d"), r.choice([0, 0x40]), battery, state << 1 | r.randint(0, 1)]) + rest
    return Packet({"battery": battery, "contact": 0 if state == 0 else 1}, services=[(0xFD3D, data)])


@encodes("inkbird-th", "inkbird_ble")
def inkbird_th(r: random.Random, _: int) -> Packet:
    celsius, humidity, battery = r.randint(-4000, 6000), r.randint(1, 9_900), r.randint(0, 100)
    data = struct.pack("<hHBHBB", celsius, humidity, 0, r.getrandbits(16), battery, 6)
    return Packet({"temperature": celsius / 100, "humidity": humidity / 100, "battery": battery}, data, name="sps",
                  uuids=[0xFFF0])


@encodes("inkbird-tps", "inkbird_ble")
def inkbird_probe(r: random.Random, _: int) -> Packet:
    # A model without a sensor for humidity sends zero.
    celsius, battery = r.randint(-4000, 10_000), r.randint(0, 100)
    data = struct.pack("<hHBHBB", celsius, 0, 0, r.getrandbits(16), battery, 6)
    return Packet({"temperature": celsius / 100, "battery": battery}, data, name="tps", uuids=[0xFFF0])


@encodes("inkbird-ibbq", "inkbird_ble")
def inkbird_ibbq(r: random.Random, address: int) -> Packet:
    probes = [r.randint(0, 3000) for _ in range(r.choice([1, 2, 4, 6]))]
    values = {"temperature" if number == 0 else f"temperature-{number + 1}": tenths / 10
              for number, tenths in enumerate(probes)}
    data = bytes(4) + mac(address) + b"".join(struct.pack("<h", tenths) for tenths in probes)
    return Packet(values, data, name="iBBQ", uuids=[0xFFF0])


@encodes("inkbird-ith11b", "inkbird_ble")
def inkbird_ith(r: random.Random, _: int) -> Packet:
    tenths, humidity, battery = climate(r)
    humidity = max(humidity, 1)
    data = r.randbytes(4) + struct.pack("<hHB", tenths, humidity, battery) + r.randbytes(4) + bytes(3)
    return Packet({"temperature": tenths / 10, "humidity": humidity / 10, "battery": battery}, b"\x49\x24" + data,
                  name="ITH-11-B")


@encodes("thermopro-tp35", "thermopro_ble")
def thermopro(r: random.Random, _: int) -> Packet:
    tenths, humidity, level = r.randint(-400, 600), r.randint(0, 99), r.choice([0, 1, 2])
    data = b"\xc2" + struct.pack("<hBBB", tenths, humidity, level, 0x2C)
    return Packet({"temperature": tenths / 10, "humidity": humidity, "battery": (1, 50, 100)[level]}, data,
                  name=f"TP35{r.choice('789')} ({r.getrandbits(16):04X})")


@encodes("thermopro-probe", "thermopro_ble")
def thermopro_probe(r: random.Random, _: int) -> Packet:
    number, inside, around = r.randint(0, 1), r.randint(0, 330), r.randint(30, 330)
    data = struct.pack("<BHHH", number, inside, r.randint(2200, 2600), around) + r.choice([b"", r.randbytes(6)])
    first = 2 * number + 1
    return Packet({channel("temperature", first): inside - 30, channel("temperature", first + 1): around - 30}, data,
                  name=r.choice(["TP960R (0000)", "TP970 (1234)"]))


@encodes("thermopro-tp972", "thermopro_ble",
         Deviation("temperature-2", "the peer cuts off the tenths of the air's temperature"),
         rounding={"*": 0.101})
def thermopro_long(r: random.Random, _: int) -> Packet:
    # The tip in degrees Fahrenheit above −54, as a number of 32 bits in floating point.
    tip, around = float(r.randint(600, 6000)) / 8, r.randint(90, 750)
    data = struct.pack("<BHHfff", 0, around, r.randint(2200, 2600), tip, tip, tip) + r.randbytes(6)
    return Packet({"temperature": half_up(celsius_of_fahrenheit(tip - 54), 1),
                   "temperature-2": half_up(celsius_of_fahrenheit(around - 54), 1)}, data, name="TP972 (1234)")


@encodes("sensorpush-ht1", "sensorpush_ble")
def sensorpush_first(r: random.Random, _: int) -> Packet:
    celsius, humidity = r.randint(700, 12_000), r.randint(200, 3400)
    bits = humidity | celsius << 12 | 1 << 26
    return Packet({"temperature": celsius / 16_384 * 175.72 - 46.85, "humidity": humidity / 4096 * 125 - 6},
                  struct.pack("<I", bits), name="s", long_uuids=["ef090000-11d6-42ba-93b8-9dd7ec090aa9"])


def sensorpush(r: random.Random, model: int, steps: list[tuple[str, float, float, float, float]], name: str) -> Packet:
    """Packs values into one number of mixed radix, the first value lowest."""
    number, factor, values = 0, 1, {}
    for quantity, low, high, step, divisor in steps:
        count = round((high - low) / step) + 1
        place = r.randint(0, count - 1)
        number += place * factor
        factor *= count
        values[quantity] = half_up(place * step + low, 2) / divisor
    size = (factor.bit_length() + 7) // 8
    return Packet(values, bytes([model << 2]) + number.to_bytes(size, "little"), name=name,
                  long_uuids=["ef090000-11d6-42ba-93b8-9dd7ec090ab0"])


HUMIDITY = ("humidity", 0.0, 100.0, 0.0025, 1.0)


@encodes("sensorpush-htw", "sensorpush_ble", rounding={"*": 0.0101})
def sensorpush_later(r: random.Random, _: int) -> Packet:
    if r.random() < 0.5:
        return sensorpush(r, 1, [("temperature", -40.0, 125.0, 0.0025, 1.0), HUMIDITY], "HT")
    return sensorpush(r, 0, [("temperature", -40.0, 140.0, 0.0025, 1.0), HUMIDITY,
                             ("pressure", 30_000.0, 125_000.0, 1.0, 100.0)], "HTP")


@encodes("sensorpush-tc", "sensorpush_ble", rounding={"*": 0.0101})
def sensorpush_thermocouple(r: random.Random, _: int) -> Packet:
    return sensorpush(r, 2, [("temperature", -200.0, 1800.0, 0.0625, 1.0)], "TC")


@encodes("qingping", "qingping_ble")
def qingping(r: random.Random, address: int) -> Packet:
    tenths, humidity, battery = climate(r)
    objects, values = b"", {}
    pressure, ppm = r.randint(5000, 11_000), r.randint(350, 10_000)
    fine, coarse = r.randint(0, 999), r.randint(0, 999)
    pool = [
        (b"\x01\x04" + struct.pack("<hH", tenths, humidity), {"temperature": tenths / 10, "humidity": humidity / 10}),
        (b"\x02\x01" + bytes([battery]), {"battery": battery}),
        (b"\x07\x02" + struct.pack("<H", pressure), {"pressure": pressure / 10}),
        (b"\x12\x04" + struct.pack("<HH", fine, coarse), {"pm25": fine, "pm10": coarse}),
        (b"\x13\x02" + struct.pack("<H", ppm), {"co2": ppm}),
    ]
    for data, meaning in r.sample(pool, r.randint(1, 2)):
        objects += data
        values |= meaning
    head = bytes([0x08, r.choice([0x09, 0x10, 0x0E])]) + mac(address)[::-1]
    return Packet(values, services=[(0xFDCD, head + objects)])


@encodes("sensirion", "bleparser", rounding={"*": 0.0051})
def sensirion(r: random.Random, _: int) -> Packet:
    celsius, humidity, ppm = r.randint(2000, 39_000), r.randint(5000, 55_000), r.randint(350, 10_000)
    values = {"temperature": celsius / 65_535 * 175 - 45}
    sample = r.choice([4, 6, 8])
    data = struct.pack("<HH", celsius, humidity)
    values["humidity"] = humidity / 65_535 * 125 - 6 if sample == 6 else humidity / 65_535 * 100
    if sample == 8:
        data += struct.pack("<H", ppm)
        values["co2"] = ppm
    return Packet(values, b"\xd5\x06\x00" + bytes([sample]) + r.randbytes(2) + data,
                  name="MyCO2" if sample == 8 else "SHT40 Gadget")


@encodes("bluemaestro-disc", "bleparser")
def bluemaestro(r: random.Random, _: int) -> Packet:
    tenths, humidity, battery = climate(r)
    has_pressure = r.random() < 0.5
    last = r.randint(5000, 11_000) if has_pressure else r.randint(-400, 600)
    data = struct.pack(">BBHHhHhH", 0x1B if has_pressure else 0x17, battery, r.getrandbits(15), r.getrandbits(15),
                       tenths, humidity, last, 0)
    return Packet(packed_values(tenths, humidity, battery) | {"pressure" if has_pressure else "dew-point": last / 10},
                  b"\x33\x01" + data)


@encodes("jaalee", "theengs",
         Deviation("temperature", "the peer reads the number with a sign: no warm value is right",
                   lambda celsius: celsius > 42.4),
         rounding={"temperature": 0.03, "humidity": 0.03})
def jaalee(r: random.Random, address: int) -> Packet:
    celsius, humidity, battery = r.randint(4000, 38_000), r.randint(0, 65_535), r.randint(0, 100)
    beacon = bytes.fromhex("4c000215ebefd08370a247c89837e7b5634df525") + struct.pack(">HH", celsius, humidity)
    return Packet({"temperature": celsius / 65_535 * 175 - 45, "humidity": humidity / 65_535 * 100, "battery": battery},
                  beacon + b"\xcc" + bytes([battery]), uuids=[0xF525])


@encodes("aranet4", "theengs")
def aranet(r: random.Random, _: int) -> Packet:
    twentieths, humidity, battery = r.randint(-400, 1200), r.randint(0, 100), r.randint(0, 100)
    ppm, pressure = r.randint(350, 9999), r.randint(5000, 11_000)
    data = bytes([0x21]) + r.randbytes(7) + struct.pack("<HhHBB", ppm, twentieths, pressure, humidity, battery)
    data += bytes([1]) + r.randbytes(5)
    return Packet({"temperature": twentieths / 20, "humidity": humidity, "battery": battery, "co2": ppm,
                   "pressure": pressure / 10}, b"\x02\x07" + data)


@encodes("inkbird-iam-t2", "inkbird_ble")
def inkbird_monitor(r: random.Random, address: int) -> Packet:
    is_fahrenheit, humidity, ppm = r.random() < 0.5, r.randint(0, 999), r.randint(350, 9999)
    tenths = r.randint(-400, 1200) if is_fahrenheit else r.randint(-400, 600)
    address = 0x62_00A1 << 24 | address & 0xFF_FFFF
    data = bytes.fromhex("0062") + mac(address)[2:] + b"\x00" + bytes([2 if is_fahrenheit else 0])
    data += struct.pack(">hHH", tenths, humidity, ppm) + b"\x00"
    celsius = celsius_of_fahrenheit(tenths / 10) if is_fahrenheit else tenths / 10
    return Packet({"temperature": celsius, "humidity": humidity / 10, "co2": ppm}, b"\x54\x32" + data,
                  name="Ink@IAM-T2", address=address)
