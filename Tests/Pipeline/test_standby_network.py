"""A farm server whose network dies under load: in a namespace of its own, beside a standby and a third machine.

Whole with `FURROW_NIGHTLY=1`: 20 losses in each way of running.
"""

import json
import os
import subprocess
import threading
import time
import uuid
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

import pytest
from client import Client, until
from farm import Farm
from load import Load, check_hub
from machines import SERVICE, Machines, has_namespaces, inside
from market import Crowd, Market
from nightly import NIGHTLY
from node import Node
from standby import Standby, refusal
from test_farm_client import Phone

pytestmark = pytest.mark.skipif(not has_namespaces(), reason="SKIPPED: this kernel has no network namespaces for us")

TIMES = 20 if NIGHTLY else 1
#: An event is acknowledged when the standby has it, and three machines decide who runs the farm.
AUTOMATIC = ("--synchronous", "--votes")
BY_HAND = ()


@dataclass
class Scene:
    """The machines, and what runs on them."""

    machines: Machines
    standby: Standby
    third: Farm | None = None
    vote: subprocess.Popen | None = None
    orders: dict[str, str] = field(default_factory=dict)

    def end(self) -> None:
        self.standby.end()
        if self.vote:
            self.vote.terminate()
            self.vote.wait(30)


class AtNode(Client):
    """A caller of the node beside the phones."""

    HOST = "127.0.0.1"


class Readers:
    """An app and a node that know the farm by its address, whichever machine runs it."""

    def __init__(self, machines: Machines, port: int, folder: Path):
        farm = f"http://{SERVICE}:{port}"
        self.phone = Phone(farm, folder / f"phone-{port}")
        self.node = Node(folder / f"node-{port}", farm, within=tuple(machines.within("p"))).start()
        assert "error" not in self.phone.does("sign-up", "Bea", "bea@buyers.test", "battery staple")
        assert "error" not in self.phone.does("sync") and "tomatoes" in self.at_node()

    def at_node(self) -> list[str]:
        answer = AtNode(self.node.port).call("GET", "/v1/products")
        return [one["product"] for one in answer.json["items"]] if answer.status == 200 else []

    def go_on(self, staff: Client) -> None:
        """Fails unless both have what is new at the promoted standby."""
        staff.make("POST", "/v1/products", {"product": "beans", "farm": "sonnhof", "title": "Beans", "unit": "box"})
        until(lambda: "error" not in self.phone.does("sync") and "beans" in self.phone.names("products"), 30,
              "the new product in the app", pause=0.3)
        until(lambda: "beans" in self.at_node(), 60, "the new product at the node", pause=0.3)
        self.node.end()


