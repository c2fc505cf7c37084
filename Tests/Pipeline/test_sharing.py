"""Phones in one network, without the farm: what one has seen, the others have, and only if it is the farm's."""

import hashlib
import json
import subprocess
import threading
import time
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from client import Client, until
from contract_farm import PICTURE as PNG
from market import Market
from node import ABOUT, Node
from test_farm_client import Phone

PICTURE = hashlib.sha256(PNG).hexdigest()


class Sharer:
    """A phone whose app runs and serves others."""

    def __init__(self, phone: Phone, *neighbours: str, at: str = "127.0.0.1"):
        self.phone = phone
        named = [word for address in neighbours for word in ("--neighbour", address)]
        self.process = subprocess.Popen([*phone.words, "share", "0", *named, "--address", at], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.address = f"http://{at}:{json.loads(self.process.stdout.readline())['port']}"

    @property
    def client(self) -> Client:
        return Client(int(self.address.rsplit(":", 1)[1]))

    @property
    def resident(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) // 1024

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def fetch(client: Client, target: str):
    path, _, query = target.partition("?")
    return client.call("GET", path, query=dict(parse_qsl(query)))


class Shared:
    """A farm, and the first phone, which has its records, a picture and a story."""

    def __init__(self, farm, folder: Path):
        self.farm, self.folder = farm, folder
        self.market = Market(farm, 10, 0)
        staff = self.market.staff
        assert staff.call("POST", "/v1/media", PNG).status == 201
        staff.make("PUT", "/v1/products/tomatoes", {"title": "Tomatoes", "unit": "box", "picture": PICTURE})
        self.label = staff.make("POST", "/v1/lots/BOX-1/labels", {})["labels"][0]["url"]
        self.first = self.phone("first")
        self.sharers: list[Sharer] = []

        def has_all() -> bool:
            self.first.does("sync")
            return "tomatoes-1" in self.first.names("offers")

        until(has_all, 30, "the offer on the first phone")

    def phone(self, name: str) -> Phone:
        return Phone(f"http://127.0.0.1:{self.farm.port}", self.folder / name)

    def share(self, phone: Phone, *neighbours: str) -> Sharer:
        self.sharers.append(Sharer(phone, *neighbours))
        return self.sharers[-1]

    def seen_by(self, phone: Phone) -> None:
        """The phone sees all there is, and stores it for others."""
        with_sharing = ("--neighbour", "http://127.0.0.1:1")
        assert phone.does("sync", *with_sharing)["source"] == "farm"
        assert phone.does("story", self.label, *with_sharing)["source"] == "farm"
        assert phone.does("picture", PICTURE, *with_sharing)["bytes"] == len(PNG)

    def close(self) -> None:
        for sharer in self.sharers:
            sharer.end()


@pytest.fixture
def shared(own_farm, tmp_path: Path):
    made = Shared(own_farm().start(), tmp_path)
    yield made
    made.close()


def test_without_the_farm_a_phone_has_what_another_phone_has_seen(shared: Shared):
    shared.seen_by(shared.first)
    second = shared.phone("second")
    # It has met the farm, and so has its key, when there was no more than its name.
    named = ("--neighbour", "http://127.0.0.1:1")
    assert second.does("sync", *named)["source"] == "farm"
    (second.folder / "shared.db").unlink()
    shared.market.staff.make("PUT", "/v1/products/tomatoes", {"title": "Ripe tomatoes", "unit": "box", "picture": PICTURE})
    until(lambda: shared.first.does("sync", *named)["news"], 30, "the update on the first phone")
    (shared.first.folder / "shared.db").unlink()
    shared.seen_by(shared.first)
    sharer = shared.share(shared.first)
    shared.farm.stop()
    named = ("--neighbour", sharer.address)
    synced = second.does("sync", *named)
    assert synced["source"] == f"client {sharer.address}" and synced["news"] == 1, synced
    second.does("apply", *named)
    assert second.does("list", "products")["records"][0]["title"] == "Ripe tomatoes"
    begun = time.monotonic()
    story = second.does("story", shared.label, *named)
    took = time.monotonic() - begun
    assert story["source"] == f"client {sharer.address}" and story["isLabelSigned"] and story["lot"] == "BOX-1"
    listed = second.does("neighbours", *named)["neighbours"][0]
    assert not listed["isNode"] and listed["isUsable"] and listed["refused"] == 0
    opened = [second.does("content", target, *named) for target in listed["targets"] if "/media/" not in target]
    print(f"sharing: a phone without the farm had {synced['changed']} records, a story in {1000 * took:.0f} ms with the "
          f"start of its app, and opened {len(opened)} entries of {len(listed['targets'])}; {sharer.resident} MB")
    assert len(opened) >= 3 and f"/media/{PICTURE}" in listed["targets"] and not any("error" in one for one in opened)
    # The second one serves it further, although the first has left.
    sharer.end()
    shared.share(second)
    third = shared.phone("third")
    # One that has never met the farm cannot know what is the farm's.
    assert third.is_refused("story", shared.label, "--neighbour", shared.sharers[-1].address)[0] == "unreachable"


def test_a_node_serves_visitors_what_a_phone_has_and_a_phone_what_a_node_has(shared: Shared):
    shared.seen_by(shared.first)
    sharer = shared.share(shared.first)
    farm = f"http://127.0.0.1:{shared.farm.port}"
    node = Node(shared.folder / "node", farm, words=("--peer", sharer.address)).start()
    try:
        until((node.home / "keys.json").exists, 30, "the farm's key")
        until(lambda: node.client().get(f"{ABOUT}/peers")["peers"][0]["entries"], 60, "the phone's index")
        assert node.client().get(f"{ABOUT}/peers")["peers"][0]["kind"] == "client"
        shared.farm.stop()
        address = f"http://127.0.0.1:{node.port}"
        # The story was never requested from the node.
        lots = [entry["target"] for entry in node.client().get(f"{ABOUT}/peers")["peers"][0]["entries"]
                if "passport" in entry["target"]]
        assert len(lots) == 1
        answer = fetch(node.client(), lots[0])
        assert answer.status == 200 and "from-another-node" in answer.headers["cache-status"], answer
        # A phone with the story asks the node first: that one may have it newer.
        sharer.end()
        story = shared.first.does("story", shared.label, "--neighbour", address)
        assert story["source"] == f"node {address}", story
        print("sharing: a node had a story from a phone, and a phone from the node")
    finally:
        node.end()


def test_fifty_requests_at_once_of_phones_are_served_by_one_phone(shared: Shared):
    shared.seen_by(shared.first)
    sharer = shared.share(shared.first)
    index = sharer.client.get(f"{ABOUT}/shared")
    targets = [entry["target"] for entry in index["entries"]]
    times: list[float] = []

    def visit() -> None:
        client = sharer.client
        for target in targets:
            begun = time.monotonic()
            answer = fetch(client, target)
            times.append(time.monotonic() - begun)
            assert answer.status == 200, (target, answer)

    threads = [threading.Thread(target=visit) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    print(f"sharing: {len(times)} responses of {len(targets)} entries to 50 phones at once, median "
          f"{1000 * times[len(times) // 2]:.1f} ms, the slowest {1000 * times[-1]:.0f} ms")
    assert len(times) == 50 * len(targets) >= 200
