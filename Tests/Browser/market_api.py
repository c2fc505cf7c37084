"""What the fake gateway answers those who sell: products, offers, stock, places, and everybody's orders."""

from farm_state import Refused
from sample_market import Market


class Sales:
    """The staff's side of a market; `api` knows the accounts and the ledger's lots."""

    def __init__(self, api):
        self.api = api

    @property
    def market(self) -> Market:
        return self.api.market

    def rows(self, table: str) -> list[dict]:
        return [body for (name, _, _), (_, body) in self.market.records.items() if name == table and body is not None]

    def found(self, table: str, id: str) -> dict:
        body = self.market.records.get((table, id, None), (0, None))[1]
        if body is None:
            raise Refused(404, f"unknown-{table}", f"There is no {id}.")
        return body

    # Goods

    def products(self, given: dict) -> dict:
        return {"items": [self.product(row) for row in self.rows("products")]}

    def product(self, row: dict) -> dict:
        open_offers = [one for one in self.offers({})["items"]
                       if one["product"] == row.get("id") and "closed" not in one]
        told = row | {"product": row["id"], "left": sum(one["left"] for one in open_offers)}
        return told | ({"from": min((one["price"] for one in open_offers), key=lambda price: price["minor"])}
                       if open_offers else {})

    def list_product(self, given: dict) -> tuple:
        if ("products", given["product"], None) in self.market.records:
            raise Refused(409, "known", f"There is a product {given['product']} already.")
        return self.change_product(given)

    def change_product(self, given: dict) -> tuple:
        before = self.market.records.get(("products", given["product"], None), (0, {}))[1]
        told = {name: given[name] for name in ("farm", "title", "unit", "category", "description", "picture", "alt")
                if given.get(name) is not None}
        self.market.put("products", {"id": given["product"], "farm": before.get("farm")} | told)
        return 201, {"product": given["product"]}, {}

    def gone(self, table: str, member: str, given: dict) -> tuple:
        self.found(table, given[member])
        self.market.put(table, None, given[member])
        return 201, {member: given[member]}, {}

    def offers(self, given: dict) -> dict:
        return {"items": [self.offer(row) for row in self.rows("offers")]}

    def offer(self, row: dict) -> dict:
        lot = self.found("lots", row["lot"])
        told = row | {"offer": row["id"], "left": lot["free"] // max(1, row.get("takes", 1))}
        return told | ({"closed": "recalled", "reason": lot["recalled"]} if lot.get("recalled") else {})

    def publish(self, given: dict) -> tuple:
        if given["price"]["minor"] < 0:
            raise Refused(400, "malformed", "price: not less than nothing.")
        product, lot = self.found("products", given["product"]), given["lot"]
        if ("lots", lot, None) not in self.market.records:
            self.keep_stock({"lot": lot, "boxes": 0})
        name = f"f-{len(self.market.records)}"
        self.market.put("offers", {
            "id": name, "product": product["id"], "farm": product["farm"], "lot": lot, "price": given["price"],
            "takes": given.get("takes", 1), "pickups": given.get("pickups", []), "until": given.get("until")})
        return 201, {"offer": name}, {}

    def reprice(self, given: dict) -> dict:
        self.market.change("offers", given["offer"], price=given["price"])
        return {"offer": given["offer"]}

    # Stock

    def ordered(self, lot: str) -> int:
        return sum(line["boxes"] for order in self.rows("orders") if order["state"] == "placed"
                   for line in order["lines"] if line["lot"] == lot)

    def collected(self, lot: str) -> int:
        return sum(line["boxes"] for order in self.rows("orders") if order["state"] == "collected"
                   for line in order["lines"] if line["lot"] == lot)

    def stock(self, given: dict) -> dict:
        return {"items": [{
            "lot": row["id"], "farm": row["farm"], "product": row["product"], "held": 0, "free": row["free"],
            "packed": row["free"] + self.ordered(row["id"]) + self.collected(row["id"]) + 4,
            "ordered": self.ordered(row["id"]), "collected": self.collected(row["id"]),
            "boxes": row["free"] + self.ordered(row["id"]),
        } | ({"blocked": row["recalled"]} if row.get("recalled") else {}) for row in self.rows("lots")]}

    def keep_stock(self, given: dict) -> dict:
        boxes = given["boxes"]
        promised = self.ordered(given["lot"])
        if boxes < promised:
            raise Refused(409, "promised", f"{promised} boxes of lot {given['lot']} are promised to buyers already.")
        before = self.market.records.get(("lots", given["lot"], None), (0, None))[1]
        if before is None:
            row = self.api.farm.lot(given["lot"])
            before = {"id": given["lot"], "farm": row["farm"], "gtin": row["gtin"], "product": row["product"],
                      "harvested": row["harvested"]}
        self.market.put("lots", before | {"free": boxes - promised})
        return {"lot": given["lot"], "boxes": boxes}

    def adjust(self, given: dict) -> dict:
        now = self.found("lots", given["lot"])["free"] + self.ordered(given["lot"])
        return self.keep_stock({"lot": given["lot"], "boxes": now + given["by"]})

    # Places

    def places(self, given: dict) -> dict:
        return {"items": [row | {"pickup": row["id"]} for row in self.rows("pickups")]}

    def open_place(self, given: dict) -> tuple:
        told = {name: given[name] for name in ("title", "address", "county", "hours", "latitude", "longitude", "farm")
                if given.get(name) is not None}
        self.market.put("pickups", {"id": given["pickup"]} | told)
        return 201, {"pickup": given["pickup"]}, {}

    def profile(self, given: dict) -> dict:
        return self.found("farms", given["farm"])

    def keep_profile(self, given: dict) -> dict:
        names = ("title", "county", "region", "street", "telephone", "website", "description", "latitude", "longitude",
                 "picture", "alt", "hasGoods")
        told = {name: given[name] for name in names if given.get(name) is not None}
        self.market.put("farms", {"id": given["farm"], "zone": "America/New_York"} | told)
        return {"farm": given["farm"]}

    def keep_media(self, given: dict) -> tuple:
        return 201, {"sha256": self.market.keep(given["octets"])}, {}

    # Orders

    def owned(self) -> list[tuple[str, dict]]:
        return [(person, body) for (table, _, person), (_, body) in self.market.records.items()
                if table == "orders" and person and body is not None]

    def sales(self, given: dict) -> dict:
        return {"items": [self.sale(person, body) for person, body in self.owned()
                          if given.get("state") in (None, body["state"])
                          and given.get("pickup") in (None, body["pickup"])]}

    def sale(self, person: str, body: dict) -> dict:
        name = self.api.accounts.get(person, {}).get("name")
        owed = 0 if body["state"] == "cancelled" else max(0, body["total"]["minor"] - body["paid"]["minor"])
        return {"refunded": {"minor": 0, "currency": "USD"}, "payments": []} | body | {
            "buyer": person, "name": name, "owed": {"minor": owed, "currency": "USD"},
            "contact": {"name": name, "telephone": "+1 423 555 0177"} if name else None}

    def one(self, given: dict) -> dict:
        return self.sale(*self.order(given["order"]))

    def order(self, name: str) -> tuple[str, dict]:
        found = [(person, body) for person, body in self.owned() if body["order"] == name]
        if not found:
            raise Refused(404, "unknown-order", f"There is no order {name}.")
        return found[0]

    def move(self, given: dict, state: str, **more) -> tuple:
        person, body = self.order(given["order"])
        if body["state"] != "placed":
            raise Refused(409, body["state"], f"This order was {body['state']} already.")
        for line in body["lines"] if state == "cancelled" else []:
            lot = self.found("lots", line["lot"])
            self.market.change("lots", line["lot"], free=lot["free"] + line["boxes"])
        self.market.put("orders", body | {"state": state} | more, given["order"], person)
        return 201, self.one(given), {}

    def collect(self, given: dict) -> tuple:
        return self.move(given, "collected", paid=self.order(given["order"])[1]["total"])

    def call_off(self, given: dict) -> tuple:
        return self.move(given, "cancelled", reason=given["reason"])

    def refund(self, given: dict) -> tuple:
        person, body = self.order(given["order"])
        back = {"minor": body.get("refunded", {"minor": 0})["minor"] + given["amount"]["minor"], "currency": "USD"}
        if back["minor"] > body["paid"]["minor"]:
            raise Refused(409, "too-much", "Only what came in can go back.")
        self.market.put("orders", body | {"refunded": back, "goesBack": back}, given["order"], person)
        return 201, self.one(given), {}

    def packing(self, given: dict) -> dict:
        places: dict[str, dict] = {}
        for _, body in self.owned():
            if body["state"] != "placed":
                continue
            lines = places.setdefault(body["pickup"], {})
            for line in body["lines"]:
                product = self.found("products", line["product"])
                row = lines.setdefault((line["product"], line["lot"]), {
                    "product": line["product"], "title": product["title"], "unit": product["unit"],
                    "lot": line["lot"], "quantity": 0, "boxes": 0})
                row["quantity"] += line["quantity"]
                row["boxes"] += line["boxes"]
        return {"items": [{"pickup": name, "orders": 1, "lines": list(lines.values())}
                          for name, lines in places.items()]}

    # Buyers

    def change_order(self, given: dict) -> dict:
        person, body = self.order(given["order"])
        if person != given["me"]["person"] or body["state"] != "placed":
            raise Refused(409, body["state"], f"This order was {body['state']} already.")
        return self.market.rearrange(person, body, given)

    def shelves(self, given: dict) -> dict:
        names = [row["id"] for row in self.rows("products")]
        known = {line["product"] for person, body in self.owned() if given["me"] and person == given["me"]["person"]
                 for line in body["lines"]}
        inside = [one for one in given.get("with", "").split(",") if one]

        def shelf(kind: str, title: str, products: list[str], because: str, reason: str) -> dict:
            return {"shelf": kind, "title": title, "items": [
                {"product": one, "title": one, "because": because, "reason": reason}
                for one in products if one not in inside][:int(given.get("limit", 8))]}

        told = [
            shelf("again", "Buy again", sorted(known), "bought", "You have bought this before."),
            shelf("together", "Goes well with it", [one for one in names if inside], "together",
                  "Often in the same order as something in the cart."),
            shelf("popular", "Popular", names, "popular", "In 12 orders of the last four weeks of orders."),
            shelf("discover", "Discover", names[::-1], "new", "New in the shop."),
        ]
        return {"hubPosition": 1, "shelves": [one for one in told if one["items"]]}


def told(method):
    """A route's handler out of a method of Sales."""
    return lambda api, given: method(Sales(api), given)


NAME = r"(?P<{}>[A-Za-z0-9_-]+)"
PRODUCT = "/v1/products/" + NAME.format("product")
OFFER = "/v1/offers/" + NAME.format("offer")
STOCK = "/v1/stock/" + NAME.format("lot")
PLACE = "/v1/pickups/" + NAME.format("pickup")
SALE = "/v1/sales/" + NAME.format("order")
FARM = "/v1/directory/" + NAME.format("farm")
ROUTES = [
    ("GET", "/v1/products", None, told(Sales.products)),
    ("POST", "/v1/products", "grower", told(Sales.list_product)),
    ("PUT", PRODUCT, "grower", told(Sales.change_product)),
    ("POST", PRODUCT + "/withdrawals", "grower", told(lambda sales, given: sales.gone("products", "product", given))),
    ("GET", "/v1/offers", None, told(Sales.offers)),
    ("POST", "/v1/offers", "grower", told(Sales.publish)),
    ("PUT", OFFER + "/price", "grower", told(Sales.reprice)),
    ("POST", OFFER + "/withdrawals", "grower", told(lambda sales, given: sales.gone("offers", "offer", given))),
    ("GET", "/v1/stock", "auditor", told(Sales.stock)),
    ("PUT", STOCK, "grower", told(Sales.keep_stock)),
    ("POST", STOCK + "/adjustments", "grower", told(Sales.adjust)),
    ("GET", "/v1/pickups", None, told(Sales.places)),
    ("PUT", PLACE, "grower", told(Sales.open_place)),
    ("POST", PLACE + "/closings", "grower", told(lambda sales, given: sales.gone("pickups", "pickup", given))),
    ("GET", FARM, None, told(Sales.profile)),
    ("PUT", FARM, "grower", told(Sales.keep_profile)),
    ("POST", "/v1/media", "grower", told(Sales.keep_media)),
    ("GET", "/v1/packing", "auditor", told(Sales.packing)),
    ("GET", "/v1/sales", "auditor", told(Sales.sales)),
    ("GET", SALE, "auditor", told(Sales.one)),
    ("POST", SALE + "/collections", "grower", told(Sales.collect)),
    ("POST", SALE + "/cancellations", "grower", told(Sales.call_off)),
    ("POST", SALE + "/refunds", "grower", told(Sales.refund)),
    ("PUT", "/v1/orders/" + NAME.format("order"), "buyer", told(Sales.change_order)),
    ("GET", "/v1/shelves", None, told(Sales.shelves)),
]
