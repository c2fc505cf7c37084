"""A farm server that is lost at any moment: its standby goes on, and the old machine does not."""

import hashlib
import json
import random
import threading
import time
import uuid
from pathlib import Path

import pytest
from client import Client, until
from contract_farm import PICTURE as PNG
from farm import Farm
from market import Crowd, Market
from nightly import NIGHTLY
from standby import Standby, query, refusal

#: How often the machine is lost; the nightly run does it as often as it takes to be sure.
TIMES = 20 if NIGHTLY else 1


@pytest.fixture
def pair(own_farm, tmp_path: Path):
    made: list[Standby] = []

    def make() -> Standby:
        made.append(Standby(own_farm().start(), own_farm(), tmp_path))
        return made[-1]

    yield make
    for standby in made:
        standby.end()


class Load:
    """Buyers who order while the machine burns; it knows what was acknowledged."""

    def __init__(self, market: Market):
        self.market = market
        self.acknowledged: dict[str, tuple[str, dict]] = {}
        self.is_over = False
        self.threads = [threading.Thread(target=self.order, args=(token,)) for token in market.buyers]
        for thread in self.threads:
            thread.start()

    def order(self, token: str) -> None:
        client = Client(self.market.farm.port, token)
        while not self.is_over:
            key = uuid.uuid4().hex
            try:
                answer = client.call("POST", "/v1/orders", Crowd.wish(), key=key, timeout=5)
            except OSError:
                return
            except Exception:
                return
            if answer.status == 201:
                self.acknowledged[key] = (token, answer.json)
            time.sleep(0.01)

    def end(self) -> None:
        self.is_over = True
        for thread in self.threads:
            thread.join(20)


def is_served_without_fence(old: Farm) -> bool:
    """The mutant: an old machine that does not know of its standby runs the farm beside it."""
    settings = json.loads((old.home / "standby.json").read_text())
    del settings["peer"]
    (old.home / "standby.json").write_text(json.dumps(settings))
    (old.home / "standby" / "fenced.json").unlink()
    is_served = old.start().client().get("/v1/me")["role"] == "administrator"
    # What it has agrees, too.
    old.audited()
    return is_served


@pytest.mark.parametrize("words", [(), ("--synchronous",)], ids=["asynchronous", "synchronous"])
def test_a_farm_whose_server_is_lost_goes_on_at_its_standby(pair, words):
    lost_in_all, slowest = 0, 0.0
    for number in range(TIMES):
        standby = pair()
        market = Market(standby.first, 1_000, 4)
        standby.set_up(*words)
        # What was there before, and what came after the standby had joined.
        staff = standby.first.sign_in()
        assert staff.call("POST", "/v1/media", PNG).status == 201
        label = staff.make("POST", "/v1/lots/BOX-1/labels", {})["labels"][0]["url"]
        keys = staff.get("/ledger/keys")
        standby.wait_until_good()
        standby.has_sent_files()
        if words:
            until(lambda standby=standby: standby.status(standby.first)["synchronous"], 30, "the synchronous mode")
        load = Load(market)
        time.sleep(1 + random.random())
        before = standby.status(standby.first)
        standby.burn()
        load.end()
        seconds, said = standby.promote()
        new = standby.second
        slowest = max(slowest, seconds)
        # Sessions, keys and pictures are the same.
        assert new.client().get("/ledger/keys")["checkpointKeys"] == keys["checkpointKeys"]
        assert hashlib.sha256(Client(new.port).call("GET", f"/media/{hashlib.sha256(PNG).hexdigest()}").body).digest() \
            == hashlib.sha256(PNG).digest()
        for token in market.buyers:
            assert Client(new.port, token).get("/v1/me")["role"] == "buyer"
        assert new.client().call("GET", label.split("/", 3)[3] and "/v1/lots/BOX-1/passport").status == 200
        # Every order that was acknowledged is there, but for those of the last moment, which are listed.
        placed = [event for event in new.replay("catalog-orders/farm-0")
                  if event["type"] == "farm.furrow.orders.order-placed.v1"]
        numbers = [event["data"]["order"] for event in placed]
        assert len(numbers) == len(set(numbers))
        missing = [answer["order"] for _, answer in load.acknowledged.values() if answer["order"] not in numbers]
        lost_in_all += len(missing)
        # An order that is sent again is the same order, if its response has arrived there.
        repeated = 0
        for key, (token, answer) in list(load.acknowledged.items())[:20]:
            again = Client(new.port, token).settle("POST", "/v1/orders", Crowd.wish(), key=key)
            assert again.status == 201 and again.json["order"] == answer["order"], (again, answer)
            repeated += 1
        new.token = standby.first.token
        new.audited()
        # The old machine returns, and does not run the farm beside the new one.
        said_by_old = refusal(standby.first)
        assert "was promoted" in said_by_old, said_by_old
        listed = standby.first.furrow("standby", "lost", check=False)
        only_there = [line for line in listed.stdout.splitlines() if b"order-placed" in line]
        assert {order for order in missing} == {order for order in missing
                                                if any(order.encode() in line for line in only_there)}
        if not words:
            assert is_served_without_fence(standby.first), "the fence is not what has refused it"
        print(f"standby: {len(load.acknowledged)} orders acknowledged, {len(missing)} lost and listed by the old machine; "
              f"served again after {seconds:.1f} s ({said['seconds']:.1f} s for {said['events']} events and "
              f"{said['files']} files); {repeated} repeated requests had the same response; before: {before}")
        for farm in (new, standby.first):
            farm.destroy()
        assert len(load.acknowledged) >= 50 and repeated >= 20 and seconds <= 60 and number < TIMES
    assert not words or lost_in_all == 0
    print(f"standby: {TIMES} machines lost, {lost_in_all} orders lost in all, the slowest served after {slowest:.1f} s")


