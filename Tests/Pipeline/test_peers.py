# pyright: reportPrivateImportUsage=false
"""Nodes in one network, without the farm: each gives the others what it has, and takes only what is the farm's."""

import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from client import Client, until
from contract_farm import PICTURE as PNG
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from farm import PROGRAMS
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms
from machines import has_namespaces, ip
from node import ABOUT, Node, ScriptedFarm

#: The fields that a lying node copies.
SIGNED = ("content-type", "signature", "signature-input", "content-digest", "furrow-cache-control", "etag")
ASKING = {"Accept-Signature": 'farm=("content-digest")'}


@pytest.fixture
def start(tmp_path: Path):
    """Starts nodes, and ends those that a test has not ended."""
    nodes: list[Node] = []

    def start(upstream: str, *peers: str, address: str = "127.0.0.1", within: tuple[str, ...] = ()) -> Node:
        words = tuple(word for peer in peers for word in ("--peer", peer))
        node = Node(tmp_path / f"node-{len(nodes)}", upstream, words=words, within=within, address=address)
        nodes.append(node)
        return node.start() if not within else node

    yield start
    for node in nodes:
        if node.process and node.process.poll() is None:
            node.end()


def address(node: Node) -> str:
    return f"http://127.0.0.1:{node.port}"


def peers(node: Node) -> list[dict]:
    return node.client().get(f"{ABOUT}/peers")["peers"]


def has_key(node: Node) -> bool:
    return (node.home / "keys.json").exists()


def detail(answer) -> str:
    return answer.headers["cache-status"].split("detail=")[-1]


@pytest.fixture
def shop(own_farm):
    """A farm with a picture, and addresses that every visitor may read."""
    farm = own_farm()
    farm.start()
    administrator = farm.claim()
    administrator.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    assert administrator.call("POST", "/v1/media", PNG).status == 201
    return farm, [f"/media/{hashlib.sha256(PNG).hexdigest()}", "/v1/shelves", "/ledger/checkpoint"]


class Resolver(HTTPSignatureKeyResolver):
    def __init__(self, jwk: dict):
        self.jwk = jwk

    def resolve_public_key(self, key_id: str):
        assert key_id == self.jwk["kid"]
        raw = base64.urlsafe_b64decode(self.jwk["x"] + "=")
        return Ed25519PublicKey.from_public_bytes(raw)


class Message:
    """A response with its request, as the verifier wants it."""

    def __init__(self, url: str, answer):
        self.status_code, self.headers, self.body = answer.status, answer.headers, answer.body
        self.method, self.url = "GET", url
        self.request = type("Request", (), {"method": "GET", "url": url, "headers": {}})()


def test_another_programs_verifier_accepts_the_farms_signatures(shop):
    farm, paths = shop
    client = Client(farm.port)
    resolver = Resolver(client.get("/v1/publisher-key"))
    verified = 0
    for path in [path for path in paths if not path.startswith("/media/")]:
        answer = client.call("GET", path, headers=ASKING)
        assert answer.status == 200, (path, answer)
        verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=resolver)
        (result,) = verifier.verify(Message(f"http://127.0.0.1:{farm.port}{path}", answer))
        assert "\"@path\";req" in result.covered_components and "\"content-digest\"" in result.covered_components
        assert answer.headers["content-digest"] == f"sha-256=:{base64.b64encode(hashlib.sha256(answer.body).digest()).decode()}:"
        verified += 1
    print(f"signatures: http-message-signatures verified {verified} responses")
    assert verified == 2


def test_a_node_without_the_farm_has_it_from_another_node(shop, start):
    farm, paths = shop
    first = start(f"http://127.0.0.1:{farm.port}")
    second = start(f"http://127.0.0.1:{farm.port}", address(first))
    until(lambda: has_key(first) and has_key(second), 30, "both nodes to know the farm's key")
    wanted = {path: first.client().call("GET", path) for path in paths}
    assert {answer.status for answer in wanted.values()} == {200}
    farm.stop()
    # The second node notices that the farm is away, and has read what the first one has.
    until(lambda: second.report["farms"][0]["reachable"] is False or not second.client().call("GET", "/v1/site"), 60,
          "the farm to be missed")
    until(lambda: {entry["target"] for one in peers(second) for entry in one["entries"]} >= set(paths), 90,
          "the index of the first node")
    begun = time.monotonic()
    for path, theirs in wanted.items():
        ours = second.client().call("GET", path)
        assert ours.status == 200 and ours.body == theirs.body, (path, ours)
        assert detail(ours) == "from-another-node", (path, ours.headers)
        assert ours.headers.get("content-type") == theirs.headers.get("content-type"), path
    took = (time.monotonic() - begun) / len(wanted)
    # From then on the second one has it by itself, and its page shows what the first one has.
    first.end()
    assert all(second.client().call("GET", path).status == 200 for path in paths)
    status = subprocess.run([PROGRAMS / "furrow-node", "status", "--home", second.home], check=True, text=True,
                            capture_output=True, timeout=30)
    assert "Other nodes: 1" in status.stdout
    page = second.client().call("GET", ABOUT, headers={"Accept": "text/html"}).body.decode()
    assert address(first) in page and "Checkpoint of the farm's log" in page and "1 picture" in page
    print(f"peers: {len(wanted)} responses from another node, {1000 * took:.0f} ms each; {second.resident} MB")
    assert second.count("from_peers") == len(wanted) and second.resident <= 30


