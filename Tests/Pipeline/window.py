"""Shoppers who order, and read their shelves until the order is shown. A recommender that is killed must show the same
ever after, and the same log gives the same model in any process.
"""

from datetime import datetime

from client import Client, until
from farm import Farm
from load import Work
from market import EUROS, Market

ORIGIN = "recommender/farm-0"
#: As many as fit on one shelf.
PRODUCTS = [f"PEARS-{number}" for number in range(10)]
#: The most boxes that a lot may have.
BOXES = 1000


class Window(Work):
    """Records what each shopper was shown, and each model."""

    def __init__(self, farm: Farm, shoppers: int = 6):
        super().__init__(farm)
        market = Market(farm, 1, shoppers)
        for product in PRODUCTS:
            self.put_up(market.staff, product)
        self.shoppers = [Client(farm.port, session) for session in market.buyers]
        self.told: list[dict[str, datetime]] = [{} for _ in self.shoppers]
        self.reached = [0] * shoppers
        self.models: dict[int, str] = {}
        #: The time of each order, as the shelf shows it.
        self.orders: dict[str, datetime] = {}
        self.looks = 0
        #: The seconds after which a missing order is an error.
        self.patience = 60.0
        self.add(self.shop, shoppers)

    @staticmethod
    def put_up(staff: Client, product: str) -> None:
        staff.make("POST", "/v1/lots", {"lot": product, "product": "Pears", "plot": "p1", "grams": 10_000_000})
        staff.make("POST", f"/v1/lots/{product}/packings", {"boxes": BOXES, "gramsEach": 5000})
        until(lambda: staff.settle("PUT", f"/v1/stock/{product}", {"boxes": BOXES}).status == 200, 20,
              f"{product} to be known")
        staff.make("POST", "/v1/products", {"product": product, "farm": "sonnhof", "title": product, "unit": "box"})
        staff.make("POST", "/v1/offers", {"offer": product, "product": product, "lot": product, "price": EUROS})

    @property
    def count(self) -> int:
        """The number of orders that their shopper has found on the shelf."""
        return len(self.orders)

    def shop(self, _: Client, number: int, turn: int) -> None:
        client, product = self.shoppers[number], PRODUCTS[(turn + number) % len(PRODUCTS)]
        wish = {"lines": [{"offer": product, "quantity": 1}], "pickup": "barn"}
        answer = client.settle("POST", "/v1/orders", wish)
        assert answer.status == 201, f"order: {answer}"
        before = self.told[number].get(product)
        until(lambda: self.look(number, product) != before, self.patience, f"{product} on the shelf", pause=0.01)
        with self.lock:
            self.orders[answer.json["order"]] = self.told[number][product]

    def look(self, number: int, ordered: str | None = None) -> datetime | None:
        """Returns the shopper's last purchase time of a product; everything else on the shelf must be as before."""
        answer = self.shoppers[number].settle("GET", "/v1/shelves")
        assert answer.status == 200, f"shelves: {answer}"
        shelf = bought(answer.json)
        model = answer.json.get("model")
        with self.lock:
            self.looks += 1
            wrong = taken_back(self.told[number], shelf, ordered)
            if answer.json["hubPosition"] < self.reached[number]:
                wrong.append(f"it was at {self.reached[number]}, and is at {answer.json['hubPosition']}")
            if model and self.models.setdefault(model["hubPosition"], model["digest"]) != model["digest"]:
                wrong.append(f"at {model['hubPosition']} there were two models")
            assert not wrong, wrong
            self.reached[number] = answer.json["hubPosition"]
            self.told[number] |= shelf
        return shelf.get(ordered or "")

    def tally(self) -> dict[str, int]:
        """Checks that the found orders are those of the hub, each once, and that rebuilt tables give the same shelves.
        """
        placed = [(event["data"]["order"], moment(event["time"])) for event in self.farm.replay()
                  if event["type"] == "farm.furrow.orders.order-placed.v1"]
        assert sorted(placed) == sorted(self.orders.items()), f"{len(placed)} orders, found {len(self.orders)}"
        shelves = self.shelves()
        self.farm.furrow("rebuild", ORIGIN.split("/")[0], "--switch")
        self.farm.kill(ORIGIN)
        assert self.shelves() == shelves
        return {"orders": len(placed), "looks": self.looks, "models": len(self.models)}

    def shelves(self) -> list[dict]:
        """Returns all shelves once the model includes every consumed event."""
        def settled(client: Client) -> dict | None:
            answer = client.settle("GET", "/v1/shelves").json
            return answer if answer.get("model", {}).get("hubPosition") == answer["hubPosition"] else None

        return [until(lambda: settled(client), 60, "a model of all consumed events") for client in self.shoppers]


def bought(answer: dict) -> dict[str, datetime]:
    """Returns what a buyer bought before, with the last time of each."""
    return {item["product"]: moment(item["last"]) for shelf in answer["shelves"] if shelf["shelf"] == "again"
            for item in shelf["items"]}


def taken_back(told: dict[str, datetime], shelf: dict[str, datetime], ordered: str | None) -> list[str]:
    """Returns what a shelf shows differently than before; only new orders may be added or make an item more recent."""
    wrong = []
    for product in sorted(told.keys() | shelf.keys()):
        before, now = told.get(product), shelf.get(product)
        is_news = product == ordered and now is not None and (before is None or now > before)
        if now != before and not is_news:
            wrong.append(f"{product} was bought at {before}, and now at {now}")
    return wrong


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
