"""The client library against a real farm server: an app that works offline and verifies what it receives."""

import json
import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import pytest
from client import until
from farm import PROGRAMS
from market import EUROS, Market

BUYER = Path(os.environ.get("FURROW_BUYER", PROGRAMS / "buyer"))


class Phone:
    """A buyer's device: a folder, and an app that is started for each action."""

    def __init__(self, server: str, folder: Path):
        self.server = server
        self.folder = folder
        self.words = [str(BUYER), server, str(folder)]

    def does(self, *words: object) -> dict:
        done = subprocess.run([*self.words, *map(str, words)], capture_output=True, timeout=90, check=False)
        assert done.returncode in (0, 1), (words, done.returncode, done.stderr.decode())
        return json.loads(done.stdout)

    def names(self, table: str) -> list[str]:
        return [record["id"] for record in self.does("list", table)["records"]]

    def is_refused(self, *words: object) -> tuple[str, str | None]:
        answer = self.does(*words)
        assert "error" in answer, answer
        return answer["error"], answer["reason"]


@pytest.fixture
def phone(tmp_path):
    def make(server: str, name: str = "phone") -> Phone:
        return Phone(server, tmp_path / name)

    return make


def test_an_order_without_a_network_is_placed_once_whatever_happens_to_the_app(own_farm, phone):
    farm = own_farm().start()
    market = Market(farm, 10, 0)
    bea = phone(f"http://127.0.0.1:{farm.port}")
    assert bea.is_refused("order", "tomatoes-1", 0, "barn") == ("misuse", None)
    assert bea.does("sign-up", "Bea", "bea@buyers.test", "battery staple")["name"] == "Bea"
    until(lambda: bea.does("sync") and "tomatoes-1" in bea.names("offers"), 30, "the offer on the phone")
    farm.stop()
    assert bea.is_refused("sync")[0] == "unreachable" and bea.names("products") == ["tomatoes"]
    promise = bea.does("order", "tomatoes-1", 2, "barn")["promise"]
    bea.does("like", "products", "tomatoes")
    assert [one["id"] for one in bea.does("promises")["promises"]][0] == promise["id"]
    farm.start()
    # The app is killed at any moment of sending; its pending changes are in its folder.
    for pause in (0.0, 0.02, 0.05, 0.1, 0.2):
        sending = subprocess.Popen([*bea.words, "sync"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            sending.wait(pause)
        except subprocess.TimeoutExpired:
            sending.send_signal(signal.SIGKILL)
            sending.wait()
    until(lambda: "error" not in bea.does("sync") and not bea.does("promises")["promises"], 60, "all changes sent")
    until(lambda: bea.does("sync") and len(bea.names("orders")) == 1 and bea.names("favourites"), 30, "the order here")
    placed = market.events("order-placed")
    print(f"{len(placed)} order placed of 1 promised, through 5 deaths of the app; {market.stock()['ordered']} boxes")
    assert len(placed) == 1 and market.stock()["ordered"] == 2
    order = bea.names("orders")[0]
    bea.does("cancel", order)
    assert bea.does("sync")["sent"] == 1
    until(lambda: market.stock()["ordered"] == 0, 20, "the boxes to be free again")


def test_a_reader_decides_when_a_page_changes_and_stock_does_not_wait(own_farm, phone):
    farm = own_farm().start()
    market = Market(farm, 10, 0)
    bea = phone(f"http://127.0.0.1:{farm.port}")
    until(lambda: bea.does("sync") and "tomatoes-1" in bea.names("offers"), 30, "the offer on the phone")
    market.staff.make("PUT", "/v1/products/tomatoes", {"title": "Ripe tomatoes", "unit": "box"})
    market.staff.make("POST", "/v1/offers", {"offer": "tomatoes-2", "product": "tomatoes", "lot": "BOX-1",
                                             "price": EUROS})
    until(lambda: bea.does("sync")["news"] == 1 and "tomatoes-2" in bea.names("offers"), 30, "an update")
    title = bea.does("list", "products")["records"][0]["title"]
    applied = bea.does("apply")["changed"]
    print(f"{applied} of 1 update waited for consent; the new offer was there at once")
    assert title == "Tomatoes" and applied == 1 and bea.does("news")["news"] == 0
    assert bea.does("list", "products")["records"][0]["title"] == "Ripe tomatoes"
    ended = market.staff.settle("POST", "/v1/offers/tomatoes-2/withdrawals", {})
    assert ended.status in (200, 201), ended
    until(lambda: bea.does("sync") and "tomatoes-2" not in bea.names("offers"), 30, "the offer to leave at once")


def test_a_rejected_order_is_retained_with_its_reason(own_farm, phone):
    farm = own_farm().start()
    Market(farm, 1, 0)
    bea, ben = (phone(f"http://127.0.0.1:{farm.port}", name) for name in ("bea", "ben"))
    for one, name in ((bea, "Bea"), (ben, "Ben")):
        one.does("sign-up", name, f"{name}@buyers.test", "battery staple")
        until(lambda one=one: one.does("sync") and "tomatoes-1" in one.names("offers"), 30, "the offer on the phone")
        one.does("order", "tomatoes-1", 1, "barn")
    assert bea.does("sync")["sent"] == 1 and ben.does("sync")["sent"] == 0
    kept = ben.does("promises")["promises"]
    print(f"1 box, 2 orders: one placed, one refused: {kept[0]['refusal']}")
    assert len(kept) == 1 and kept[0]["refusal"] and not bea.does("promises")["promises"]
    # Data that only Bea may see is removed when she signs out.
    until(lambda: bea.does("sync") and bea.names("orders"), 20, "the order here")
    bea.does("sign-out")
    assert bea.names("orders") == [] and bea.does("me")["name"] is None
    assert bea.is_refused("sign-in", "bea@buyers.test", "wrong horse battery")[0] == "sign-in-needed"
    assert bea.does("sign-in", "Bea@buyers.test", "battery staple")["name"] == "Bea"


def test_a_pending_change_outlives_its_session(own_farm, phone, tmp_path):
    farm = own_farm().start()
    market = Market(farm, 3, 0)
    bea = phone(f"http://127.0.0.1:{farm.port}")
    bea.does("sign-up", "Bea", "bea@buyers.test", "battery staple")
    until(lambda: bea.does("sync") and "tomatoes-1" in bea.names("offers"), 30, "the offer on the phone")
    shutil.copytree(bea.folder, tmp_path / "copy")
    bea.does("order", "tomatoes-1", 1, "barn")
    Phone(bea.server, tmp_path / "copy").does("sign-out")
    synced = bea.does("sync")
    assert synced.get("needsSignIn") and len(bea.does("promises")["promises"]) == 1, synced
    assert bea.names("offers") == ["tomatoes-1"] and bea.does("me")["name"] == "Bea"
    bea.does("sign-in", "bea@buyers.test", "battery staple")
    synced = bea.does("sync")
    print(f"{synced['sent']} of 1 sent after another sign-in")
    assert synced["sent"] == 1 and len(market.events("order-placed")) == 1
    # Without pending changes, an expired session leaves nobody signed in.
    until(lambda: bea.does("sync") and bea.names("orders"), 20, "the order here")
    shutil.copytree(bea.folder, tmp_path / "again")
    Phone(bea.server, tmp_path / "again").does("sign-out")
    bea.does("sync")
    assert bea.does("me")["name"] is None and bea.names("orders") == [] and bea.names("offers") == ["tomatoes-1"]


def test_updates_arrive_without_a_request(own_farm, phone):
    farm = own_farm().start()
    market = Market(farm, 10, 0)
    bea = phone(f"http://127.0.0.1:{farm.port}")
    bea.does("sign-up", "Bea", "bea@buyers.test", "battery staple")
    until(lambda: bea.does("sync") and "tomatoes-1" in bea.names("offers"), 30, "the offer on the phone")
    watching = subprocess.Popen([*bea.words, "watch", "50"], stdout=subprocess.PIPE, text=True)
    seen: list[list[str]] = []
    reading = threading.Thread(
        target=lambda: seen.extend(json.loads(line)["offers"] for line in watching.stdout), daemon=True)
    reading.start()
    try:
        market.staff.make("POST", "/v1/offers", {"offer": "tomatoes-2", "product": "tomatoes", "lot": "BOX-1",
                                                 "price": EUROS})
        until(lambda: seen and "tomatoes-2" in seen[-1], 20, "the new offer on the phone, before a scheduled request")
        print(f"after {len(seen)} changes the new offer was here: {seen[-1]}")
        assert seen and seen[-1] == ["tomatoes-1", "tomatoes-2"]
        # Meanwhile no other process may open the folder.
        assert bea.is_refused("sync")[0] == "in-use"
    finally:
        watching.kill()
        watching.wait()


def test_a_verified_story_is_available_for_days_without_a_network(story, phone):
    server = f"http://127.0.0.1:{story.farm.port}"
    label = story.told["labels"]["labels"][0]["url"]
    bea = phone(server)
    first = bea.does("story", label)
    assert (first["lot"], first["isLabelSigned"], first["provenSince"]) == ("TOM-1A", True, None), first
    again = bea.does("story", label.lower().replace("http://", "HTTP://"))
    assert again["provenSince"] is not None and again["source"] == "farm"
    away = Phone("http://127.0.0.1:1", bea.folder)
    kept = away.does("story", label)
    assert kept["source"] == "device" and kept["passport"] == again["passport"]
    stranger = Phone("http://127.0.0.1:1", bea.folder.parent / "other")
    assert stranger.is_refused("story", label)[0] == "unreachable"
    refused = {}
    for number, at in enumerate(range(label.index("/S1") + 7, label.index("/01/"), 20)):
        letter = "B" if label[at] != "B" else "C"
        refused[number] = bea.is_refused("story", label[:at] + letter + label[at + 1:])
    print(f"a signed story shown thrice; {len(refused)} changed labels: {set(refused.values())}")
    assert len(refused) >= 5 and set(refused.values()) == {("not-believed", "label-forged")}
    assert bea.is_refused("story", label.replace("TOM-1A", "TOM-1"))[1] == "label-forged"
    assert bea.is_refused("story", "https://farm.example/hello") == ("not-believed", "label-malformed")
