"""Encoders of Govee's thermometers."""

import random
import struct

from packets import Packet, Values, channel, climate, encodes


def govee_packed(tenths: int, humidity: int) -> bytes:
    number = abs(tenths) * 1000 + humidity
    return (number | (0x80_0000 if tenths < 0 else 0)).to_bytes(3, "big")


def packed_values(tenths: int, humidity: int, battery: int) -> Values:
    return {"temperature": tenths / 10, "humidity": humidity / 10, "battery": battery}


@encodes("govee-h5075", "govee_ble", rounding={"temperature": 0.06, "humidity": 0.06})
def govee_h5075(r: random.Random, _: int) -> Packet:
    tenths, humidity, battery = climate(r)
    tenths, humidity = tenths or 1, min(humidity, 999)
    return Packet(packed_values(tenths, humidity, battery),
                  b"\x88\xec\x00" + govee_packed(tenths, humidity) + bytes([battery, 0]),
                  name=f"GVH{r.choice([5072, 5075])}_{r.getrandbits(16):04X}", uuids=[0xEC88])


@encodes("govee-h5100", "govee_ble", rounding={"temperature": 0.06, "humidity": 0.06})
def govee_h5100(r: random.Random, _: int) -> Packet:
    tenths, humidity, battery = climate(r)
    tenths, humidity = tenths or 1, min(humidity, 999)
    return Packet(packed_values(tenths, humidity, battery),
                  b"\x01\x00\x01\x01" + govee_packed(tenths, humidity) + bytes([battery]),
                  name=f"GVH{r.choice([5100, 5101, 5102, 5103, 5104, 5105, 5108, 5174, 5177])}_{r.getrandbits(16):04X}")


@encodes("govee-h5074", "govee_ble")
def govee_h5074(r: random.Random, _: int) -> Packet:
    celsius, humidity, battery = r.randint(-4000, 6000), r.randint(0, 10_000), r.randint(0, 100)
    data = struct.pack("<hHBB", celsius, humidity, battery, 2)
    model = r.choice(["H5074", "H5051"])
    return Packet({"temperature": celsius / 100, "humidity": humidity / 100, "battery": battery},
                  b"\x88\xec\x00" + data + (b"" if model == "H5074" else b"\x01\x01"),
                  name=f"Govee_{model}_{r.getrandbits(16):04X}", uuids=[0xEC88])


@encodes("govee-h5179", "govee_ble")
def govee_h5179(r: random.Random, _: int) -> Packet:
    celsius, humidity, battery = r.randint(-4000, 6000), r.randint(0, 10_000), r.randint(0, 100)
    return Packet({"temperature": celsius / 100, "humidity": humidity / 100, "battery": battery},
                  b"\x01\x88\xec\x00\x01\x01" + struct.pack("<hHB", celsius, humidity, battery),
                  name=f"Govee_H5179_{r.getrandbits(16):04X}")


@encodes("govee-probes", "govee_ble")
def govee_probes(r: random.Random, _: int) -> Packet:
    first, second = r.randint(0, 30_000), r.randint(0, 30_000)
    # H5182: two probes, their alarms between them.
    packet = b"\x27\x30" + b"\x01\x00\x01\x01\xe4\x01\x86\x01" + struct.pack(">hH", first, 0x1770)
    packet += b"\x06" + struct.pack(">hH", second, 0x1770)
    return Packet({"temperature": first / 100, "temperature-2": second / 100}, packet, uuids=[0x8251],
                  name=f"GVH5182_{r.getrandbits(16):04X}")


@encodes("govee-h5178", "govee_ble", rounding={"temperature": 0.06, "humidity": 0.06})
def govee_h5178(r: random.Random, _: int) -> Packet:
    tenths, humidity, battery = climate(r)
    tenths, humidity, sensor = tenths or 1, min(humidity, 999), r.randint(0, 1)
    data = b"\x01\x00\x01\x00" + bytes([sensor]) + govee_packed(tenths, humidity) + bytes([battery, 0, 0])
    values = {channel(quantity, sensor + 1): value
              for quantity, value in packed_values(tenths, humidity, battery).items()}
    return Packet(values, data, name=f"B5178{r.getrandbits(16):04X}")


