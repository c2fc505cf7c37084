#!/usr/bin/env python3
"""Compares the speed of decoding with other decoders, by processor time on one thread.

Packets of all formats are made by the encoders beside it, so that no make is decoded more often than another. Needs the
release build and the environment of the tests: .build/venv/bin/python Tests/Differential/speed.py
"""

import json
import logging
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from compare import FORMATS, PROGRAMS, packet
from decoders import peer
from packets import Packet

logging.disable(logging.CRITICAL)

OF_EACH, ROUNDS, EVENTS, PEER_SECONDS = 20, 5, 1_000_000, 2.0


def bluetooth() -> list[Packet]:
    """Packets of every format without encryption, in turn."""
    forms = [form for form in FORMATS.values() if not form.name.endswith("-encrypted") and form.name != "zcl"]
    return [packet(form, number) for number in range(OF_EACH) for form in forms
            if len(packet(form, number).structures) <= 31]


def coordinator() -> list[Packet]:
    return [packet(FORMATS["zcl"], number) for number in range(1000)]


def frame(one: Packet, number: int) -> bytes:
    """A coordinator's message of a device, in the frame of its serial link."""
    data = struct.pack("<HHHBBBBBIBB", 0, one.cluster, 0x1000 + number % 200, 1, 1, 0, 120, 0, number, number % 256,
                       len(one.message)) + one.message
    body = bytes([len(data), 0x44, 0x81]) + data
    check = 0
    for byte in body:
        check ^= byte
    return b"\xfe" + body + bytes([check])


def broker() -> list[dict]:
    """Messages of OpenMQTTGateway with values that it has decoded."""
    return [{"topic": f"home/gateway/BTtoMQTT/A4C138{number:06X}", "payload": json.dumps({
        "id": f"A4:C1:38:00:{number >> 8:02X}:{number & 255:02X}", "name": "LYWSD03MMC", "rssi": -60 - number % 30,
        "brand": "Xiaomi", "model": "Mi Temperature", "tempc": 20 + number % 100 / 10, "hum": 50, "batt": 90})}
        for number in range(1000)]


def ours(lines: list[dict]) -> float:
    """Returns packets a second of processor time, the median of the rounds."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(f"{json.dumps(line)}\n" for line in lines))
        file.flush()
        rounds = []
        for _ in range(ROUNDS):
            done = subprocess.run([PROGRAMS / "furrow", "bench", "decode", "--file", file.name, "--events", str(EVENTS),
                                   "--json"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            rounds.append(EVENTS / json.loads(done.stdout)["processorSeconds"])
    return statistics.median(rounds)


def theirs(decode: Callable[[Packet], object], packets: list[Packet]) -> float:
    began, count = time.thread_time(), 0
    while time.thread_time() - began < PEER_SECONDS:
        decode(packets[count % len(packets)])
        count += 1
    return count / (time.thread_time() - began)


def main() -> None:
    tags, nodes = bluetooth(), coordinator()
    rows = [
        ("HCI, all makes", [{"format": "hci", "hex": one.report.hex()} for one in tags], tags, ["bleparser", "theengs"]),
        ("UNPI and ZCL", [{"format": "znp", "hex": frame(one, number).hex()} for number, one in enumerate(nodes)],
         nodes, ["zigpy"]),
        ("MQTT JSON", broker(), [], []),
    ]
    print("| packets | Furrow | peers |\n| --- | --- | --- |")
    for name, lines, packets, names in rows:
        mine = ours(lines)
        with open(os.devnull, "w") as nowhere:
            # One of the peers prints what it decodes.
            out, sys.stdout = sys.stdout, nowhere
            found = {other: theirs(decode, packets) for other in names if (decode := peer(other))}
            sys.stdout = out
        figures = "; ".join(f"{other} {pace / 1000:.1f} k/s ({mine / pace:.0f} times)" for other, pace in found.items())
        print(f"| {name} ({len(lines)} packets) | {mine / 1000:.0f} k/s | {figures or 'none known'} |")


if __name__ == "__main__":
    main()
