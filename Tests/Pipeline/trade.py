"""Traders who continue while services die. Every request has its own key, some are repeated later under the same key,
and they record the expected facts and boxes.
"""

import random
import time
import uuid
from collections import Counter, deque

from client import Answer, Client, until
from farm import Farm
from load import Work
from market import EUROS, Market

#: The market's facts that are counted, and the member that identifies their subject.
NAMED = {
    "order-placed": "order", "order-changed": "order", "order-cancelled": "order", "order-collected": "order",
    "order-recalled": "order", "payment-captured": "order", "cart-held": "buyer", "stock-set": "lot",
    "stock-adjusted": "lot", "lot-blocked": "lot", "product-listed": "product", "offer-published": "offer",
    "offer-repriced": "offer",
}
#: The boxes of a lot: few enough that buyers compete.
BOXES = 120
#: The number of requests that can be repeated.
REMEMBERED = 200


class Trade(Work):
    """Buyers who compete for few boxes, and a farmer who brings more."""

    def __init__(self, farm: Farm, buyers: int = 4):
        super().__init__(farm)
        self.market = Market(farm, 1, buyers + 1)
        self.buyers = [Client(farm.port, session) for session in self.market.buyers]
        self.people = [client.get("/v1/me")["person"] for client in self.buyers]
        #: The expected state at the end: the acknowledged facts, and the boxes of each lot.
        self.told = facts(farm.replay("catalog-orders/farm-0"))
        self.packed, self.boxes, self.ordered = Counter({"BOX-1": 1}), Counter({"BOX-1": 1}), Counter()
        #: The goods on sale, and the orders ready for collection.
        self.offers: deque[str] = deque(maxlen=2)
        self.waiting: deque[tuple[str, str, int]] = deque()
        #: The number of responses, of sold-out responses, and of repeated responses.
        self.count = self.refused = self.repeated = 0
        #: The seconds after which missing facts are an error.
        self.patience = 60.0
        self.remembered = {number: deque(maxlen=REMEMBERED) for number in range(buyers + 1)}
        self.chance = random.Random(20261122)
        self.add(self.buy, buyers)
        self.add(self.bring, 1)

    # Asking

    def ask(self, number: int, client: Client, method: str, path: str, body: dict | None = None) -> Answer:
        key = uuid.uuid4().hex
        answer = client.settle(method, path, body, key=key)
        self.remembered[number].append((client, method, path, body, key, answer))
        return answer

    def ask_again(self, number: int) -> None:
        client, method, path, body, key, first = self.chance.choice(list(self.remembered[number]))
        again = client.settle(method, path, body, key=key)
        assert (again.status, again.body) == (first.status, first.body), f"{path} under {key}: {first}, then {again}"
        with self.lock:
            self.repeated += 1

    def note(self, *told: tuple[str, str], lot: str = "", boxes: int = 0, ordered: int = 0) -> None:
        """Records an acknowledged change, and its expected effects."""
        with self.lock:
            self.count += 1
            self.told.update(told)
            self.boxes[lot] += boxes
            self.ordered[lot] += ordered

    def is_taken(self, answer: Answer, *good: int) -> bool:
        """Returns False if the boxes are sold out."""
        assert answer.status in good or (answer.status, answer.json["title"]) == (409, "sold-out"), str(answer)
        with self.lock:
            self.refused += answer.status == 409
        return answer.status != 409

    # Buying

    def buy(self, _: Client, number: int, turn: int) -> None:
        client = self.buyers[number]
        if not self.offers:
            until(lambda: self.offers or self.stopping.is_set(), 60, "the first lot")
            return
        if turn % 5 == 4 and self.remembered[number]:
            self.ask_again(number)
        lot, boxes = self.chance.choice(list(self.offers)), 1 + turn % 2
        order = self.order(number, client, lot, boxes, by_cart=turn % 4 == 3)
        if not order:
            return
        if turn % 4 == 1:
            changed = self.ask(number, client, "PUT", f"/v1/orders/{order}", {"lines": lines(lot, 3)})
            if self.is_taken(changed, 200):
                self.note(("order-changed", order), lot=lot, ordered=3 - boxes)
                boxes = 3
        if turn % 4 == 2:
            answer = self.ask(number, client, "POST", f"/v1/orders/{order}/cancellations")
            assert answer.status == 200, f"cancellation: {answer}"
            self.note(("order-cancelled", order), lot=lot, ordered=-boxes)
        else:
            self.waiting.append((order, lot, boxes))

    def order(self, number: int, client: Client, lot: str, boxes: int, by_cart: bool = False) -> str | None:
        wish = {"lines": lines(lot, boxes), "pickup": "barn"}
        if by_cart:
            held = self.ask(number, client, "PUT", "/v1/cart", {"lines": wish.pop("lines")})
            if not self.is_taken(held, 200):
                return None
            self.note(("cart-held", self.people[number]))
        answer = self.ask(number, client, "POST", "/v1/orders", wish)
        # Boxes in a cart are reserved.
        if not self.is_taken(answer, 201):
            assert not by_cart, str(answer)
            return None
        order = answer.json["order"]
        self.note(("order-placed", order), lot=lot, ordered=boxes)
        return order

    # Bringing

    def bring(self, staff: Client, _: int, turn: int) -> None:
        """Brings a lot of boxes, packed in two steps; a few are sold by hand. Every fifth is recalled at once."""
        # The last buyer buys for the farmer what is recalled then.
        number = len(self.buyers) - 1
        lot = f"LOT-{turn}"
        is_recalled = turn % 5 == 4
        staff.make("POST", "/v1/lots", {"lot": lot, "product": "Pears", "plot": "p1", "grams": 1_000_000})
        for _ in range(2):
            staff.make("POST", f"/v1/lots/{lot}/packings", {"boxes": BOXES // 2, "gramsEach": 5000})
        self.packed[lot] = BOXES
        # The market rejects the stock until it has consumed all packings, and stores that under the key: each attempt
        # has its own.
        until(lambda: self.ask(number, staff, "PUT", f"/v1/stock/{lot}", {"boxes": BOXES}).status == 200, 60,
              f"{lot} to be known")
        self.note(("stock-set", lot), lot=lot, boxes=BOXES)
        product = {"product": lot, "farm": "sonnhof", "title": "Pears", "unit": "box"}
        assert self.ask(number, staff, "POST", "/v1/products", product).status == 201
        self.note(("product-listed", lot))
        offer = {"offer": lot, "product": lot, "lot": lot, "price": EUROS}
        assert self.ask(number, staff, "POST", "/v1/offers", offer).status == 201
        self.note(("offer-published", lot))
        if is_recalled:
            self.recall(staff, number, lot)
        else:
            self.offers.append(lot)
        self.adjust(staff, number, lot)
        self.ask_again(number)
        for _ in range(min(len(self.waiting), BOXES // 4)):
            self.collect(staff, number, *self.waiting.popleft())

    def adjust(self, staff: Client, number: int, lot: str) -> None:
        sold = {"by": -2, "reason": "sold at the gate"}
        answer = self.ask(number, staff, "POST", f"/v1/stock/{lot}/adjustments", sold)
        if answer.status == 200:
            self.note(("stock-adjusted", lot), lot=lot, boxes=-2)
        else:
            assert answer.status == 409 and answer.json["title"] in ("promised", "recalled"), str(answer)
        price = EUROS | {"minor": 1500}
        assert self.ask(number, staff, "PUT", f"/v1/offers/{lot}/price", {"price": price}).status == 200
        self.note(("offer-repriced", lot))

    def collect(self, staff: Client, number: int, order: str, lot: str, boxes: int) -> None:
        answer = self.ask(number, staff, "POST", f"/v1/sales/{order}/collections")
        assert answer.status == 201, f"collection: {answer}"
        self.note(("order-collected", order), ("payment-captured", order), lot=lot, boxes=-boxes, ordered=-boxes)

    def recall(self, staff: Client, number: int, lot: str) -> None:
        """Recalls a lot; the market must act on it once: one order is collected already, another one is cancelled."""
        client = self.buyers[number]
        home, off = (self.order(number, client, lot, 1) for _ in range(2))
        assert home and off, f"{lot} could not be ordered twice"
        self.collect(staff, number, home, lot, 1)
        staff.make("POST", f"/v1/lots/{lot}/recalls", {"reason": "glass in a box"})
        until(lambda: self.settled(client, off) == "cancelled", 60, f"the order of {lot} to be cancelled")
        self.note(("lot-blocked", lot), ("order-recalled", home), ("order-recalled", off), ("order-cancelled", off),
                  lot=lot, ordered=-1)

    @staticmethod
    def settled(client: Client, order: str) -> str:
        answer = client.settle("GET", f"/v1/orders/{order}")
        assert answer.status == 200, str(answer)
        return answer.json["state"]

    # Counting

    def tally(self) -> dict[str, int]:
        """Checks that every acknowledged fact is in the hub once and no other, and that the boxes are as recorded."""
        end = time.monotonic() + self.patience
        while "lost" in (found := faults(self.told, self.farm.replay())) and time.monotonic() < end:
            pass
        assert not found, found
        rows = {row["lot"]: row for row in self.market.staff.items("/v1/stock")}
        for lot, packed in self.packed.items():
            assert (row := rows.get(lot)), f"{lot}: no stock is told of it"
            wanted = (packed, self.boxes[lot], self.ordered[lot], 0)
            assert (row["packed"], row["boxes"], row["ordered"], row["held"]) == wanted, f"{lot}: {row}, not {wanted}"
        counts = Counter(fact for fact, _ in self.told.elements())
        return {fact: counts[fact] for fact in ("order-placed", "stock-adjusted", "order-recalled")} | {
            "facts": self.told.total(), "sold out": self.refused, "asked again": self.repeated}


def lines(lot: str, boxes: int) -> list[dict]:
    return [{"offer": lot, "quantity": boxes}]


def facts(events: list[dict]) -> Counter:
    """Returns the number of the market's facts, by kind and subject."""
    return Counter((fact(event), event["data"][NAMED[fact(event)]]) for event in events if fact(event) in NAMED)


def fact(event: dict) -> str:
    return event["type"].split(".")[-2] if event["source"].startswith("/catalog-orders/") else ""


def faults(told: Counter, events: list[dict]) -> dict[str, list]:
    """Returns lost facts, unexpected ones, and sales without stock."""
    found = facts(events)
    wrong = {"lost": list(told - found)[:5], "doubled": list(found - told)[:5], "oversold": oversold(events)[:5]}
    return {name: which for name, which in wrong.items() if which}


def oversold(events: list[dict]) -> list[str]:
    """Returns orders and carts that took a box that was not in stock or was reserved for another buyer."""
    free, taken, found = Counter(), {}, []

    def take(holder: str, some: list[dict]) -> None:
        free.update(taken.pop(holder, {}))
        taken[holder] = {line["lot"]: line["boxes"] for line in some}
        free.subtract(taken[holder])
        found.extend(holder for lot in taken[holder] if free[lot] < 0)

    for event in events:
        data = event["data"]
        match fact(event):
            case "stock-set": free[data["lot"]] += data["boxes"]
            case "stock-adjusted": free[data["lot"]] += data["by"]
            case "cart-held": take(data["buyer"], data["lines"])
            case "cart-released": take(data["buyer"], [])
            case "order-placed" | "order-changed": take(data["order"], data["lines"])
            case "order-cancelled": take(data["order"], [])
    return found
