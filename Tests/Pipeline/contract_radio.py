"""Calls of the operations that receive radio messages and administer their senders, for the contract test."""

import random
import uuid
from collections.abc import Callable

from client import Client
from tags import Tag

UPLINK = {"data": {"tags": {"C5:00:00:00:00:02": {"rssi": -70, "data": "0201061BFF990405"}}}}
CAPTURE = b"btsnoop\0\0\0\0\1\0\0\x03\xea"
KEY = "23" * 16


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
            "admit-gateway": lambda: {"body": {"gateway": name()}},
            "dismiss-gateway": lambda: {"path": {"gateway": self.gateway()["gateway"]}},
            "set-device-key": lambda: {"body": {"device": address(), "key": KEY}},
            "remove-device-key": lambda: {"path": {"device": self.keyed()}},
        }

    def gateway(self) -> dict:
        """Returns a new radio gateway with its token."""
        return self.staff.make("POST", "/v1/gateways", {"gateway": name()})

    def keyed(self) -> str:
        """Returns a sensor whose key is stored."""
        return self.staff.make("POST", "/v1/device-keys", {"device": address(), "key": KEY})["device"]


def name() -> str:
    return "x" + uuid.uuid4().hex[:12]


def address() -> str:
    return f"ble:{random.randrange(16 ** 12):012x}"
