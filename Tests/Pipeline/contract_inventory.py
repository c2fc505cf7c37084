"""Calls of the operations of inventories and stocktakes for the contract test."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime

from client import Client, until


class InventoryCalls:
    """One call of each operation that has to succeed, created on demand."""

    def __init__(self, staff: Client):
        self.staff = staff

    @property
    def calls(self) -> dict[str, Callable[[], dict]]:
        return {
            "set-inventory": lambda: {"path": {"inventory": name()}, "body": {"title": "Tools", "place": "store/s1"}},
            "set-farm-map": lambda: {"path": {"farm": "f"}, "body": {"plan": "6d" * 32, "pins": [
                {"place": "store/s1", "spot": {"x": 250, "y": 1000}}]}},
            "items": lambda: {"path": {"inventory": self.inventory()}},
            "beacon-numbers": lambda: {"path": {"inventory": self.with_item()}},
            "finds": lambda: {"path": {"item": self.item(self.inventory())}},
            "set-item": lambda: {"path": {"item": name()}, "body": {
                "inventory": self.inventory(), "title": "Saw", "code": name(), "spot": {"x": 250, "y": 1000},
                "value": {"minor": 4990, "currency": "EUR"}}},
            "remove-item": lambda: {"path": {"item": self.item(self.inventory())}, "body": {"reason": "Sold"}},
            "stocktakes": lambda: {"query": {"inventory": self.inventory()}},
            "start-stocktake": lambda: {
                "path": {"inventory": self.inventory()}, "body": {"stocktake": name(), "title": "Autumn"}},
            "stocktake": lambda: {"path": {"stocktake": self.stocktake()[0]}},
            "stocktake-proof": lambda: {"path": {"stocktake": self.finished()}},
            "stocktake-report": lambda: {"path": {"stocktake": self.stocktake()[0]}},
            "mail-stocktake-report": lambda: {
                "path": {"stocktake": self.stocktake()[0]}, "body": {"to": "tax@farm.test"}},
            "stocktake-lines": lambda: {"path": {"stocktake": self.stocktake()[0]}},
            "count-items": self.count,
            "resolve-difference": self.resolve,
            "finish-stocktake": lambda: {"path": {"stocktake": self.stocktake()[0]}, "body": {"accept": True}},
        }

    def inventory(self) -> str:
        return self.staff.make("PUT", f"/v1/inventories/{name()}", {"title": "Tools"})["inventory"]

    def with_item(self) -> str:
        inventory = self.inventory()
        self.item(inventory)
        return inventory

    def item(self, inventory: str) -> str:
        return self.staff.make("PUT", f"/v1/items/{name()}", {"inventory": inventory, "title": "Saw"})["item"]

    def stocktake(self) -> tuple[str, str]:
        """Returns an open stocktake, and the item of its inventory."""
        inventory = self.inventory()
        item = self.item(inventory)
        made = self.staff.make(
            "POST", f"/v1/inventories/{inventory}/stocktakes", {"stocktake": name(), "title": "Autumn"})
        return made["stocktake"], item

    def finished(self) -> str:
        """Returns a finished stocktake, once its end is in the ledger's log."""
        stocktake, _ = self.stocktake()
        self.staff.make("POST", f"/v1/stocktakes/{stocktake}/finish", {"accept": True})
        until(lambda: self.staff.call("GET", f"/v1/stocktakes/{stocktake}/proof").status == 200, 20, "the proof")
        return stocktake

    def count(self) -> dict:
        stocktake, item = self.stocktake()
        at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        return {"path": {"stocktake": stocktake}, "body": {
            "sightings": [{"thing": f"item/{item}", "at": at, "how": "picked", "place": "store/s1"}]}}

    def resolve(self) -> dict:
        stocktake, item = self.stocktake()
        return {"path": {"stocktake": stocktake}, "body": {"thing": f"item/{item}", "as": "missing"}}


def name() -> str:
    return "x" + uuid.uuid4().hex[:12]
