"""furrow-hub as the reader of a stocktake: what it receives of beacons is live, and a slow farm loses seconds only."""

import threading
import time

from beacons import BeaconTag, near
from bluez import BlueZ
from client import until
from load import prepare
from test_hub import Hub, Listening
from test_hub_bluez import BlueZHub


class Air(threading.Thread):
    """Says four times a second what a controller receives of tags, until it is closed."""

    def __init__(self, receive, tags: list[BeaconTag]):
        super().__init__(daemon=True)
        self.receive, self.tags = receive, tags
        self.ended = threading.Event()
        self.start()

    def run(self) -> None:
        while not self.ended.wait(0.25):
            self.receive([tag.advert() for tag in self.tags])

    def close(self) -> None:
        self.ended.set()
        self.join(20)


def test_a_hub_ranges_beacons_live_and_leaves_one_event_a_minute(own_farm, tmp_path):
    farm = own_farm().start()
    prepare(farm)
    client = farm.client()
    token = client.make("POST", "/v1/gateways", {"gateway": "shed"})["token"]
    controller = Listening(tmp_path / "hci.sock")
    held, shelf, far = BeaconTag(7, -44), BeaconTag(8, -58), BeaconTag(9, -80)
    hub = Hub(f"http://127.0.0.1:{farm.port}", tmp_path, token).start()
    assert controller.scans.wait(30)
    air = Air(controller.report, [held, shelf, far])
    try:
        began = time.monotonic()
        until(lambda: near(client, "gateway/shed").get("nearest") == held.beacon, 30, "the nearest tag", pause=0.05)
        decided = time.monotonic() - began
        until(lambda: near(client, "gateway/shed")["beacons"][1]["isFound"], 30, "the tag on the shelf", pause=0.05)
        # When the farm is away, seconds are lost, and counted; nothing of them comes later.
        farm.stop()
        until(lambda: hub.status()["lostSeconds"] >= 3, 60, "seconds to be lost")
        before = hub.status()
        farm.start()
        client = farm.client()
        until(lambda: near(client, "gateway/shed").get("nearest") == held.beacon, 90, "the nearest tag again")
        until(lambda: hub.status()["waiting"] == 0 and hub.status()["rangedSeconds"] > before["rangedSeconds"], 90, "nothing to wait")
        status = hub.status()
    finally:
        air.close()
        assert hub.end() == 0
        controller.destroy()
    beacons = [event for event in farm.replay() if "beacon-heard" in event["type"]]
    minutes = {(event["data"]["beacon"], event["time"][:16]) for event in beacons}
    print(f"hub: nearest of 3 tags after {decided:.1f} s; {status['rangedSeconds']} seconds sent, {status['lostSeconds']} lost, "
          f"{len(beacons)} events of {len(minutes)} beacons and minutes")
    assert decided <= 7.5 and before["rangedSeconds"] >= 5
    assert 3 <= len(beacons) == len(minutes)


def test_a_hub_with_bluez_ranges_beacons_too(own_farm, tmp_path):
    farm = own_farm().start()
    prepare(farm)
    client = farm.client()
    token = client.make("POST", "/v1/gateways", {"gateway": "shed"})["token"]
    bluez = BlueZ()
    held, far = BeaconTag(7, -44), BeaconTag(9, -80)
    try:
        bluez.do("begin", "hci0")
        hub = BlueZHub(f"http://127.0.0.1:{farm.port}", tmp_path, token, bluez).start()
        until(lambda: bluez.called("/org/bluez/hci0", "StartDiscovery"), 60, "the hub to scan")
        paths = {tag.address: bluez.do("add_device", tag.address.upper(), "") for tag in (held, far)}

        def receive(adverts: list[dict]) -> None:
            for advert in adverts:
                # What follows Apple's number in the one structure of the data.
                company = {str(0x004C): bytes.fromhex(advert["hex"])[7:].hex()}
                bluez.do("advertise", paths[advert["address"]], company, advert["rssi"])

        air = Air(receive, [held, far])
        try:
            until(lambda: near(client, "gateway/shed").get("nearest") == held.beacon, 30, "the nearest tag")
        finally:
            air.close()
            assert hub.end() == 0
    finally:
        bluez.destroy()


def test_a_hub_that_does_not_range_reports_a_beacon_once_a_minute(own_farm, tmp_path):
    farm = own_farm().start()
    prepare(farm)
    client = farm.client()
    token = client.make("POST", "/v1/gateways", {"gateway": "shed"})["token"]
    controller = Listening(tmp_path / "hci.sock")
    hub = Hub(f"http://127.0.0.1:{farm.port}", tmp_path, token)
    hub.words += ["--ranging", "off"]
    hub.start()
    assert controller.scans.wait(30)
    air = Air(controller.report, [BeaconTag(7, -44)])
    try:
        until(lambda: [event for event in farm.replay() if "beacon-heard" in event["type"]], 30, "the beacon's event")
        until(lambda: hub.status()["delivered"] >= 1, 30, "the report to be delivered")
        assert near(client, "gateway/shed").get("nearest") is None and hub.status()["rangedSeconds"] == 0
    finally:
        air.close()
        assert hub.end() == 0
        controller.destroy()
