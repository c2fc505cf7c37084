"""Orders and sign-ins that cross a node: only the farm can read them, and each happens once."""

import json
import signal
import uuid
from pathlib import Path

import pytest
from client import Client, until
from market import Market
from node import ABOUT, Node
from sealed import KEYS, PATH, REQUEST, SealedClient
from test_farm_client import Phone

#: An address where nobody listens: a phone that cannot reach the farm.
AWAY = "http://127.0.0.1:1"


@pytest.fixture
def start(tmp_path: Path):
    nodes: list[Node] = []

    def start(upstream: str) -> Node:
        nodes.append(Node(tmp_path / f"node-{len(nodes)}", upstream).start())
        return nodes[-1]

    yield start
    for node in nodes:
        if node.process and node.process.poll() is None:
            node.end()


def keys(client: Client) -> bytes:
    answer = client.call("GET", PATH)
    assert answer.status == 200 and answer.headers["content-type"] == KEYS, answer
    return answer.body


def memory(node: Node) -> bytes:
    """All that the node's process has in memory, as a core dump would show it."""
    assert node.process
    folder = Path(f"/proc/{node.process.pid}")
    pieces = []
    with open(folder / "mem", "rb", 0) as file:
        for line in (folder / "maps").read_text().splitlines():
            span, mode, *_ = line.split()
            if "r" not in mode or "[v" in line:
                continue
            first, last = (int(number, 16) for number in span.split("-"))
            file.seek(first)
            try:
                pieces.append(file.read(last - first))
            except OSError:
                continue
    return b"".join(pieces)


def test_another_implementation_signs_in_and_reads_what_is_personal(own_farm):
    farm = own_farm().start()
    client = Client(farm.port)
    stranger = SealedClient(client, keys(client))
    made = stranger.call("POST", "/v1/buyers", json.dumps(
        {"name": "Bea", "email": "bea@buyers.test", "password": "battery staple"}).encode())
    assert made.status == 201 and "furrow_session=" in made.headers["set-cookie"], made
    stranger.token = made.headers["set-cookie"].split("furrow_session=")[1].split(";")[0]
    me = stranger.call("GET", "/v1/me")
    assert me.json["email"] == "bea@buyers.test", me
    refusals = {
        "no session": SealedClient(client, stranger.keys).call("GET", "/v1/me").status,
        "no address": stranger.call("GET", "/nowhere").status,
        "a stream": stranger.call("GET", "/v1/sync/live").status,
        "no path": stranger.call("GET", "nowhere").status,
    }
    assert refusals == {"no session": 401, "no address": 404, "a stream": 406, "no path": 400}
    message = stranger.seal("GET", "/v1/me").data
    refused = 0
    for index in range(0, len(message), 7):
        changed = bytearray(message)
        changed[index] ^= 1
        answer = client.call("POST", PATH, bytes(changed), headers={"Content-Type": REQUEST})
        assert answer.status == 400 and b"unreadable-message" in answer.body, answer
        refused += 1
    # A message that somebody sends again is answered again, and read by nobody.
    twice = [client.call("POST", PATH, message, headers={"Content-Type": REQUEST}).body for _ in range(2)]
    assert twice[0] != twice[1]
    print(f"sealed: pyhpke's requests were answered; {refused} changed messages refused")
    assert refused >= 20