class Buyers:
    """Buyers who order again and again, and repeat a request until it has a response."""

    def __init__(self, port: int, tokens: list[str]):
        self.port = port
        self.placed: dict[str, str] = {}
        self.times: list[float] = []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.order, args=(token,), daemon=True) for token in tokens]
        for thread in self.threads:
            thread.start()

    def order(self, token: str) -> None:
        client, key = Client(self.port, token), uuid.uuid4().hex
        while not self.stopping.is_set():
            try:
                answer = client.call("POST", "/v1/orders", Crowd.wish(), key=key, timeout=3)
            except (OSError, HTTPException):
                continue
            if answer.status == 201:
                self.placed[key] = answer.json["order"]
                self.times.append(time.monotonic())
                key = uuid.uuid4().hex
                # The boxes of the market are to last.
                self.stopping.wait(0.06)

    def end(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join(30)


@pytest.fixture
def scene(own_farm, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(Client, "HOST", SERVICE)
    scenes: list[Scene] = []

    def make(words: tuple[str, ...]) -> tuple[Scene, Market]:
        machines = Machines("a", "b", "c", "p")
        first, second, third = (own_farm(environment={"FURROW_HTTP_ADDRESS": "0.0.0.0"}) for _ in range(3))
        second.port, second.https_port = first.port, first.https_port
        for farm, name in ((first, "a"), (second, "b"), (third, "c")):
            farm.within = machines.within(name)
        machines.serve("a")
        standby = Standby(first.start(), second, tmp_path, (machines.address("a"), machines.address("b")))
        scenes.append(Scene(machines, standby))
        with inside(machines.space("p")):
            market = Market(first, 1_000, 4)
        voting = (f"{machines.address('b')},{machines.address('c')}",) if words == AUTOMATIC else ()
        standby.set_up(*words, *voting)
        if voting:
            scenes[-1].third, scenes[-1].vote = third, vote(first, third, machines.address("c"))
            until((standby.first.home / "standby" / "armed").exists, 60,
                  f"the first vote: {first.logs()}\n{second.logs()}\n{third.logs()}")
        return scenes[-1], market

    yield make
    for one in scenes:
        one.end()
        one.machines.destroy()


def vote(first: Farm, third: Farm, address: str) -> subprocess.Popen:
    """Lets the third machine vote."""
    third.prepare()
    invitation = third.home.parent / "invitation.json.vote"
    invitation.write_bytes((first.home / "invitation.json.vote").read_bytes())
    assert b"password" not in invitation.read_bytes()
    os.chmod(invitation, 0o644)
    third.furrow("standby", "join", str(invitation), "--address", address)
    return third.launch(third.said)


@pytest.mark.parametrize("words", [AUTOMATIC, BY_HAND], ids=["automatic", "by-hand"])
def test_a_farm_whose_servers_network_dies_goes_on_at_its_standby(scene, words, tmp_path):
    lost_in_all, slowest, placed, reported = 0, 0.0, 0, 0
    for _ in range(TIMES):
        on, market = scene(words)
        machines, standby = on.machines, on.standby
        first, second = standby.first, standby.second
        standby.wait_until_good().has_sent_files()
        if words:
            until(lambda standby=standby: standby.status(standby.first)["synchronous"], 30, "the synchronous mode")
        second.token = first.token
        with inside(machines.space("p")):
            buyers = Buyers(first.port, market.buyers)
            load = Load(first, gateways=2, growers=1, takes_over=True).start()
            until(lambda buyers=buyers, load=load: len(buyers.placed) >= 20 and load.count >= 50, 60, "some load")
            readers = Readers(machines, first.port, tmp_path) if words else None
        with inside(machines.space("a")):
            # Somebody beside the farm server, who is cut off with it.
            beside = Buyers(first.port, market.buyers[:1])
        machines.pull("a")
        cut = time.monotonic()
        if words:
            until(lambda standby=standby: "takes over" in standby.said.read_text(), 60, "the standby to take over")
        else:
            standby.burn()
            standby.end()
            assert second.furrow("promote", "--json").returncode == 0
            standby.start()
        machines.serve("b")
        until(lambda buyers=buyers, cut=cut: any(one > cut + 1 for one in buyers.times), 60,
              f"orders at the standby: {standby.said.read_text()}\n{second.logs()}")
        seconds = min(one for one in buyers.times if one > cut + 1) - cut
        # The first machine stopped by itself: nobody beside it was served while the other one was.
        late = [one for one in beside.times if one > cut + seconds]
        beside.end()
        count = len(buyers.placed)
        until(lambda buyers=buyers, count=count: len(buyers.placed) > count + 5, 60, "more orders")
        acknowledged = load.stop()
        buyers.end()
        if readers:
            with inside(machines.space("p")):
                readers.go_on(second.client())
        events = second.replay("catalog-orders/farm-0")
        orders = [event["data"]["order"] for event in events if event["type"] == "farm.furrow.orders.order-placed.v1"]
        missing = set(buyers.placed.values()) - set(orders)
        assert len(orders) == len(set(orders)) and not late
        if words:
            counts = check_hub(second, acknowledged)
            reported += sum(counts.values())
        second.audited()
        # The cable is plugged in again: the first machine does not run the farm.
        machines.plug("a")
        if words:
            until(lambda first=first: first.process.poll() is not None, 60, "the first machine to give up")
        assert "was promoted" in refusal(first)
        listed = first.furrow("standby", "lost", check=False).stdout
        only_there = {order for order in missing if order.encode() in listed}
        print(f"standby: the network died; {len(buyers.placed)} orders and {acknowledged.count} reports, activities, "
              f"lots and people acknowledged, {len(missing)} orders lost, {len(only_there)} of them listed; ordered "
              f"again after {seconds:.1f} s")
        assert only_there == missing
        lost_in_all += len(missing)
        slowest, placed = max(slowest, seconds), placed + len(buyers.placed)
        on.end()
        for farm in (first, second):
            farm.process = None
            farm.destroy()
    print(f"standby: {TIMES} networks died, {placed} orders and {reported} others checked, {lost_in_all} orders lost in "
          f"all, ordered again after {slowest:.1f} s at most")
    assert placed >= 25 * TIMES and slowest <= (30 if words else 60)
    assert not words or lost_in_all == 0 and reported >= 50 * TIMES


def test_a_farm_server_that_is_stopped_by_intent_is_replaced_by_a_person_only(scene):
    on, market = scene(AUTOMATIC)
    machines, standby = on.machines, on.standby
    first, second = standby.first, standby.second
    standby.wait_until_good().has_sent_files()
    refused = second.furrow("promote", check=False)
    assert refused.returncode == 3 and b"runs; stop it first" in refused.stderr, refused

    def found() -> dict[str, str]:
        checks = json.loads(second.furrow("doctor", "--json", check=False).stdout)["checks"]
        return {check["check"]: check["state"] for check in checks}

    until(lambda: found() == {"standby": "ok", "vote": "ok"}, 30, "all three machines to vote", pause=0.5)
    first.stop()
    stopped = time.time()
    state = second.home / "standby" / "vote.json"

    def seen() -> dict:
        """What the standby knows of the vote, once a lease would have ended."""
        return json.loads(state.read_text()) if state.stat().st_mtime > stopped + 12 else {}

    known = until(seen, 40, "the vote after its lease", pause=0.5)
    assert known["holder"] == machines.address("a") and "takes over" not in standby.said.read_text()
    assert second.furrow("standby", "status", check=False).returncode == 1, "the farm server is away"
    done = second.furrow("promote", "--json", check=False)
    assert done.returncode == 0 and b"could not be taken" not in done.stderr, done
    second.start()
    machines.serve("b")
    with inside(machines.space("p")):
        assert Client(second.port, market.buyers[0]).settle("POST", "/v1/orders", Crowd.wish()).status == 201
    until(lambda: json.loads(state.read_text()).get("holder") == machines.address("b"), 40, "the vote to be the standby's")
    assert "was promoted" in refusal(first)
    # The third machine says that one is away, and stops by a command.
    until(lambda: b"Only one other machine votes" in on.third.furrow("standby", "status", check=False).stdout, 40,
          "the third machine to see the standby alone", pause=0.5)
    assert on.third.furrow("stop").returncode == 0
    print(f"standby: stopped by intent, {known['holder']} still had the vote after its lease; promoted by a person")
