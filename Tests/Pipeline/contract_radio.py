"""Calls of the operations that receive radio messages and administer their senders, for the contract test."""

import random
import threading
import uuid
from collections.abc import Callable

from client import Client, until
from contract_farm import PICTURE
from tags import Tag
from zigbee_device import Device
from zstack import ZStack

UPLINK = {"data": {"tags": {"C5:00:00:00:00:02": {"rssi": -70, "data": "0201061BFF990405"}}}}
CAPTURE = b"btsnoop\0\0\0\0\1\0\0\x03\xea"
KEY = "23" * 16
REGION = {"title": "Shed", "beacons": "ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1"}
OCTETS = "application/octet-stream"


class RadioCalls:
    """One call of each operation that has to succeed, created on demand."""

    def __init__(self, staff: Client):
        self.staff = staff

    @property
    def calls(self) -> dict[str, Callable[[], dict]]:
        return {
            "ingest-adverts": lambda: {"body": {"adverts": [Tag(2).advert(temperature=17.0)]}},
            "ingest-values": lambda: {"body": {"reports": [
                {"device": name(), "values": [{"quantity": "co2", "value": 640}]}]}},
            "ingest-capture": lambda: {"body": CAPTURE, "media_type": "application/octet-stream"},
            "uplink": lambda: {"token": self.gateway()["token"], "body": UPLINK},
            "uplink-by-address": lambda: {"path": {"token": self.gateway()["token"]}, "body": UPLINK},
            "report-by-address": lambda: {"path": {"token": self.gateway()["token"]},
                                          "query": {"id": name(), "temp": "21.5", "hum": "55", "reason": "periodic"}},
            "report-hub": lambda: {"token": self.gateway()["token"], "body": {
                "connected": ["54:6c:0e:00:00:01"], "waiting": 0, "received": 1, "removed": 0, "refused": 0}},
            "admit-gateway": lambda: {"body": {"gateway": name()}},
            "dismiss-gateway": lambda: {"path": {"gateway": self.gateway()["gateway"]}},
            # Of three coordinators one is for new networks and one for restored ones: the devices of the first stay.
            "form-network": lambda: {"body": {"source": self.coordinator(1)["source"],
                                              "replaces": self.coordinator(1)["panId"]}},
            "back-up-coordinator": lambda: {"body": {"source": self.coordinator(0)["source"]}},
            "coordinator-backup": lambda: {"query": {"source": self.coordinator(0)["source"]}},
            "restore-coordinator": lambda: {"body": {
                "source": self.coordinator(2)["source"], "backup": BACKUP,
                "replaces": self.coordinator(2)["panId"]}},
            "permit-joining": lambda: {"body": {"source": self.coordinator(0)["source"], "seconds": 60}},
            "remove-device": lambda: {"path": {"device": self.joined()}, "body": {}},
            "take-photograph": lambda: {"query": {"place": "plot/p1"}, "body": PICTURE, "media_type": OCTETS},
            "take-photograph-by-token": lambda: {
                "path": {"token": self.gateway()["token"]}, "query": {"place": "plot/p1"}, "body": PICTURE,
                "media_type": OCTETS},
            "photographs": lambda: {"query": {"place": "plot/p1"}},
            "show-photograph": lambda: {"path": {"photograph": self.photograph()}, "body": {"isShown": True}},
            "remove-photograph": lambda: {"path": {"photograph": self.photograph()}, "body": {}},
            "set-beacon-region": lambda: {"path": {"region": f"r{random.randrange(40)}"}, "body": REGION},
            "remove-beacon-region": lambda: {"path": {"region": self.region()}, "body": {}},
            "set-device-key": lambda: {"body": {"device": address(), "key": KEY}},
            "remove-device-key": lambda: {"path": {"device": self.keyed()}},
        }

    def region(self) -> str:
        """Returns a region of beacons."""
        return self.staff.make("PUT", f"/v1/beacon-regions/gone{random.randrange(40)}", REGION)["region"]

    def gateway(self) -> dict:
        """Returns a new radio gateway with its token."""
        return self.staff.make("POST", "/v1/gateways", {"gateway": name()})

    def coordinator(self, number: int) -> dict:
        """Returns one of the farm's coordinators, once it has a network."""
        def one() -> dict:
            return self.staff.get("/v1/coordinators")["items"][number]

        until(lambda: one()["state"] in ("blank", "running"), 60, "a coordinator that has started")
        if one()["state"] == "blank":
            self.staff.make("POST", "/v1/coordinators/network", {"source": one()["source"]})
            until(lambda: one()["state"] == "running", 60, "a network")
        return one()

    def joined(self) -> str:
        """Returns a ZigBee device of the network: `OpenStick` lets one join whenever joining is permitted."""
        source = self.coordinator(0)["source"]
        self.staff.make("POST", "/v1/coordinators/joining", {"source": source, "seconds": 60})
        until(lambda: self.staff.get("/v1/zigbee-devices")["items"], 60, "a device that joined")
        return self.staff.get("/v1/zigbee-devices")["items"][0]["device"]

    def photograph(self) -> str:
        """Returns a photograph of a store of its own."""
        store = self.staff.make("POST", "/v1/stores", {"farm": "sonnhof", "store": name(), "title": "Barn"})["store"]
        answer = self.staff.call("POST", "/v1/photographs", PICTURE, query={"place": f"store/{store}"})
        return answer.json["photograph"]

    def keyed(self) -> str:
        """Returns a sensor whose key is stored."""
        return self.staff.make("POST", "/v1/device-keys", {"device": address(), "key": KEY})["device"]


#: A network as other programs back it up, without devices.
BACKUP = {
    "metadata": {"version": 1, "format": "zigpy/open-coordinator-backup", "source": "test", "internal": {}},
    "stack_specific": {}, "coordinator_ieee": "00124b00aabbccdd", "pan_id": "3fa9",
    "extended_pan_id": "dddd4b00aabbcc01", "nwk_update_id": 0, "security_level": 5, "channel": 20,
    "channel_mask": [20], "devices": [],
    "network_key": {"key": "0102030405060708090a0b0c0d0e0f10", "sequence_number": 0, "frame_counter": 1}}


class OpenStick(ZStack):
    """A coordinator of which a resting sensor is in reach."""

    def answer_network(self, code: int, data: bytes):
        replies = super().answer_network(code, data)
        if code == 0x2536 and self.is_open and not self.devices:
            threading.Timer(0.2, self.join, [Device(1, 0x0402, is_awake=False)]).start()
        return replies


def name() -> str:
    return "x" + uuid.uuid4().hex[:12]


def address() -> str:
    return f"ble:{random.randrange(16 ** 12):012x}"
