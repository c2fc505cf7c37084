"""A small market in memory: farms of a directory, products, stock, and the two halves of `/v1/sync`."""

import hashlib
import secrets
import struct
import zlib
from datetime import UTC, datetime, timedelta

from farm_state import Refused

EPOCH = "fake-1"


def picture(red: int, green: int, blue: int) -> bytes:
    """A PNG of one colour, 16 by 10."""
    rows = (b"\0" + bytes((red, green, blue)) * 16) * 10

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 16, 10, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def total(lines: list[dict]) -> dict:
    return {"minor": sum(line["amount"]["minor"] for line in lines), "currency": "USD"}


class Market:
    """Records by table and id, each with the position at which it changed; None where it is gone."""

    def __init__(self):
        self.position = 1
        self.records: dict[tuple[str, str, str | None], tuple[int, dict | None]] = {}
        self.media: dict[str, bytes] = {}
        self.placed: dict[str, tuple[int, dict]] = {}
        self.orders = 0
        #: How orders can be paid.
        self.payments = ["at-pickup"]
        #: Where the sandbox provider has its pages.
        self.provider = "https://pay.example"

    def put(self, table: str, body: dict | None, id: str | None = None, person: str | None = None) -> None:
        self.position += 1
        name = id or body["id"]
        self.records[(table, name, person)] = (self.position, body)

    def change(self, table: str, id: str, **members) -> None:
        self.put(table, self.records[(table, id, None)][1] | members)

    def keep(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        self.media[name] = data
        return name

    def pull(self, person: str | None, since: int | None, epoch: str | None, scope: str | None) -> dict:
        mine = f"person/{person}" if person else "public"
        after = -1 if since is None else since
        whole = since is None or epoch != EPOCH or scope != mine
        changes: dict[str, dict] = {}
        for (table, id, owner), (position, body) in self.records.items():
            if owner not in (None, person) or (not whole and position <= after) or (whole and body is None):
                continue
            part = changes.setdefault(table, {"created": [], "updated": [], "deleted": []})
            if body is None:
                part["deleted"].append(id)
            else:
                part["created" if whole else "updated"].append(body)
        return {"changes": changes, "timestamp": self.position, "epoch": EPOCH, "scope": mine, "replace": whole,
                "more": False}

    def push(self, person: str, given: dict) -> dict:
        changes = given["changes"]
        results = []
        for order in changes.get("orders", {}).get("created", []):
            key = f"{person} {order['id']}"
            if key not in self.placed:
                try:
                    self.placed[key] = (201, self.order(person, order))
                except Refused as refused:
                    self.placed[key] = (refused.status, refused.body())
            status, answer = self.placed[key]
            results.append({"table": "orders", "id": order["id"], "status": status, "answer": answer})
        for change in ("created", "deleted"):
            for record in changes.get("favourites", {}).get(change, []):
                id = record["id"] if change == "created" else record
                kind, name = id.split(".", 1)
                body = {"id": id, "kind": kind, "name": name} if change == "created" else None
                self.put("favourites", body, id, person)
                results.append({"table": "favourites", "id": id, "status": 200, "answer": {}})
        return {"results": results}

    def order(self, person: str, wish: dict) -> dict:
        lines = self.lines(wish)
        self.orders += 1
        name = f"o-{secrets.token_hex(4)}"
        order = {"order": name, "state": "placed", "placed": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
                 "lines": lines, "total": total(lines), "pickup": wish["pickup"],
                 "payment": wish.get("payment", "at-pickup"), "paid": {"minor": 0, "currency": "USD"}}
        if order["payment"] == "sandbox":
            order |= {"paying": {"state": "opened", "page": f"{self.provider}/pay/{name}"},
                      "payBefore": (datetime.now(UTC) + timedelta(minutes=15)).isoformat().replace("+00:00", "Z")}
        self.put("orders", order | {"id": name}, name, person)
        return order

    def rearrange(self, person: str, order: dict, wish: dict) -> dict:
        """The order with other lines, or as it was if there is not enough."""
        before = {line["lot"]: self.records[("lots", line["lot"], None)][1]["free"] for line in order["lines"]}
        for line in order["lines"]:
            self.change("lots", line["lot"], free=before[line["lot"]] + line["boxes"])
        try:
            lines = self.lines(wish)
        except Refused:
            for lot, free in before.items():
                self.change("lots", lot, free=free)
            raise
        order = order | {"lines": lines, "total": total(lines), "pickup": wish.get("pickup", order["pickup"])}
        self.put("orders", order, order["order"], person)
        return order

    def lines(self, wish: dict) -> list[dict]:
        lines = []
        for line in wish["lines"]:
            offer = self.records[("offers", line["offer"], None)][1]
            lot = self.records[("lots", offer["lot"], None)][1]
            if lot["free"] < line["quantity"]:
                raise Refused(409, "sold-out", f"There are only {lot['free']} left of lot {offer['lot']}.")
            self.change("lots", lot["id"], free=lot["free"] - line["quantity"])
            lines.append({"offer": offer["id"], "product": offer["product"], "lot": offer["lot"], "farm": offer["farm"],
                          "quantity": line["quantity"], "boxes": line["quantity"], "unitPrice": offer["price"],
                          "amount": {"minor": offer["price"]["minor"] * line["quantity"], "currency": "USD"}})
        return lines

    def cancel(self, person: str, name: str) -> dict:
        order = self.records[("orders", name, person)][1] | {"state": "cancelled", "reason": "buyer"}
        self.put("orders", order, name, person)
        return order

    def pay_again(self, person: str, name: str) -> dict:
        """Another payment in place of one that failed; its page is told a moment later."""
        order = self.records[("orders", name, person)][1]
        if order["paying"]["state"] != "failed":
            raise Refused(409, "in-payment", "The payment of this order is not over yet.")
        order = order | {"paying": {"state": "opened", "page": f"{self.provider}/pay/{name}-2"}}
        self.put("orders", order, name, person)
        return {key: value for key, value in order.items() if key != "paying"}

    def erase(self, person: str) -> None:
        for key in [key for key in self.records if key[2] == person]:
            del self.records[key]


def sample_market() -> Market:
    """Five farms of three counties, some with pictures."""
    market = Market()
    market.put("site", {
        "id": "site", "title": "Good food from the mountains of East Tennessee",
        "welcome": "Small farms of Greene, Washington and Unicoi County: see who they are, buy what is ripe this week, "
                   "and follow every box back to its field.",
        "donate": "https://quilttrail.example/donate",
        "sponsors": [{"name": "Nolichucky Seed Library", "website": "https://seeds.example"},
                     {"name": "Greene County Growers"}, {"name": "Bank of the Hollow"}]})
    farms = [
        ("loma", "Horse Creek Farm", "Greene", "1210 Horse Creek Road, Chuckey", 36.117, -82.683, (88, 130, 72),
         "Three greenhouses and a terrace above the creek. Tomatoes are ours since 1981, without sprays since 2006."),
        ("hollow", "Quail Hollow Orchard", "Greene", "88 Quail Hollow Lane, Greeneville", 36.185, -82.828, None,
         "Old apples and young bees."),
        ("bend", "River Bend Gardens", "Unicoi", "5 Jackson Love Highway, Erwin", 36.152, -82.413, (140, 160, 90),
         "Salads and herbs from the river bottom."),
        ("stone", "Stonewall Dairy", "Washington", "402 Bowmantown Road, Limestone", 36.251, -82.611, None,
         "Forty Jerseys and a cheese room."),
        ("ridge", "Embreeville Ridge", "Washington", "17 Old Embreeville Road, Jonesborough", 36.211, -82.462, None,
         "Opens in June."),
    ]
    for id, title, county, street, latitude, longitude, colour, description in farms:
        market.put("farms", {
            "id": id, "title": title, "county": county, "region": "Tennessee", "street": street, "latitude": latitude,
            "longitude": longitude, "telephone": "+1 423 555 0142", "website": f"https://{id}.example",
            "description": description, "hasGoods": id == "stone", "zone": "America/New_York",
            "picture": market.keep(picture(*colour)) if colour else None})
    goods = [
        ("tomatoes", "loma", "Tomatoes ‘Cherokee Purple’", "a box of 2 kg", "fruit", 890, 24, (190, 60, 60)),
        ("peppers", "loma", "Sweet peppers", "a bag of 1 kg", "fruit", 540, 9, None),
        ("carrots", "loma", "Carrots with their tops", "a bunch", "roots", 310, 40, None),
        ("apples", "hollow", "Apples ‘Limbertwig’", "a peck", "fruit", 1250, 12, None),
        ("honey", "hollow", "Sourwood honey", "a jar of 500 g", "pantry", 1400, 6, (212, 160, 60)),
        ("lettuce", "bend", "Butterhead lettuce", "one head", "leaves", 260, 3, None),
        ("basil", "bend", "Basil", "a pot", "leaves", 380, 0, None),
    ]
    for number, (id, farm, title, unit, category, minor, free, colour) in enumerate(goods):
        lot = f"L-{number + 1}"
        market.put("products", {
            "id": id, "farm": farm, "title": title, "unit": unit, "category": category,
            "description": "Picked the day before you get it.",
            "picture": market.keep(picture(*colour)) if colour else None})
        market.put("lots", {"id": lot, "farm": farm, "gtin": "08412345678905", "product": title, "free": free,
                            "harvested": f"2026-07-{12 + number:02}T06:30:00.000000Z"})
        market.put("offers", {"id": f"off-{id}", "product": id, "farm": farm, "lot": lot, "takes": 1, "pickups": [],
                              "price": {"minor": minor, "currency": "USD"}})
    market.put("pickups", {"id": "market", "title": "Greeneville market hall", "address": "101 West Summer Street",
                           "county": "Greene", "hours": "Saturdays 8 to 12", "latitude": 36.163, "longitude": -82.831})
    market.put("pickups", {"id": "gate", "title": "Farm gate, Horse Creek", "county": "Greene",
                           "hours": "Every day until dusk"})
    return market
