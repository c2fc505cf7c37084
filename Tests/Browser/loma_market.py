"""The market of the farm that browser tests work on: five farms in Tennessee, seven products, two places."""

import struct
import urllib.request
import zlib

from client import Client, until
from farm import Farm, session_of
from staff_driver import PASSWORD

SITE = {
    "title": "Good food from the mountains of East Tennessee",
    "welcome": "Small farms of Greene, Washington and Unicoi County: see who they are, buy what is ripe this week, "
               "and follow every box back to its field.",
    "donate": "https://quilttrail.example/donate",
    "sponsors": [{"name": "Nolichucky Seed Library", "website": "https://seeds.example"},
                 {"name": "Greene County Growers"}, {"name": "Bank of the Hollow"}],
}
FARMS = [
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
#: Product, farm, title, unit, category, price in cents, boxes that are free, colour of the picture.
GOODS = [
    ("tomatoes", "loma", "Tomatoes ‘Cherokee Purple’", "a box of 2 kg", "fruit", 890, 24, (190, 60, 60)),
    ("peppers", "loma", "Sweet peppers", "a bag of 1 kg", "fruit", 540, 9, None),
    ("carrots", "loma", "Carrots with their tops", "a bunch", "roots", 310, 40, None),
    ("apples", "hollow", "Apples ‘Limbertwig’", "a peck", "fruit", 1250, 12, None),
    ("honey", "hollow", "Sourwood honey", "a jar of 500 g", "pantry", 1400, 6, (212, 160, 60)),
    ("lettuce", "bend", "Butterhead lettuce", "one head", "leaves", 260, 3, None),
    ("basil", "bend", "Basil", "a pot", "leaves", 380, 0, None),
]
PLACES = {
    "market": {"title": "Greeneville market hall", "address": "101 West Summer Street", "county": "Greene",
               "hours": "Saturdays 8 to 12", "latitude": 36.163, "longitude": -82.831},
    "gate": {"title": "Farm gate, Horse Creek", "county": "Greene", "hours": "Every day until dusk"},
}


def picture(red: int, green: int, blue: int) -> bytes:
    """A PNG of one colour, 16 by 10."""
    rows = (b"\0" + bytes((red, green, blue)) * 16) * 10

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 16, 10, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def until_taken(client: Client, method: str, path: str, body: dict) -> dict:
    """Repeats a change until the market has heard of the farm or lot that it names."""
    def take() -> dict | None:
        answer = client.settle(method, path, body)
        return answer.json if answer.status in (200, 201) else refused.append(str(answer))

    refused: list[str] = []
    return until(take, 20, f"{method} {path} to be taken", pause=0.05)


def open_market(client: Client) -> None:
    make = client.make
    make("PUT", "/v1/site", SITE)
    for farm, title, county, street, latitude, longitude, colour, description in FARMS:
        if farm != "loma":
            make("POST", "/v1/farms", {"farm": farm, "title": title, "zone": "America/New_York"})
            make("POST", "/v1/plots", {"farm": farm, "plot": f"{farm}-1", "title": f"{title}, garden"})
        photo = {"picture": make("POST", "/v1/media", picture(*colour))["sha256"]} if colour else {}
        until_taken(client, "PUT", f"/v1/directory/{farm}", {
            "title": title, "county": county, "region": "Tennessee", "street": street, "latitude": latitude,
            "longitude": longitude, "telephone": "+1 423 555 0142", "website": f"https://{farm}.example",
            "description": description, "hasGoods": farm == "stone"} | photo)
    for number, (product, farm, title, unit, category, cents, free, colour) in enumerate(GOODS, 1):
        plot = "well" if farm == "loma" else f"{farm}-1"
        put_up_for_sale(client, f"L-{number}", plot, title, f"2026-07-{11 + number:02}T06:30:00.000000Z", free + 4)
        photo = {"picture": make("POST", "/v1/media", picture(*colour))["sha256"]} if colour else {}
        until_taken(client, "POST", "/v1/products", {
            "product": product, "farm": farm, "title": title, "unit": unit, "category": category,
            "description": "Picked the day before you get it."} | photo)
        until_taken(client, "PUT", f"/v1/stock/L-{number}", {"boxes": free})
        until_taken(client, "POST", "/v1/offers", {
            "offer": f"off-{product}", "product": product, "lot": f"L-{number}",
            "price": {"minor": cents, "currency": "USD"}})
    for place, about in PLACES.items():
        until_taken(client, "PUT", f"/v1/pickups/{place}", about)
    # What is sold out is not offered.
    until(lambda: len(pulled(client, "offers")) == len(GOODS) - 1 and len(pulled(client, "pickups")) == 2, 20,
          "the market to reach the gateway")


def put_up_for_sale(client: Client, lot: str, plot: str, product: str, harvested: str, boxes: int) -> None:
    client.make("POST", "/v1/lots", {"lot": lot, "product": product, "plot": plot, "grams": boxes * 1000,
                                     "happened": harvested})
    client.make("POST", f"/v1/lots/{lot}/packings", {"boxes": boxes, "gramsEach": 1000})


def pulled(client: Client, table: str) -> dict[str, dict]:
    """The records of a table as a browser gets them that was never here."""
    told = client.get("/v1/sync")["changes"].get(table, {})
    return {row["id"]: row for row in told.get("created", [])}


# Buyers

def sign_up(farm: Farm, name: str, email: str) -> Client:
    """Makes a buyer's account, and returns the buyer as programs call."""
    answer = Client(farm.port).settle("POST", "/v1/buyers", {"name": name, "email": email, "password": PASSWORD})
    assert answer.status == 201, answer
    return Client(farm.port, session_of(answer))


def place(buyer: Client, wishes: dict[str, int], pickup: str, payment: str = "at-pickup") -> str:
    """Orders products by their offers, and returns the name of the order."""
    lines = [{"offer": f"off-{product}", "quantity": count} for product, count in wishes.items()]
    return buyer.make("POST", "/v1/orders", {"lines": lines, "pickup": pickup, "payment": payment})["order"]


def choose(buyer: Client, order: str, choice: str) -> None:
    """Approves or declines the payment of an order on the provider's page."""
    def page() -> str | None:
        return next((one["page"] for one in buyer.get(f"/v1/orders/{order}")["payments"] if one.get("page")), None)

    address = until(page, 20, f"the page where {order} is paid")
    with urllib.request.urlopen(address, f"choice={choice}".encode()) as answer:
        assert answer.status == 200


def three_orders(farm: Farm) -> list[str]:
    """Bea orders for two places, and pays the third of three orders online."""
    bea = sign_up(farm, "Bea Marin", "bea@buyers.test")
    bea.make("PUT", "/v1/me/contact", {"name": "Bea Marin", "telephone": "+1 423 555 0177"})
    orders = [place(bea, {"tomatoes": 2, "carrots": 3}, "market"), place(bea, {"honey": 1}, "gate"),
              place(bea, {"apples": 1}, "market", "sandbox")]
    choose(bea, orders[2], "approve")
    until(lambda: bea.get(f"/v1/orders/{orders[2]}")["paid"]["minor"] == 1250, 20, "the third order to be paid")
    until(lambda: len(pulled(bea, "orders")) == 3, 20, "the orders to reach the gateway")
    return orders
