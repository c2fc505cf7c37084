#!/usr/bin/env python3
"""Measures suggestions: their quality on public data sets, and a farm server with a large catalogue and many shoppers.

Tests/Benchmarks/suggestions.py [--programs DIR] [--only quality|scale] [--people N] [--products N] [--json]

Quality needs the data sets beside the repository; the rows of other recommenders are computed in the same run, by numpy
and by PyPI's `implicit`.
"""

import argparse
import datetime
import itertools
import json
import os
import random
import re
import select
import subprocess
import sys
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "Pipeline"), str(ROOT / "Tests" / "Benchmarks")]

CONNECTIONS, REQUESTS, BATCH, LINES = 16, 20_000, 200, 5


class Load:
    """Requests over several connections, from one thread: the clients share the farm server's processors."""

    def __init__(self, port: int, token: str | None):
        from busy import Caller

        self.callers = {}
        for number in range(CONNECTIONS):
            caller = Caller(port, f"127.0.3.{number + 1}", token)
            caller.socket = caller.connect()
            self.callers[caller.socket.fileno()] = caller

    def run(self, paths: list[str], rate: float = 0) -> list[float]:
        """Returns the milliseconds of each request, at most `rate` of them begun per second, or as many as possible."""
        poll, times, begun, held = select.epoll(), [], {}, {}
        waiting, free, start, sent = iter(paths), list(self.callers.values()), time.perf_counter(), 0
        for number in self.callers:
            poll.register(number, select.EPOLLIN)
        while len(times) < len(paths):
            while free and sent < len(paths) and (not rate or time.perf_counter() >= start + sent / rate):
                self.send(free.pop(0), next(waiting), begun, held)
                sent += 1
            for number, _ in poll.poll(0.0002 if rate and free else 30):
                caller = self.callers[number]
                held[number] += caller.more()
                head, mark, body = held[number].partition(b"\r\n\r\n")
                if not mark:
                    continue
                length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
                if len(body) < length:
                    continue
                times.append((time.perf_counter() - begun.pop(number)) * 1000)
                assert head.startswith(b"HTTP/1.1 200"), head[:200] + body[:300]
                free.append(caller)
        return times

    def send(self, caller, path: str, begun: dict, held: dict) -> None:
        number = caller.socket.fileno()
        held[number] = b""
        begun[number] = time.perf_counter()
        caller.send("GET", path)


