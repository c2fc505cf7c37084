#!/usr/bin/env python3
"""Compares how fast messages that wait in a broker are recorded with how fast a bare subscriber receives them.

The same Mosquitto delivers the same messages at QoS 1 to `mosquitto_sub`, which stores nothing, and to sensor-ingest,
which acknowledges each once it is on the disk. Needs the release build and the environment of the tests:
FURROW_PROGRAMS=.build/release .build/venv/bin/python Tests/Pipeline/mqtt_speed.py
"""

import json
import subprocess
import time

from broker import PASSWORD, USER, Broker, Publisher
from client import until
from farm import Farm

MESSAGES, DEVICES, TOPICS = 40_000, 1000, "home/+/BTtoMQTT/+"
BARE = ["-q", "1", "-c", "-i", "bare", "-t", TOPICS]


def message(number: int) -> tuple[str, bytes]:
    """A message with values that its device has not sent before."""
    device = number % DEVICES
    return (f"home/barn/BTtoMQTT/A4C138{device:06X}", json.dumps(
        {"id": f"A4:C1:38:{device >> 16:02X}:{device >> 8 & 255:02X}:{device & 255:02X}", "rssi": -60, "brand": "Xiaomi",
         "model": "Mi Temperature", "tempc": number // DEVICES + 0.5, "hum": 50, "batt": 90}).encode())


def subscriber(broker: Broker, *words: str) -> list[str]:
    return ["mosquitto_sub", "-p", str(broker.port), "-u", USER, "-P", PASSWORD, *BARE, *words]


def main() -> None:
    broker = Broker()
    farm = Farm(environment=broker.settings())
    try:
        # Both subscribe once, and go; then the broker keeps the messages for both.
        subprocess.run(subscriber(broker, "-E"), check=True)
        farm.start()
        client = farm.claim()
        until(lambda: client.get("/v1/reporting")["brokers"][0].get("connected"), 30, "ingest to connect")
        farm.stop()
        publisher = Publisher(broker)
        publisher.publish([message(number) for number in range(MESSAGES)], seconds=600)

        began = time.monotonic()
        subprocess.run(subscriber(broker, "-C", str(MESSAGES)), check=True, stdout=subprocess.DEVNULL)
        bare = MESSAGES / (time.monotonic() - began)

        farm.start()
        client = farm.sign_in()

        def received() -> int:
            brokers = client.get("/v1/reporting").get("brokers") or [{}]
            return brokers[0].get("messages", 0)

        until(lambda: received() > 0, 60, "the first message", pause=0.005)
        first, began = received(), time.monotonic()
        until(lambda: received() >= MESSAGES, 300, "the last message", pause=0.01)
        ours = (MESSAGES - first) / (time.monotonic() - began)
        until(lambda: sum(one["reports"] for one in client.items("/v1/devices")) >= MESSAGES, 60, "every report")
        print(f"{MESSAGES} messages: {ours:,.0f}/s recorded, {bare:,.0f}/s to a bare subscriber: {ours / bare:.2f}")
    finally:
        farm.destroy()
        broker.close()


if __name__ == "__main__":
    main()
