"""A farm server on a copy of a stored home behind a fault proxy: what the pages of one test talk to."""

from collections.abc import Callable
from pathlib import Path

import loma_market
from client import Client, until
from farm import Farm
from fault_proxy import Proxy
from loma_farm import GTIN, LOT, STAFF, Told, readings_now
from staff_driver import PASSWORD
from stored_home import new_copy

#: Hundreds of page loads a minute come from one address here.
UNLIMITED = {"FURROW_ANONYMOUS_BURST": "1000000"}


def started(name: str, *words: str, environment: dict[str, str] | None = None) -> Farm:
    """Starts a farm server on a copy of a stored home; its administrator is signed in."""
    farm = Farm(*words, home=new_copy(name), environment=UNLIMITED | (environment or {}))
    farm.token = Told.load(farm.home.parent / "told.json").sessions.get("administrator")
    try:
        return farm.start()
    except AssertionError:
        farm.destroy()
        raise


class Gateway(Proxy):
    """Pages are opened at `url`. `stop` takes the network away, `start` brings it back on the same port.

    What the farm decides is asked for past the proxy, by `client` or as a buyer; each change returns once the gateway
    shows it to browsers.
    """

    def __init__(self, name: str = "season", *words: str, environment: dict[str, str] | None = None,
                 farm: Farm | None = None):
        super().__init__()
        self.is_shared = farm is not None
        self.pending: list[tuple[str, tuple[dict, ...], tuple[str, ...]]] = []
        self.farm = farm or started(name, *words, environment={"FURROW_PUBLIC_URL": self.url} | (environment or {}))
        self.told = Told.load(self.farm.home.parent / "told.json")
        self.upstream = self.farm.port

    def start(self) -> None:
        self.open()

    def stop(self) -> None:
        self.close()

    def destroy(self) -> None:
        self.close()
        if not self.is_shared:
            self.farm.destroy()

    def rebuild(self, web: Path) -> None:
        """Serves the pages of another build, which lie in `web`."""
        self.farm.stop()
        self.farm.web = web
        self.farm.start()

    @property
    def client(self) -> Client:
        """The administrator, as programs call."""
        return self.farm.client()

    def anyone(self) -> Client:
        return Client(self.farm.port)

    def person(self, email: str) -> Client:
        """A person of the staff or a buyer, in a new session."""
        return self.farm.sign_in({"email": email, "password": PASSWORD})

    def enrol(self, name: str, email: str, role: str = "buyer") -> None:
        """Makes an account of the staff, or a buyer's."""
        person = {"name": name, "email": email, "password": PASSWORD}
        if role == "buyer":
            assert self.anyone().settle("POST", "/v1/buyers", person).status == 201
        else:
            self.client.make("POST", "/v1/accounts", person | {"role": role})

    def end_sessions(self, email: str) -> None:
        """Signs a person out everywhere."""
        self.person(email).call("DELETE", "/v1/me/sessions")

    def sent(self, method: str, path: str) -> int:
        """How many requests of a method and path came in."""
        return sum(1 for one, target in self.requests if one == method and target.split("?")[0] == path)

    # Stories

    @property
    def serials(self) -> list[str]:
        """The serial numbers of the boxes of the farm's lot."""
        return [label["serial"] for label in self.told.labels]

    def label_path(self, box: int = 0) -> str:
        return "/" + self.told.labels[box]["url"].split("/", 3)[3]

    def story(self, box: int = 0) -> str:
        """The address on the label of a box."""
        return self.url + self.label_path(box)

    def unsigned(self, lot: str = LOT, gtin: str = GTIN) -> str:
        """The address of a lot without a label."""
        return f"{self.url}/01/{gtin}/10/{lot}"

    def labelled(self, lot: str, product: str, **more) -> str:
        """Harvests a lot and labels a box of it, and returns the address on the label."""
        self.harvest(lot, product, **more)
        return self.label(lot)

    def harvest(self, lot: str, product: str, **more) -> None:
        self.client.make("POST", "/v1/lots", {"lot": lot, "product": product, "plot": "well", "grams": 9000} | more)

    def pack(self, lot: str, product: str, boxes: int = 4) -> None:
        """Harvests a lot and packs it; its boxes have no labels yet."""
        self.harvest(lot, product)
        self.client.make("POST", f"/v1/lots/{lot}/packings", {"boxes": boxes, "gramsEach": 1000})

    def label(self, lot: str) -> str:
        """Packs a box of a lot, and returns the address on its label."""
        self.client.make("POST", f"/v1/lots/{lot}/packings", {"boxes": 1, "gramsEach": 1000})
        labels = self.client.make("POST", f"/v1/lots/{lot}/labels")["labels"]
        return f"{self.url}/{labels[-1]['url'].split('/', 3)[3]}"

    @property
    def log_size(self) -> int:
        """How many entries the newest checkpoint covers."""
        return int(self.anyone().call("GET", "/ledger/checkpoint").body.decode().splitlines()[1])

    def write_down(self, count: int = 1) -> int:
        """Adds facts about another plot to the log, and returns its size once a checkpoint covers them."""
        before = self.log_size
        for _ in range(count):
            self.record("well", kind="weeding")
        return until(lambda: self.log_size >= before + count and self.log_size, 20, "the log to be signed")

    def record(self, plot: str, **entry) -> str:
        return self.client.make("POST", f"/v1/plots/{plot}/activities", entry)["activity"]

    def activities(self, plot: str = "south") -> list[dict]:
        """What was done on a plot, newest first."""
        return self.client.items(f"/v1/plots/{plot}/activities")

    # Sensors

    def measure(self, cold: float = 4.6) -> None:
        """Sends a report of each tag, and waits until they are read."""
        adverts = readings_now(cold)
        self.client.make("POST", "/v1/adverts", {"adverts": adverts})
        until(lambda: any((row.get("last") or "")[:19] >= adverts[-1]["at"][:19]
                          for row in self.client.items("/v1/devices")), 20, "the adverts to be read", pause=0.02)

    # The market

    def tell(self, table: str, *records: dict, gone: tuple[str, ...] = ()) -> None:
        """Adds records to what the next pull brings: of states that no real market is in, or only for a moment."""
        self.pending.append((table, records, gone))
        self.tamper["/v1/sync"] = self.bring

    def bring(self, answer: dict) -> dict:
        if "changes" in answer:
            for table, records, gone in self.pending:
                part = answer["changes"].setdefault(table, {"created": [], "updated": [], "deleted": []})
                names = {*gone, *(record["id"] for record in records)}
                for kind in ("created", "updated"):
                    part[kind] = [row for row in part.get(kind, []) if row["id"] not in names]
                part["created" if answer["replace"] else "updated"] += records
                part["deleted"] = [*part.get("deleted", []), *gone]
            self.pending.clear()
        return answer

    def own(self, email: str, table: str = "orders") -> dict:
        """The one record of a table that is a buyer's own."""
        (row,) = loma_market.pulled(self.person(email), table).values()
        return row

    def profile(self, farm: str, **members) -> None:
        """Describes a farm of the directory anew; what is not named stays."""
        before = self.pulled("farms").get(farm, {"farm": farm})
        names = ("title", "county", "region", "street", "telephone", "website", "description", "latitude", "longitude",
                 "picture", "alt", "hasGoods")
        body = {name: before[name] for name in names if before.get(name) is not None} | members
        loma_market.until_taken(self.client, "PUT", f"/v1/directory/{farm}", body)
        self.until_pulled("farms", lambda rows: all(rows.get(farm, {}).get(key) == value
                                                    for key, value in members.items()))

    def pulled(self, table: str) -> dict[str, dict]:
        """The records of a table as a browser gets them that was never here."""
        return loma_market.pulled(self.anyone(), table)

    def until_pulled(self, table: str, holds: Callable[[dict[str, dict]], object]) -> None:
        until(lambda: holds(self.pulled(table)), 20, f"{table} to change for browsers", pause=0.02)

    def orders(self, state: str | None = None) -> list[dict]:
        """Everybody's orders, or those in a state."""
        return self.client.items("/v1/sales", **({"state": state} if state else {}))

    def order(self) -> dict:
        """The one order there is."""
        (order,) = self.orders()
        return order

    def free(self, lot: str) -> int:
        return next(row["free"] for row in self.client.items("/v1/stock") if row["lot"] == lot)

    def set_free(self, lot: str, boxes: int) -> None:
        """Leaves so many boxes of a lot that nobody has ordered."""
        row = next(row for row in self.client.items("/v1/stock") if row["lot"] == lot)
        self.client.make("PUT", f"/v1/stock/{lot}", {"boxes": boxes + row["ordered"]})
        self.until_pulled("lots", lambda lots: lots.get(lot, {"free": 0})["free"] == boxes)

    def recall(self, lot: str, reason: str) -> None:
        self.client.make("POST", f"/v1/lots/{lot}/recalls", {"reason": reason})
        self.until_pulled("lots", lambda lots: lots.get(lot, {"recalled": reason}).get("recalled") == reason)

    def reprice(self, offer: str, cents: int) -> None:
        self.client.make("PUT", f"/v1/offers/{offer}/price", {"price": {"minor": cents, "currency": "USD"}})
        self.until_pulled("offers", lambda offers: offers[offer]["price"]["minor"] == cents)

    def describe(self, product: str, **members) -> None:
        """Describes a product anew; what is not named stays."""
        before = self.client.get(f"/v1/products/{product}")
        names = ("title", "unit", "category", "description", "picture", "alt")
        body = {name: before[name] for name in names if before.get(name)} | members
        self.client.make("PUT", f"/v1/products/{product}", body)
        self.until_pulled("products", lambda rows: all(rows[product].get(key) == value
                                                       for key, value in members.items()))

    def withdraw(self, table: str, name: str) -> None:
        """Takes a product or an offer off the market."""
        self.client.make("POST", f"/v1/{table}/{name}/withdrawals")
        self.until_pulled(table, lambda rows: name not in rows)

    def close_place(self, name: str) -> None:
        self.client.make("POST", f"/v1/pickups/{name}/closings")
        self.until_pulled("pickups", lambda rows: name not in rows)

    def open_place(self, name: str, **about) -> None:
        self.client.make("PUT", f"/v1/pickups/{name}", about)
        self.until_pulled("pickups", lambda rows: name in rows)


__all__ = ["GTIN", "LOT", "STAFF", "Gateway", "until"]