def test_what_was_requested_arrives_when_a_node_that_has_it_comes_near(shop, start):
    farm, (picture, *_) = shop
    first = start(f"http://127.0.0.1:{farm.port}")
    second = start(f"http://127.0.0.1:{farm.port}", address(first))
    until(lambda: has_key(first) and has_key(second), 30, "both nodes to know the farm's key")
    assert first.client().call("GET", picture).status == 200
    first.end()
    farm.stop()
    until(lambda: second.report["farms"][0]["reachable"] is False or not second.client().call("GET", "/v1/site"), 60,
          "the farm to be missed")
    missed = second.client().call("GET", picture)
    assert missed.status == 504 and second.request(missed)["state"] == "waiting"
    first.start()
    until(lambda: second.request(missed)["state"] == "fetched", 120, "the picture to come from the first node")
    assert hashlib.sha256(second.client().call("GET", picture).body).hexdigest() in picture


def test_a_node_that_lies_is_avoided_and_nothing_of_it_is_taken(shop, start, tmp_path):
    farm, paths = shop
    client = Client(farm.port)
    signed = {path: client.call("GET", path, headers=ASKING) for path in paths}
    key = client.get("/v1/publisher-key")["kid"]
    other = client.call("GET", "/v1/sync", headers=ASKING)
    liars: dict[str, ScriptedFarm] = {}

    def lie(name: str, body, signature: str | None = None) -> ScriptedFarm:
        """A node that lists everything, and answers every request with this."""
        liar = liars[name] = ScriptedFarm()
        index = {"node": name, "farms": [{"key": key, "port": liar.port}], "entries": [
            {"farm": key, "target": path, "type": "x", "requests": 1} for path in paths]}
        liar.say(f"{ABOUT}/shared", json.dumps(index), Content_Type="application/json")
        for path in paths:
            headers = {name: signed[path].headers[name] for name in SIGNED if name in signed[path].headers}
            if signature:
                headers["signature"] = signature
            answer = (200, headers, body(path))
            liar.responses[path] = lambda answer=answer: answer
        return liar

    lie("changed", lambda path: signed[path].body + b" ")
    lie("another", lambda path: other.body)
    lie("huge", lambda path: bytes(20 << 20))
    lie("unsigned", lambda path: signed[path].body[:-1] + b"}", signature="farm=:AAAA:")
    slow = lie("slow", lambda path: b"slow")
    for path in paths:
        slow.responses[path] = lambda: (time.sleep(4), (200, {}, b"slow"))[1]
    node = start(f"http://127.0.0.1:{farm.port}", *[liar.url for liar in liars.values()])
    until(lambda: has_key(node), 30, "the farm's key")
    until(lambda: all(one["entries"] for one in peers(node)) and len(peers(node)) == 5, 60, "every index")
    farm.stop()
    # Each request goes to three nodes at most, and to none that has just lied: all have been called after some.
    served = 0

    def all_were_called() -> bool:
        nonlocal served
        for path in paths:
            answer = node.client().call("GET", path)
            assert answer.status == 504, (path, answer)
            served += 1
        return all(any(liar.asked[path] for path in paths) for liar in liars.values())

    until(all_were_called, 90, "every lying node to be called")
    listed = {one["address"]: one for one in peers(node)}
    lied = {name: listed[liar.url]["refused"] for name, liar in liars.items()}
    log = node.log.read_text()
    print(f"peers: {served} requests got nothing false; refused by node: {lied}; "
          f"{log.count('false response of a node refused')} lines in the log")
    assert min(lied["changed"], lied["another"], lied["unsigned"]) >= 1
    assert not any(one["usable"] for one in listed.values() if one["refused"])
    assert "false response of a node refused" in log and node.count("from_peers") == 0
    for liar in liars.values():
        liar.close()


def test_a_farm_that_sends_no_key_does_not_end_its_node(start):
    farm = ScriptedFarm()
    try:
        farm.say("/v1/publisher-key", "<html>Log in to this network</html>")
        farm.say("/story", "a story")
        node = start(farm.url)
        until(lambda: farm.asked["/v1/publisher-key"] > 0, 30, "the key to be requested")
        assert node.client().call("GET", "/story").body == b"a story" and node.is_up() and not has_key(node)
    finally:
        farm.close()


