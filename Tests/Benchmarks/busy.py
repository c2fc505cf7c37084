#!/usr/bin/env python3
"""Measures what buyers and growers notice of a hostile client and of a crowd, on one farm server.

Tests/Benchmarks/busy.py [--programs DIR] [--json]

Each client has an address of its own in 127.0.0.0/8. The clients run on the same processors as the farm server.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Pipeline"))

HALF_OPEN, READERS, STREAMS, ORDERS, SCANS, GUESSES = 600, 64, 1000, 200, 40, 1000


class Caller:
    """A client with one kept-alive connection, from its own address."""

    def __init__(self, port: int, address: str, token: str | None = None):
        self.port, self.address, self.token = port, address, token
        self.socket: socket.socket | None = None

    def connect(self) -> socket.socket:
        made = socket.socket()
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.bind((self.address, 0))
        made.settimeout(60)
        made.connect(("127.0.0.1", self.port))
        return made

    def send(self, method: str, path: str, body: dict | None = None) -> None:
        self.socket = self.socket or self.connect()
        data = b"" if body is None else json.dumps(body).encode()
        head = [f"{method} {path} HTTP/1.1", "Host: farm"]
        if self.token:
            head.append(f"Authorization: Bearer {self.token}")
        if method != "GET":
            head += [f"Idempotency-Key: {uuid.uuid4().hex}", "Content-Type: application/json",
                     f"Content-Length: {len(data)}"]
        self.socket.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + data)

    def call(self, method: str, path: str, body: dict | None = None) -> tuple[int, bytes]:
        """Returns status and body of a response with a length."""
        self.send(method, path, body)
        held = b""
        while b"\r\n\r\n" not in held:
            held += self.more()
        head, held = held.split(b"\r\n\r\n", 1)
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        while len(held) < int(fields.get(b"content-length", b"0")):
            held += self.more()
        return int(head.split()[1]), held

    def more(self) -> bytes:
        got = self.socket.recv(1 << 16)
        if not got:
            raise ConnectionError("closed")
        return got

    def timed(self, *words) -> float:
        """Returns the milliseconds of a successful call."""
        began = time.perf_counter()
        status, body = self.call(*words)
        took = (time.perf_counter() - began) * 1000
        assert status < 300, f"{words[:2]}: {status} {body[:200]!r}"
        return took


def shown(times: list[float]) -> dict:
    times = sorted(times)
    return {"calls": len(times), "p50ms": round(statistics.median(times), 1),
            "p99ms": round(times[min(len(times) - 1, int(len(times) * 0.99))], 1), "maxms": round(times[-1], 1)}


class Measurements:
    def __init__(self, market):
        self.market, self.farm, self.port = market, market.farm, market.farm.port
        self.buyer = Caller(self.port, "127.0.0.21", market.buyers[0])

    def orders(self) -> dict:
        from market import Crowd

        return shown([self.buyer.timed("POST", "/v1/orders", Crowd.wish()) for _ in range(ORDERS)])

    def half_open(self) -> dict:
        """One address holds many incomplete requests while other clients read."""
        stopping, opened = threading.Event(), []

        def attack() -> None:
            while not stopping.is_set():
                alive = []
                for one in opened:
                    try:
                        one.sendall(b"a")
                        alive.append(one)
                    except OSError:
                        one.close()
                opened[:] = alive
                while len(opened) < HALF_OPEN and not stopping.is_set():
                    made = socket.socket()
                    try:
                        made.bind(("127.0.0.66", 0))
                        made.connect(("127.0.0.1", self.port))
                        made.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
                        opened.append(made)
                    except OSError:
                        made.close()
                        break
                stopping.wait(0.2)

        thread = threading.Thread(target=attack)
        thread.start()
        time.sleep(2)
        times = []
        for number in range(300):
            # Each read uses a new connection, because half-open ones use these up.
            times.append(Caller(self.port, f"127.0.1.{number % 200 + 1}").timed("GET", "/v1/counties"))
        stopping.set()
        thread.join()
        for one in opened:
            one.close()
        return shown(times)

    def readers(self) -> dict:
        """Anonymous readers of the list of products, each from its own address, beside a buyer who orders."""
        stopping, counts = threading.Event(), []

        def read(number: int) -> None:
            caller, count = Caller(self.port, f"127.0.2.{number + 1}"), 0
            while not stopping.is_set():
                count += caller.call("GET", "/v1/products")[0] == 200
            counts.append(count)

        threads = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
        for thread in threads:
            thread.start()
        time.sleep(2)
        began = time.monotonic()
        found = self.orders()
        took = time.monotonic() - began
        stopping.set()
        for thread in threads:
            thread.join()
        return found | {"reads": sum(counts), "seconds": round(took, 1)}

    def streams(self) -> dict:
        """Anonymous clients that wait for changes."""
        gateway = self.farm.pid("sync-gateway/farm-0")
        before, callers = resident(gateway), []
        for number in range(STREAMS):
            caller = Caller(self.port, f"127.0.{3 + number // 200}.{number % 200 + 1}")
            caller.send("GET", "/v1/sync/live")
            callers.append(caller)
        accepted = sum(b" 200 " in caller.more() for caller in callers)
        time.sleep(2)
        after = resident(gateway)
        took = self.buyer.timed("GET", "/v1/counties")
        for caller in callers:
            caller.socket.close()
        return {"accepted": accepted, "beforeMB": before, "afterMB": after, "readms": round(took, 1)}

    def scans(self) -> dict:
        """The first scan of a story after each change of the lot."""
        staff, times = Caller(self.port, "127.0.0.31", self.market.staff.token), []
        stranger = Caller(self.port, "127.0.0.32")
        for number in range(SCANS):
            lot = f"SCAN-{number}"
            staff.timed("POST", "/v1/lots", {"lot": lot, "product": "Tomatoes", "plot": "p1", "grams": 10_000})
            staff.timed("POST", f"/v1/lots/{lot}/packings", {"boxes": 2, "gramsEach": 1000})
            staff.timed("POST", f"/v1/lots/{lot}/labels", {})
            times.append(stranger.timed("GET", f"/v1/lots/{lot}/passport"))
        return shown(times)

    def guesses(self) -> dict:
        """Wrong passwords for the administrator's account from one network, beside the owner's sign-ins."""
        from farm import ADMINISTRATOR

        credentials = {"email": ADMINISTRATOR["email"], "password": ADMINISTRATOR["password"]}
        left, lock, statuses = [GUESSES], threading.Lock(), {}

        def guess() -> None:
            caller = Caller(self.port, "127.0.9.9")
            while True:
                with lock:
                    if left[0] == 0:
                        return
                    left[0] -= 1
                status, _ = caller.call("POST", "/v1/sessions", credentials | {"password": f"guess {left[0]} word"})
                with lock:
                    statuses[status] = statuses.get(status, 0) + 1

        threads = [threading.Thread(target=guess) for _ in range(16)]
        for thread in threads:
            thread.start()
        owner, times = Caller(self.port, "127.0.8.8"), []
        while any(thread.is_alive() for thread in threads):
            times.append(owner.timed("POST", "/v1/sessions", credentials))
            time.sleep(0.5)
        return shown(times) | {"guesses": {str(status): count for status, count in sorted(statuses.items())}}


def resident(pid: int) -> float:
    """Megabytes (10^6 bytes)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return round(int(line.split()[1]) * 1024 / 1e6, 1)
    raise AssertionError(f"/proc/{pid}/status has no VmRSS")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=str(ROOT / ".build" / "release"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ["FURROW_PROGRAMS"] = options.programs
    from farm import Farm
    from market import Market

    farm = Farm()
    try:
        measurements = Measurements(Market(farm.start(), boxes=1000, buyers=1))
        rows = {}
        for name, measure in [
            ("orders, nothing else", measurements.orders),
            (f"orders beside {READERS} anonymous readers", measurements.readers),
            (f"reads beside {HALF_OPEN} half-open requests of one address", measurements.half_open),
            (f"{STREAMS} idle anonymous streams", measurements.streams),
            ("first scan of a changed story", measurements.scans),
            (f"sign-ins of the owner beside {GUESSES} wrong passwords", measurements.guesses),
        ]:
            rows[name] = measure()
            if not options.json:
                print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in rows[name].items()), flush=True)
        if options.json:
            print(json.dumps(rows, indent=1))
    finally:
        farm.destroy()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(str(error))
