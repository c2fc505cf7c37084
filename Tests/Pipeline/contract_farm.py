"""The farm against which the API's description is tested: it has at least one of everything, created over the API."""

import hashlib
import json
import os
import signal
import threading
import uuid
from pathlib import Path

from client import Client
from farm import Farm
from market import put_up_for_sale
from tags import Tag

#: Settings that the farm gets by its environment, as a demonstration would set them.
TOKEN = uuid.uuid4().hex
SECRET = uuid.uuid4().hex
ENVIRONMENT = {
    "FURROW_DEMO_TOKEN": TOKEN, "FURROW_SANDBOX_PAY": "http://127.0.0.1:9", "FURROW_SANDBOX_SECRET": SECRET,
    "FURROW_TRUSTED_PROXIES": "127.0.0.0/8",
}
PASSWORD = "correct horse battery"
#: A complete PNG of one pixel without metadata, which is stored unchanged.
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c637860a00000032401313828"
    "af540000000049454e44ae426082")


class ContractFarm:
    """Creates the farm's data and writes its addresses to a file."""

    def __init__(self, farm: Farm):
        self.farm = farm
        self.staff = Client(farm.port, TOKEN)
        make = self.staff.make
        make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna", "country": "AT"})
        for number in (1, 2):
            make("POST", "/v1/plots", {"farm": "sonnhof", "plot": f"p{number}", "title": f"Plot {number}"})
        make("POST", "/v1/stores", {"farm": "sonnhof", "store": "s1", "title": "Cold store", "cold": True})
        make("PUT", "/v1/points/field", {"title": "Field", "place": "plot/p1", "device": Tag(1).device})
        make("PUT", "/v1/rules/warm", {"place": "plot/p1", "quantity": "temperature", "above": 12})
        make("POST", "/v1/adverts", {"adverts": [Tag(1).advert(temperature=16.0)]})
        make("POST", "/v1/plots/p1/activities", {"kind": "weeding"})
        make("POST", "/v1/lots", {"lot": "LBL-1", "product": "Tomatoes", "plot": "p1", "grams": 100_000})
        make("POST", "/v1/lots/LBL-1/packings", {"boxes": 3, "gramsEach": 5000})
        make("POST", "/v1/lots/LBL-1/labels", {})
        put_up_for_sale(self.staff, boxes=1000)
        make("PUT", "/v1/directory/sonnhof", {"title": "Sonnhof", "county": "Graz", "hasGoods": True})
        make("POST", "/v1/media", PICTURE)
        make("POST", "/v1/gateways", {"gateway": "shed", "title": "In the shed"})
        make("POST", "/v1/orders", {"lines": [{"offer": "tomatoes-1", "quantity": 1}], "pickup": "barn"})
        self.unknown = self.leave_unknown()
        self.setup = farm.setup_token()
        self.reset = self.reset_token()

    def leave_unknown(self) -> str:
        """Returns the key of a change with an unknown outcome: the market is stopped during the request."""
        pid = self.farm.pid("catalog-orders/farm-0")
        key = uuid.uuid4().hex
        os.kill(pid, signal.SIGSTOP)
        try:
            answer = self.staff.call("POST", "/v1/orders/imports", {"orders": [{
                "order": "old-1", "buyer": str(uuid.uuid4()), "placed": "2026-01-01T12:00:00Z",
                "lines": [{"product": "tomatoes", "quantity": 1}]}]}, key=key, timeout=40)
        finally:
            os.kill(pid, signal.SIGCONT)
        assert answer.status == 202 and answer.json == {"command": key, "state": "pending"}, answer
        return key

    def reset_token(self) -> str:
        """Returns the token of a one-time link that sets a new password."""
        person = {"name": "Rosa Rest", "email": "rosa@farm.test", "password": PASSWORD, "role": "grower"}
        self.staff.make("POST", "/v1/accounts", person)
        answer = json.loads(self.farm.furrow("user", "reset", person["email"], "--json").stdout)
        return answer["reset"].split("#", 1)[1]

    def tell(self, path: Path, port: int) -> Path:
        """Writes the file that the hooks need."""
        path.write_text(json.dumps({
            "port": port, "token": TOKEN, "secret": SECRET, "setup": self.setup, "reset": self.reset,
            "unknown": self.unknown, "picture": hashlib.sha256(PICTURE).hexdigest(),
            "record": str(path.with_name("calls.jsonl")),
        }))
        return path


class Crowd:
    """Callers with an address of their own each, so that rate limits do not connect them."""

    def __init__(self):
        self.count = 0
        self.lock = threading.Lock()

    def __call__(self) -> str:
        with self.lock:
            self.count += 1
            return f"10.{self.count >> 16 & 255}.{self.count >> 8 & 255}.{self.count & 255}"