@encodes("govee-h5106", "govee_ble", rounding={"temperature": 0.06, "humidity": 0.06})
def govee_h5106(r: random.Random, _: int) -> Packet:
    tenths, humidity, _ = climate(r)
    humidity, dust = min(humidity, 999), r.randint(0, 999)
    number = abs(tenths) * 1_000_000 + humidity * 1000 + dust
    data = b"\x01\x00\x01\x01" + (number | (0x8000_0000 if tenths < 0 else 0)).to_bytes(4, "big")
    return Packet({"temperature": tenths / 10, "humidity": humidity / 10, "pm25": dust}, data,
                  name=f"GVH5106_{r.getrandbits(16):04X}")


@encodes("govee-h5140", "govee_ble", rounding={"temperature": 0.06, "humidity": 0.06})
def govee_h5140(r: random.Random, _: int) -> Packet:
    tenths, humidity, _ = climate(r)
    humidity, ppm = min(humidity, 999), r.randint(350, 9999)
    data = b"\x01\x00\x01\x01" + govee_packed(tenths, humidity) + struct.pack(">H", ppm) + b"\x00"
    return Packet({"temperature": tenths / 10, "humidity": humidity / 10, "co2": ppm}, data,
                  name=f"GV5140{r.getrandbits(16):04X}")


@encodes("govee-h5055", "govee_ble")
def govee_h5055(r: random.Random, _: int) -> Packet:
    pair, present, battery = r.randint(0, 2), r.randint(1, 3), r.randint(0, 100)
    probes = [r.randint(0, 300), r.randint(0, 300)]
    mask = pair << 6 | present << 2 * pair
    values: Values = {"battery": battery}
    for number, celsius in enumerate(probes):
        if present & 1 << number:
            values[channel("temperature", 2 * pair + number + 1)] = celsius
    data = struct.pack("<BBBBBhhhBhhh", 0, 4, battery | 0x80, mask, 6, probes[0], -1, 200, 6, probes[1], -1, 200)
    return Packet(values, r.randbytes(2) + data + b"\x00\x00", uuids=[0x5550])


def probe(r: random.Random) -> tuple[int, bytes]:
    """Returns hundredths of °C; a probe that is not plugged in sends −1."""
    value = -1 if r.random() < 0.05 else r.randint(0, 30_000)
    return value, struct.pack(">h", value)


def probe_values(values: list[int], first: int = 1) -> Values:
    return {channel("temperature", first + place): value / 100 for place, value in enumerate(values) if value >= 0}


@encodes("govee-h5181", "govee_ble")
def govee_h5181(r: random.Random, _: int) -> Packet:
    value, data = probe(r)
    body = bytes([1, 0, 1, 1, 0xE4, 1, 6, 0]) + data + struct.pack(">hh", 0x1770, 0)
    return Packet(probe_values([value]), r.randbytes(2) + body, uuids=[r.choice([0x8151, 0x8351])])


@encodes("govee-h5184", "govee_ble")
def govee_h5184(r: random.Random, _: int) -> Packet:
    pair, (one, first), (other, second) = r.randint(1, 2), probe(r), probe(r)
    body = bytes([1, 0, 1, 1, 0xE4, 1, pair, 6]) + first + struct.pack(">h", 0x1770) + b"\x06" + second
    return Packet(probe_values([one, other], 2 * pair - 1), r.randbytes(2) + body + struct.pack(">h", 0x1770),
                  uuids=[0x8451])


@encodes("govee-h5185", "govee_ble")
def govee_h5185(r: random.Random, _: int) -> Packet:
    (one, first), (other, second) = probe(r), probe(r)
    body = bytes([1, 0, 1, 1, 0xE4, 1, 6, 0]) + first + struct.pack(">hh", 0x1770, 0) + second
    return Packet(probe_values([one, other]), r.randbytes(2) + body + struct.pack(">hh", 0x1770, 0), uuids=[0x8551])


@encodes("govee-h5198", "govee_ble")
def govee_h5198(r: random.Random, _: int) -> Packet:
    pair, (one, first), (other, second) = r.randint(1, 2), probe(r), probe(r)
    limits = struct.pack(">hh", 0x1770, 0x0FA0)
    body = bytes([1, 0, 1, 1, 0xE4, 1, pair, 6]) + first + limits + second + limits
    return Packet(probe_values([one, other], 2 * pair - 1), r.randbytes(2) + body, uuids=[0x9851])