def test_a_farm_goes_on_without_its_standby_and_says_so(pair):
    standby = pair()
    market = Market(standby.first, 100, 1)
    standby.set_up("--synchronous").wait_until_good()
    until(lambda: standby.status(standby.first)["synchronous"], 30, "the synchronous mode")
    client = Client(standby.first.port, market.buyers[0])
    began = time.monotonic()
    assert client.settle("POST", "/v1/orders", Crowd.wish()).status == 201
    usual = time.monotonic() - began
    standby.end()
    # An order waits for the standby, and then is placed without it.
    began = time.monotonic()
    assert client.settle("POST", "/v1/orders", Crowd.wish(), seconds=60).status == 201
    waited = time.monotonic() - began
    found = json.loads(standby.first.furrow("doctor", "--json", check=False).stdout)["checks"]
    said = [check for check in found if check["check"] == "standby"]
    assert [check["state"] for check in said] == ["act"], said
    # It comes back, receives what it has missed, and orders wait for it again.
    standby.start().wait_until_good()
    told = standby.second.furrow("status", check=False)
    assert told.returncode == 0 and b"is connected" in told.stdout, told
    until(lambda: standby.second.furrow("doctor", check=False).returncode == 0, 30, "the doctor at the standby")
    assert standby.second.furrow("stop").returncode == 0
    standby.process.wait(20)
    standby.start().wait_until_good()
    until(lambda: standby.status(standby.first)["synchronous"], 30, "the synchronous mode again")
    standby.burn()
    standby.promote()
    placed = [event for event in standby.second.replay("catalog-orders/farm-0")
              if event["type"] == "farm.furrow.orders.order-placed.v1"]
    print(f"standby: an order took {1000 * usual:.0f} ms with a standby, {waited:.1f} s when it had just gone; "
          f"after its return it had {len(placed)} of 2 orders")
    assert len(placed) == 2 and waited < 30


def test_a_backup_comes_from_the_standby_while_the_farm_goes_on(pair, own_farm):
    standby = pair()
    market = Market(standby.first, 100, 1)
    standby.set_up()
    assert standby.first.sign_in().call("POST", "/v1/media", PNG).status == 201
    standby.wait_until_good().has_sent_files()
    load = Load(market)
    time.sleep(1)
    done = standby.second.furrow("backup", "--test-restore", "--json", check=False)
    load.end()
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout.splitlines()[0])
    assert standby.second.furrow("doctor", check=False).returncode == 0
    standby.wait_until_good()
    assert not (standby.second.home / "standby-copy").exists()
    # A promotion leaves the backups where they are, and what was restored from one is a farm of its own.
    standby.burn()
    standby.promote()
    restored = own_farm()
    restored.prepare()
    restored.furrow("restore", made["set"])
    restored.token = standby.first.token
    restored.start()
    events = [event["id"] for event in restored.replay()]
    lines = [event["id"] for event in standby.second.replay()]
    assert events[:made["hub"]] == lines[:made["hub"]] and made["hub"] >= 10
    assert Client(restored.port).call("GET", f"/media/{hashlib.sha256(PNG).hexdigest()}").body == PNG
    assert Client(restored.port, market.buyers[0]).get("/v1/me")["role"] == "buyer"
    restored.audited()
    print(f"standby: a backup of {made['hub']} events and {made['bytes']} bytes came from the standby in "
          f"{made['seconds']:.1f} s, beside {len(load.acknowledged)} orders; it was restored and agrees")
    assert len(load.acknowledged) >= 10


def test_a_promoted_standby_gets_a_standby_of_its_own_and_old_files_do_not_return(pair, own_farm, tmp_path):
    standby = pair()
    market = Market(standby.first, 100, 1)
    standby.set_up()
    assert standby.first.sign_in().call("POST", "/v1/media", PNG).status == 201
    standby.wait_until_good().has_sent_files()
    names = query(standby.first, standby.port, "SELECT count(*) FROM standby.file")
    (standby.first.home / "sync-gateway" / "0" / "media" / hashlib.sha256(PNG).hexdigest()).unlink()
    standby.has_sent_files()
    left = query(standby.first, standby.port, "SELECT count(*) FROM standby.file")
    assert int(left) == int(names) - 1, (names, left)
    standby.burn()
    standby.promote()
    # The second generation: the first promotion, which its database contains, fences nobody.
    second = Standby(standby.second, own_farm(), tmp_path)
    second.first.token = standby.first.token
    try:
        second.set_up().wait_until_good().has_sent_files()
        client = Client(second.first.port, market.buyers[0])
        order = client.settle("POST", "/v1/orders", Crowd.wish()).json["order"]
        second.wait_until_good().has_sent_files()
        assert second.first.process.poll() is None, "the promoted server has fenced itself"
        second.burn()
        seconds, _ = second.promote()
        assert order in {event["data"]["order"] for event in second.second.replay("catalog-orders/farm-0")
                         if event["type"] == "farm.furrow.orders.order-placed.v1"}
        assert Client(second.second.port, market.buyers[0]).get("/v1/me")["role"] == "buyer"
        assert "was promoted" in refusal(second.first)
        print(f"standby: the second generation served after {seconds:.1f} s, with the order of the first one's successor")
    finally:
        second.end()