class Scale:
    """A farm server whose shop lists many products, with the past orders of many people."""

    def __init__(self, people: int, products: int):
        self.people, self.products = people, products
        self.random = random.Random(28)

    def orders(self):
        """Yields past orders in the order of their times: people prefer their own products, and popular ones."""
        weights = list(itertools.accumulate(1 / (rank + 10) for rank in range(self.products)))
        own = [self.random.choices(range(self.products), cum_weights=weights, k=12) for _ in range(self.people)]
        count = self.people * 6
        start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
        for number in range(count):
            person = self.random.randrange(self.people)
            chosen = {self.random.choice(own[person]) for _ in range(LINES - 1)}
            chosen |= set(self.random.choices(range(self.products), cum_weights=weights, k=LINES + 1 - len(chosen)))
            placed = start + datetime.timedelta(seconds=number * 300 * 86_400 / count)
            yield {"order": f"past-{number}", "buyer": who(person), "placed": placed.strftime("%Y-%m-%dT%H:%M:%SZ"),
                   "lines": [{"product": f"item-{item:05}", "quantity": 1} for item in sorted(chosen)]}

    def measure(self) -> dict:
        from busy import resident, shown
        from client import until
        from farm import Farm

        farm = Farm()
        try:
            farm.start()
            client = farm.claim()
            self.stock(client)
            found: dict = {"people": self.people, "products": self.products}
            before = {name: processor(service["pid"]) for name, service in farm.services.items()}
            # What the farm server needs is measured, not what making up the orders takes.
            orders = list(self.orders())
            count, lines = len(orders), sum(len(one["lines"]) for one in orders)
            began = time.monotonic()
            for start in range(0, count, BATCH):
                client.make("POST", "/v1/orders/imports", {"orders": orders[start:start + BATCH]})
            posted = time.monotonic() - began

            until(lambda: client.get("/v1/shelves", limit=1)["hubPosition"] >= count, 1200,
                  "every order in the recommender", pause=0.2)
            until(lambda: client.get("/v1/shelves", limit=1).get("model"), 60, "a model", pause=0.2)
            took = time.monotonic() - began
            found |= {"orders": count, "lines": lines, "postedPerSecond": round(count / posted),
                      "learntPerSecond": round(count / took)}
            found["importProcessorMs"] = {
                name: round((processor(service["pid"]) - before[name]) * 1000 / count, 3)
                for name, service in farm.services.items()}
            load = Load(farm.port, client.token)
            paths = [f"/v1/shelves?person={who(self.random.randrange(self.people))}" for _ in range(REQUESTS)]
            load.run(paths[:2000])
            before = {name: processor(service["pid"]) for name, service in farm.services.items()}
            began = time.monotonic()
            times = load.run(paths)
            found["requestsPerSecond"] = round(len(times) / (time.monotonic() - began))
            spent = {name: round((processor(service["pid"]) - before[name]) * 1000 / len(times), 3)
                     for name, service in farm.services.items()}
            found["processorMs"] = {name: each for name, each in spent.items() if each > 0.01}
            found["saturated"] = shown(times)
            found["half"] = shown(load.run(paths, found["requestsPerSecond"] / 2))
            found["recommenderMB"] = resident(farm.pid("recommender/farm-0"))
            found["freshSeconds"] = self.fresh(client)
            farm.kill("recommender/farm-0")
            began = time.monotonic()
            until(lambda: client.call("GET", "/v1/shelves").status == 200, 120, "the recommender again", pause=0.1)
            found["restartSeconds"] = round(time.monotonic() - began, 2)
            until(lambda: client.get("/v1/shelves").get("model"), 120, "the model again", pause=0.2)
            found["restartedMB"] = resident(farm.pid("recommender/farm-0"))
            return found
        finally:
            farm.destroy()

    def fresh(self, client) -> float:
        """Returns the median seconds until an order is on its buyer's shelf."""
        from client import until

        seconds = []
        for number in range(9):
            person, product = str(uuid.uuid4()), f"item-{self.products - 1 - number:05}"
            began = time.monotonic()
            client.make("POST", "/v1/orders/imports", {"orders": [
                {"order": f"fresh-{number}", "buyer": person, "placed": "2026-11-01T10:00:00Z",
                 "lines": [{"product": product, "quantity": 1}]}]})

            def again(who=person):
                shelves = client.get("/v1/shelves", person=who)["shelves"]
                return [item["product"] for shelf in shelves if shelf["shelf"] == "again" for item in shelf["items"]]
            until(lambda expected=product: expected in again(), 10, "the order", pause=0.005)
            seconds.append(time.monotonic() - began)
        return round(sorted(seconds)[len(seconds) // 2], 3)

    def stock(self, client) -> None:
        from client import until

        client.make("POST", "/v1/farms", {"farm": "f1", "title": "Grocer", "zone": "UTC"})
        client.make("POST", "/v1/plots", {"farm": "f1", "plot": "p1", "title": "Field"})
        lots = [f"L{number}" for number in range(self.products // 50)]
        for lot in lots:
            client.make("POST", "/v1/lots", {"lot": lot, "product": "Fresh food", "plot": "p1", "grams": 1_000_000})
            client.make("POST", f"/v1/lots/{lot}/packings", {"boxes": 1000, "gramsEach": 1000})
        for lot in lots:
            until(lambda one=lot: client.settle("PUT", f"/v1/stock/{one}", {"boxes": 1000}).status == 200, 20,
                  f"the lot {lot} in the market")
        for number in range(self.products):
            product = f"item-{number:05}"
            client.make("POST", "/v1/products", {"product": product, "farm": "f1", "title": product, "unit": "piece"})
            client.make("POST", "/v1/offers", {"product": product, "lot": lots[number % len(lots)],
                                               "price": {"minor": 100, "currency": "EUR"}})


def processor(pid: int) -> float:
    """Returns the processor time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def who(person: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"person {person}"))


def quality() -> dict:
    """Returns recall and nDCG of each recommender on each data set. Ours are printed by the test `QualityTests`."""
    from peers import Peers

    # SwiftPM compiles the test before it runs.
    said = subprocess.run(["swift", "test", "--filter", "QualityTests"], cwd=ROOT, capture_output=True, text=True,
                          timeout=1200)
    ours = dict(re.findall(r"^(\w+(?: discover)?) test: (.*)$", said.stdout, re.M))
    if said.returncode != 0 or not ours:
        raise SystemExit(f"QualityTests failed:\n{said.stdout[-2000:]}{said.stderr[-1000:]}")
    python = Peers(ROOT / ".build" / "benchmarks", "/tmp").venv("numpy", "scipy", "implicit")
    peers = subprocess.run([python, str(ROOT / "Tests" / "Benchmarks" / "next_basket.py")], capture_output=True,
                           text=True, check=True, timeout=3000)
    return {"furrow": ours, **json.loads(peers.stdout)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=str(ROOT / ".build" / "release"))
    parser.add_argument("--only", choices=["quality", "scale"])
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--products", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ["FURROW_PROGRAMS"] = options.programs
    found = {}
    if options.only != "scale":
        found |= quality()
    if options.only != "quality":
        found["scale"] = Scale(options.people, options.products).measure()
    if options.json:
        print(json.dumps(found))
        return 0
    for name, rows in found.items():
        print(name)
        for row, value in rows.items():
            print(f"  {row:24} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