class Machine:
    """A machine in a network namespace, with a bus and Avahi of its own."""

    def __init__(self, name: str, address: str, switch: str, folder: Path):
        self.name, self.address = name, address
        # A path of 108 bytes or more is no address of a socket, and Avahi would wait for its bus for ever.
        assert len(f"{folder}/{name}") < 108, folder
        self.bus = f"unix:path={folder}/{name}"
        self.processes: list[subprocess.Popen] = []
        ip("netns", "add", name)
        ip("-n", name, "link", "set", "lo", "up")
        ip("link", "add", f"{name}-e", "type", "veth", "peer", "name", f"{name}-s")
        ip("link", "set", f"{name}-e", "netns", name)
        ip("link", "set", f"{name}-s", "netns", switch)
        ip("-n", switch, "link", "set", f"{name}-s", "master", "br0", "up")
        ip("-n", name, "address", "add", f"{address}/24", "broadcast", "+", "dev", f"{name}-e")
        ip("-n", name, "link", "set", f"{name}-e", "up")
        ip("-n", name, "route", "add", "default", "dev", f"{name}-e")
        settings = folder / f"{name}.conf"
        settings.write_text(f"[server]\nhost-name={name}\nuse-ipv6=no\nuse-ipv4=yes\n")
        # Avahi ends if it comes before its bus.
        call = f"dbus-send --bus={self.bus} --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetId"
        script = ("mount -t tmpfs tmpfs /run && mkdir -p /run/dbus && "
                  f"hostname {name} || exit 1; dbus-daemon --system --nofork --nopidfile --address={self.bus} & "
                  f"until {call} >/dev/null 2>&1; do sleep 0.1; done; "
                  f"exec avahi-daemon --no-chroot --no-drop-root --no-rlimits -f {settings}")
        self.run("unshare", "-m", "-u", "sh", "-c", script)

    def run(self, *words: str) -> None:
        self.processes.append(subprocess.Popen(
            ["ip", "netns", "exec", self.name, *words], env=os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": self.bus},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))

    def close(self) -> None:
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        subprocess.run(["ip", "netns", "delete", self.name], check=False)


@pytest.mark.skipif(not has_namespaces(), reason="SKIPPED: this kernel has no network namespaces for us")
def test_nodes_find_each_other_by_dns_sd_and_strangers_read_what_they_announce(tmp_path_factory, start):
    """Two machines with Avahi, and a third one with python-zeroconf, on one switch."""
    name = f"fw{os.getpid() % 10_000}"
    switch = f"{name}sw"
    folder = tmp_path_factory.mktemp("bus")
    machines: list[Machine] = []
    ip("netns", "add", switch)
    try:
        ip("-n", switch, "link", "add", "br0", "type", "bridge", "mcast_snooping", "0")
        ip("-n", switch, "link", "set", "br0", "up")
        machines += [Machine(f"{name}{letter}", f"10.78.0.{number}", switch, folder)
                     for number, letter in enumerate("abc", 1)]
        nodes = []
        for machine in machines[:2]:
            within = ("ip", "netns", "exec", machine.name, "env", f"DBUS_SYSTEM_BUS_ADDRESS={machine.bus}")
            node = start("http://10.78.0.99:8080", address="0.0.0.0", within=within)
            with open(node.log, "a") as log:
                node.process = subprocess.Popen(node.command, stderr=log)
            nodes.append(node)

        def found(node: Node, other: Machine, port: int) -> bool:
            return f"http://{other.address}:{port}" in node.log.read_text()

        for node, other, port in ((nodes[0], machines[1], nodes[1].port), (nodes[1], machines[0], nodes[0].port)):
            until(lambda node=node, other=other, port=port: found(node, other, port), 60, "a node to find the other")
        listened = subprocess.run(
            ["ip", "netns", "exec", machines[2].name, sys.executable, Path(__file__).parent / "listener.py", "2"],
            capture_output=True, text=True, timeout=90, check=True)
        announced = json.loads(listened.stdout)
        print(f"dns-sd: two nodes found each other, and zeroconf found {sorted(one['port'] for one in announced)}")
        assert {one["port"] for one in announced} == {node.port for node in nodes}
        for one in announced:
            assert one["text"]["v"] == "1" and len(one["text"]["id"]) == 16 and one["bytes"] <= 200
        assert not any(found(node, machine, node.port) for node, machine in zip(nodes, machines, strict=False))
    finally:
        for node in nodes:
            node.process.kill()
            node.process.wait()
        for machine in machines:
            machine.close()
        subprocess.run(["ip", "netns", "delete", switch], check=False)
