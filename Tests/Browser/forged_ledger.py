"""A ledger of a liar: it signs stories with keys of its own and answers in place of the farm's ledger."""

import base64
import json

from gateway import LOT, Gateway
from loma_farm import GTIN
from signed_log import FarmLog

NAME = "farm.furrow.trace.passport-issued.v1"


class ForgedLedger:
    """Starts with as many other facts as given; its stories start from the farm's own.

    `rule` makes the gateway give its keys and its stories; what it gives proves itself, unless a test alters it.
    """

    def __init__(self, gateway: Gateway, facts: int = 30):
        self.gateway = gateway
        self.honest = gateway.anyone().get(f"/v1/lots/{LOT}/passport", gtin=GTIN)
        self.event = json.loads(base64.b64decode(self.honest["bytes"]))
        self.log = FarmLog(self.honest["hub"])
        self.log.fill(facts)
        #: The newest tree that a phone has seen of this ledger.
        self.seen: int | None = None

    @property
    def passport(self) -> dict:
        return self.event["data"]["passport"]

    def write(self, name: str = NAME, **members) -> int:
        """Appends the farm's story with members changed; returns its index."""
        data = self.event["data"] | {"passport": self.passport | members}
        return self.log.append(name, f"lot/{LOT}", data, self.event["time"])

    def rule(self, index: int) -> None:
        """From now on the story at `index` is given, with a proof from the tree that was seen last."""
        self.gateway.tamper["/ledger/keys"] = lambda _: self.log.keys()
        self.gateway.tamper["/passport"] = lambda _: self.log.evidence(index, self.seen)

    def story(self, serial: str | None = None) -> str:
        """The address on a label that this ledger has signed."""
        return self.gateway.url + self.log.label_key.path(GTIN, LOT, serial)
