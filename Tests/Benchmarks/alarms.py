#!/usr/bin/env python3
"""Measures alarms: from the last byte of a report to the hand-over on each channel, and the memory of many points.

Tests/Benchmarks/alarms.py [--alarms N] [--points N] [--rules N]

The mail server, the webhook's receiver, the push service and the live feed's reader run in this process, on the same
processors as the farm. Needs the tests' Python environment, because the push service decrypts what it takes.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Pipeline"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Browser"))

from client import LiveFeed, until
from mail_sink import MailSink
from notification_sinks import Phone, Receiver
from radio_farm import RadioFarm

GUS = {"name": "Gus", "email": "gus@farm.test", "password": "warm stores ring at night"}
INGEST = "sensor-ingest/farm-0"
#: Reports in one batch.
BATCH = 500


class Watched:
    """A farm whose grower is reached by e-mail, webhook and Web Push."""

    def __init__(self, folder: pathlib.Path):
        self.mail = MailSink(folder)
        self.hook, self.push = Receiver(), Receiver(201)
        self.phone = Phone(self.push, "gus")
        self.farm = RadioFarm({
            "FURROW_SMTP": self.mail.url, "FURROW_MAIL_FROM": "farm@horse-creek.test",
            "FURROW_DELIVERY_NETWORKS": "127.0.0.1", "FURROW_PUSH_NETWORKS": "127.0.0.1"})
        self.farm.open_cold_store()
        self.client = self.farm.client
        person = self.client.make("POST", "/v1/accounts", GUS | {"role": "grower"})["person"]
        self.client.make("PUT", "/v1/on-call", {"steps": [{"afterMinutes": 0, "people": [person]}]})
        self.client.make("POST", "/v1/webhooks", {"recipient": person, "url": self.hook.url, "title": "Siren"})
        self.farm.server.sign_in(GUS).make("POST", "/v1/me/channels", self.phone.subscription)

    def close(self) -> None:
        self.farm.destroy()
        for sink in (self.mail, self.hook, self.push):
            sink.close()


def alarms(farm: Watched, count: int) -> dict[str, list[float]]:
    """Raises alarms one after the other; returns the seconds until each was handed over, by channel."""
    feed = LiveFeed(farm.client, "alarms")
    seconds: dict[str, list[float]] = {"live feed": [], "e-mail": [], "webhook": [], "push": []}
    for number in range(count):
        node = farm.farm.radio.node(100 + number)
        point = f"bench-{number}"
        farm.client.make("PUT", f"/v1/points/{point}",
                         {"title": f"Bench {number}", "place": "store/cold", "device": node.device})
        farm.farm.radio.announce(node)
        farm.farm.radio.report(node, temperature=4, humidity=80, voltage=3)
        until(lambda device=node.device: device in {one["device"] for one in farm.client.items("/v1/devices")}, 20,
              "the node", pause=0.02)
        began = farm.farm.radio.report(node, temperature=9.5, humidity=80, voltage=3)
        arrived: dict[str, float] = {}

        def all_arrived(number=number, arrived=arrived) -> bool:
            now = time.monotonic()
            for name, sink in (("e-mail", farm.mail), ("webhook", farm.hook), ("push", farm.push)):
                if name not in arrived and len(sink.taken) > number:
                    arrived[name] = now
            return len(arrived) == 3

        until(all_arrived, 30, f"alarm {number} on each channel: {arrived}", pause=0.0005)
        live = feed.wait(10, lambda message, point=point: message["point"] == point and message["raised"])
        assert live, f"no live message of alarm {number}"
        seconds["live feed"].append(live[0] - began)
        for name, at in arrived.items():
            seconds[name].append(at - began)
    feed.close()
    return seconds


def many_points(farm: Watched, points: int, rules: int) -> None:
    """Binds points in ten stores, each with limits, and lets each report twice; prints the memory of sensor-ingest."""
    stores = [f"many-{number}" for number in range(10)]
    for store in stores:
        farm.client.make("POST", "/v1/stores", {"farm": "creek", "store": store, "title": store, "cold": True})
        for rule, body in (
            ("warm", {"above": 8, "below": 0, "forSeconds": 600}), ("rise", {"above": 3, "overMinutes": 15}),
            ("often", {"above": 10, "reports": {"beyond": 2, "of": 3}})):
            farm.client.make("PUT", f"/v1/rules/{store}-{rule}",
                             {"place": f"store/{store}", "quantity": "temperature", **body})
    began = time.monotonic()
    for number in range(points):
        farm.client.make("PUT", f"/v1/points/many-{number}", {
            "title": f"Point {number}", "place": f"store/{stores[number % 10]}",
            "device": f"ble:{address(number)}"})
        if number % 2000 == 1999:
            print(f"  {number + 1} points after {time.monotonic() - began:.0f} s", flush=True)
    for number in range(rules):
        farm.client.make("PUT", f"/v1/rules/own-{number}",
                         {"point": f"many-{number}", "quantity": "humidity", "above": 95})
    began = time.monotonic()
    for turn in range(2):
        for start in range(0, points, BATCH):
            batch = [advert(number, turn) for number in range(start, min(start + BATCH, points))]
            farm.client.make("POST", "/v1/adverts", {"adverts": batch, "source": "http"})
    took = time.monotonic() - began
    # Two looks for silent points.
    time.sleep(65)
    pid = farm.farm.server.pid(INGEST)
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    now, most = (int(status.split(f"{name}:")[1].split()[0]) / 1000 for name in ("VmRSS", "VmHWM"))
    known = sum(1 for one in farm.client.items("/v1/points") if one["point"].startswith("many-"))
    print(f"{known} points with 3 limits each, {rules} of them with one of their own: {2 * points / took:.0f} reports "
          f"a second; {now:.0f} MB now, {most:.0f} MB at most")
    assert known == points


def address(number: int) -> str:
    return f"c0ff{number:08x}"


def advert(number: int, turn: int) -> dict:
    """A Ruuvi packet (data format 5) of 4 °C."""
    raw = int(4 / 0.005)
    hexadecimal = (f"0201061bff990405{raw:04x}ffffffff800080008000ffffff{turn:04x}{address(number)}")
    return {"address": address(number), "hex": hexadecimal, "rssi": -70}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--alarms", type=int, default=50)
    options.add_argument("--points", type=int, default=10_000)
    options.add_argument("--rules", type=int, default=1_000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        farm = Watched(pathlib.Path(folder))
        try:
            print(f"{given.alarms} alarms, from the last byte of the report, in ms:")
            for name, seconds in alarms(farm, given.alarms).items():
                ordered = sorted(one * 1000 for one in seconds)
                print(f"  {name}: p50 {statistics.median(ordered):.1f}, p95 {ordered[int(0.95 * len(ordered))]:.1f}, "
                      f"max {ordered[-1]:.1f}", flush=True)
            many_points(farm, given.points, given.rules)
        finally:
            farm.close()


if __name__ == "__main__":
    main()
