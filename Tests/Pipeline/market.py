"""A market for tests: a farm with a packed lot of boxes for sale, and new buyers."""

import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from client import Client
from farm import Farm, session_of

PRICE = 1290
EUROS = {"minor": PRICE, "currency": "EUR"}


def put_up_for_sale(staff: Client, boxes: int) -> None:
    """Creates a harvested and packed lot of an existing farm and plot, and its offer."""
    staff.make("POST", "/v1/lots",
               {"lot": "BOX-1", "product": "Tomatoes", "plot": "p1", "grams": max(1_000_000, 10_000 * boxes)})
    staff.make("POST", "/v1/lots/BOX-1/packings", {"boxes": boxes, "gramsEach": 5000})
    staff.make("PUT", "/v1/stock/BOX-1", {"boxes": boxes})
    staff.make("PUT", "/v1/pickups/barn", {"title": "At the barn", "farm": "sonnhof"})
    staff.make("POST", "/v1/products", {"product": "tomatoes", "farm": "sonnhof", "title": "Tomatoes", "unit": "box"})
    staff.make("POST", "/v1/offers", {"offer": "tomatoes-1", "product": "tomatoes", "lot": "BOX-1", "price": EUROS})


def sign_up(farm: Farm, number: int) -> str:
    """Returns the session of a new buyer."""
    answer = Client(farm.port).settle(
        "POST", "/v1/buyers",
        {"name": f"Buyer {number}", "email": f"buyer{number}@buyers.test", "password": "battery staple"})
    assert answer.status == 201, answer
    return session_of(answer)


class Market:
    """A farm with goods for sale, and its buyers."""

    def __init__(self, farm: Farm, boxes: int, buyers: int):
        self.farm = farm
        self.staff = farm.claim()
        make = self.staff.make
        make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
        make("POST", "/v1/plots", {"farm": "sonnhof", "plot": "p1", "title": "Plot 1"})
        put_up_for_sale(self.staff, boxes)
        with ThreadPoolExecutor(8) as pool:
            self.buyers = list(pool.map(lambda number: sign_up(farm, number), range(buyers)))

    def stock(self) -> dict:
        return {row["lot"]: row for row in self.staff.items("/v1/stock")}["BOX-1"]

    def events(self, fact: str) -> list[dict]:
        return [event for event in self.farm.replay("catalog-orders/farm-0")
                if event["type"] == f"farm.furrow.orders.{fact}.v1"]


class Crowd:
    """Many clients that want one box each, with a key of their own, and repeat the request until they get a response.
    """

    def __init__(self, market: Market, count: int):
        self.market = market
        self.keys = [uuid.uuid4().hex for _ in range(count)]
        self.answers: dict[str, tuple[int, dict]] = {}
        self.failures: list[str] = []
        #: The number of requests.
        self.asked = 0
        self.gate = threading.Barrier(count + 1)
        self.threads = [threading.Thread(target=self.want, args=(number,)) for number in range(count)]

    def start(self) -> "Crowd":
        threading.stack_size(256 * 1024)
        for thread in self.threads:
            thread.start()
        threading.stack_size(0)
        self.gate.wait()
        return self

    def want(self, number: int) -> None:
        client = Client(self.market.farm.port, self.market.buyers[number % len(self.market.buyers)])
        key = self.keys[number]
        self.gate.wait()
        try:
            self.answers[key] = self.ask(client, key)
        except Exception as error:
            self.failures.append(repr(error))
        finally:
            client.hang_up()

    def ask(self, client: Client, key: str) -> tuple[int, dict]:
        self.asked += 1
        answer = client.settle("POST", "/v1/orders", self.wish(), key=key, seconds=240)
        return answer.status, answer.json

    @staticmethod
    def wish() -> dict:
        return {"lines": [{"offer": "tomatoes-1", "quantity": 1}], "pickup": "barn"}

    def join(self, seconds: float = 300) -> "Crowd":
        end = time.monotonic() + seconds
        for thread in self.threads:
            thread.join(max(0.0, end - time.monotonic()))
        assert not self.failures, self.failures[:3]
        assert len(self.answers) == len(self.keys), f"{len(self.answers)} of {len(self.keys)} answered"
        return self

    def statuses(self) -> Counter:
        return Counter(status for status, _ in self.answers.values())