def test_an_order_waits_in_a_node_and_happens_once_whatever_happens_to_the_node(own_farm, start, tmp_path):
    farm = own_farm().start()
    market = Market(farm, 10, 0)
    node = start(f"http://127.0.0.1:{farm.port}")
    named = ("--neighbour", f"http://127.0.0.1:{node.port}")
    bea = Phone(f"http://127.0.0.1:{farm.port}", tmp_path / "bea")
    bea.does("sign-up", "Bea", "bea@buyers.test", "battery staple", *named)
    until(lambda: bea.does("sync", *named) and "tomatoes-1" in bea.names("offers"), 30, "the offer on the phone")
    until((node.home / "keys.json").exists, 30, "the farm's key")
    # From here on, the phone reaches the node only, and the node has no network.
    farm.stop()
    bea = Phone(AWAY, bea.folder)
    until(lambda: node.report["farms"][0]["reachable"] is False or not node.client().call("GET", "/v1/site"), 60,
          "the farm to be missed")
    promise = bea.does("order", "tomatoes-1", 2, "barn", *named)["promise"]["id"]
    synced = bea.does("sync", *named)
    assert synced["carried"] == 1 and synced["sent"] == 0, synced
    assert node.report["sealed"] == 1
    # A second time the phone has a message there already.
    assert bea.does("sync", *named)["carried"] == 1 and node.report["sealed"] == 1
    node.end(signal.SIGKILL)
    node.start()
    assert node.report["sealed"] == 1, "the node has lost what it had accepted"
    farm.start()
    until(lambda: node.report["sealed"] == 0, 60, "the node to pass it on")
    placed = until(lambda: market.events("order-placed"), 30, "the order at the farm")
    assert len(placed) == 1
    # The phone still has no way to the farm: it learns of its order from the node.
    until(lambda: not bea.does("promises", *named)["promises"] or not bea.does("sync", *named), 60, "the response")
    synced = bea.does("sync", *named)
    assert synced["source"].startswith("node "), synced
    until(lambda: bea.does("sync", *named) and bea.names("orders"), 30, "the order on the phone")
    bea.does("cancel", bea.names("orders")[0])
    until(lambda: bea.does("sync", *named)["sent"] == 1, 30, "the cancellation through the node")
    until(lambda: market.stock()["ordered"] == 0, 20, "the boxes to be free again")
    status = node.client().get(ABOUT)
    print(f"sealed: 1 order through a killed node, placed {len(placed)} times, as promise {promise[:8]}; "
          f"then a pull and a cancellation; {status['sealed']} left")
    # The same phone reaches the farm again, which has all of it.
    home = Phone(f"http://127.0.0.1:{farm.port}", bea.folder)
    assert home.does("sync", *named)["source"] == "farm" and len(market.events("order-placed")) == 1


def test_of_fifty_buyers_nothing_is_found_on_a_nodes_disk_or_in_its_memory(own_farm, start):
    farm = own_farm().start()
    node = start(f"http://127.0.0.1:{farm.port}")
    until((node.home / "keys.json").exists, 30, "the farm's key")
    published = keys(Client(farm.port))
    canaries: list[str] = []
    waiting: list[tuple[str, SealedClient]] = []
    for _ in range(50):
        tag = uuid.uuid4().hex
        buyer = SealedClient(node.client(), published)
        name, email, password, street = (f"{kind}{tag}" for kind in ("Name", "mail", "secret", "Street"))
        made = buyer.call("POST", "/v1/buyers", json.dumps(
            {"name": name, "email": f"{email}@buyers.test", "password": password}).encode())
        if made.status == 429:
            break
        assert made.status == 201, made
        buyer.token = made.headers["set-cookie"].split("furrow_session=")[1].split(";")[0]
        told = buyer.call("PUT", "/v1/me/contact", json.dumps({"name": name, "address": f"{street} 1"}).encode())
        assert told.status == 200, told
        canaries += [name, email, password, buyer.token, street]
        waiting.append((email, buyer))
    assert len(waiting) == 50, f"only {len(waiting)} could sign up"
    farm.stop()
    until(lambda: node.report["farms"][0]["reachable"] is False or not node.client().call("GET", "/v1/site"), 60,
          "the farm to be missed")
    stored, sent = 0, list[bytes]()
    for email, buyer in waiting:
        message = buyer.seal("POST", "/v1/sessions", json.dumps({"email": email, "password": "wrong"}).encode())
        answer = node.client().call("POST", PATH, message.data,
                                    headers={"Content-Type": REQUEST, "Prefer": "respond-async"})
        stored += answer.status == 202
        sent.append(message.data)
    dump = memory(node)
    disk = b"".join(node.files().values())
    found = [word for word in canaries if word.encode() in dump or word.encode() in disk]
    assert b"furrow-node" in dump and all(one in disk for one in sent), "memory and files were not read"
    print(f"sealed: of {len(canaries)} canaries of 50 buyers, {len(found)} in {len(disk) >> 10} KiB of files and "
          f"{len(dump) >> 20} MiB of memory; {stored} messages wait")
    assert stored == 50 and not found
