"""furrow-node before scripted farms, and before a real one: what it serves, requests, and never stores."""

import hashlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from client import Client, until
from farm import IS_ROOT, PROGRAMS, free_port
from node import ABOUT, FOR_NODES, Node, ScriptedFarm, canaries

PAGE = {"Accept": "text/html"}
#: Lets a site be on this machine.
HERE = ("--site-networks", "127.0.0.0/8")
WAITERS = 200


@pytest.fixture
def farm():
    farm = ScriptedFarm()
    yield farm
    farm.close()


@pytest.fixture
def start(tmp_path: Path):
    """Starts nodes, and ends those that a test has not ended."""
    nodes: list[Node] = []

    def start(*upstreams: str, words: tuple[str, ...] = ()) -> Node:
        nodes.append(Node(tmp_path / f"node-{len(nodes)}", *upstreams, words=words).start())
        return nodes[-1]

    yield start
    for node in nodes:
        if node.process and node.process.poll() is None:
            node.end()


def status(answer) -> str:
    return answer.headers["cache-status"]


def test_many_who_wait_for_one_response_cause_one_request(farm, start):
    is_released = threading.Event()

    def respond() -> tuple[int, dict, bytes]:
        assert is_released.wait(30)
        return 200, dict([FOR_NODES]), b"the story"

    farm.responses["/story"] = respond
    node = start(farm.url)
    sockets = []
    for _ in range(WAITERS):
        sockets.append(socket.create_connection(("127.0.0.1", node.port)))
        sockets[-1].sendall(b"GET /story HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n")
    until(lambda: node.count("shared") == WAITERS - 1, 20, "all requests wait")
    is_released.set()
    answers = [b"".join(iter(lambda one=one: one.recv(65_536), b"")) for one in sockets]
    served = sum(answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"the story") for answer in answers)
    print(f"{served} of {WAITERS} requests served by {farm.asked['/story']} request to the farm")
    assert served == WAITERS and farm.asked["/story"] == 1


def test_a_stored_response_is_served_at_once_and_renewed_behind_it(farm, start):
    farm.say("/page", "first", Furrow_Cache_Control="max-age=0, stale-while-revalidate=600", ETag='"1"')
    node = start(farm.url)
    client = node.client()
    assert client.call("GET", "/page").body == b"first"
    farm.say("/page", "second", Furrow_Cache_Control="max-age=0, stale-while-revalidate=600", ETag='"2"')
    old = client.call("GET", "/page")
    assert old.body == b"first" and "hit" in status(old)
    until(lambda: client.call("GET", "/page").body == b"second", 10, "the newer response")
    known = client.call("GET", "/page", headers={"If-None-Match": '"2"'})
    assert (known.status, known.body, known.headers["etag"]) == (304, b"", '"2"')
    until(lambda: node.count("confirmed") > 0, 10, "the farm confirms by its entity tag")


def test_without_the_farm_stored_responses_are_served_and_others_deferred(farm, start):
    farm.say("/known", "known", Furrow_Cache_Control="max-age=0, stale-if-error=600")
    farm.say("/strict", "strict", Cache_Control="no-cache", ETag='"1"')
    node = start(farm.url)
    client = node.client()
    for path in ("/known", "/strict"):
        assert client.call("GET", path).status == 200
    farm.close()
    served = client.call("GET", "/known")
    assert served.body == b"known" and "stale" not in served.headers and "detail=farm-not-reached" in status(served)
    began = time.monotonic()
    missing = [client.call("GET", "/missing") for _ in range(20)]
    seconds = time.monotonic() - began
    assert {answer.status for answer in missing} == {504} and len({answer.json["request"] for answer in missing}) == 1
    assert client.call("GET", "/strict").status == 504, "what may only be used confirmed"
    page = client.call("GET", "/missing", headers=PAGE)
    assert page.status == 504 and b"http-equiv=\"refresh\"" in page.body and page.headers["retry-after"]
    print(f"20 deferred in {seconds:.2f} s")
    assert node.request(missing[0])["requesters"] == 20


def test_deferred_requests_survive_kills_and_are_fetched_once_when_the_farm_returns(farm, start):
    port, node = farm.port, start(farm.url)
    farm.close()
    client = node.client()
    paths = [f"/story/{number}" for number in range(30)]
    answers = [client.call("GET", path) for path in paths]
    assert {answer.status for answer in answers} == {504}
    for _ in range(3):
        node.end(signal.SIGKILL)
        node.start()
        assert node.report["waiting"] == 30
    back = ScriptedFarm(port)
    try:
        for path in paths[1:]:
            back.say(path, f"the content of {path}")
        until(lambda: node.report["waiting"] == 0, 60, "all deferred requests are fetched")
        states = [node.request(answer) for answer in answers]
        assert [state["state"] for state in states] == ["refused"] + ["fetched"] * 29 and states[0]["status"] == 404
        asked = [back.asked[path] for path in paths]
        back.close()
        bodies = [client.call("GET", path).body.decode() for path in paths[1:]]
        print(f"{len(bodies)} responses, {sum(asked)} requests, after 3 kills")
        assert bodies == [f"the content of {path}" for path in paths[1:]] and asked == [1] * 30
    finally:
        back.close()


def test_nothing_about_a_person_reaches_the_farm_or_the_disk(farm, start):
    kinds = ("password", "cookie", "address", "token")
    words = [f"canary{number}{kind}" for number in range(50) for kind in kinds]
    farm.say("/", "the shop", Furrow_Cache_Control=FOR_NODES[1], Set_Cookie="furrow_session=canary0cookie")
    farm.say("/public", "a public word")
    node = start(farm.url)
    client = node.client()
    refused = 0
    for number in range(50):
        password, cookie, address, token = (f"canary{number}{kind}" for kind in kinds)
        body = {"email": f"{address}@farm.test", "password": password}
        refused += client.call("POST", "/v1/sessions", body).status == 403
        refused += client.call("GET", "/v1/me", headers={"Authorization": f"Bearer {token}"}).status == 403
        assert client.call("GET", "/", headers={"Cookie": f"furrow_session={cookie}"}).status == 200
    assert client.call("GET", "/public").status == 200
    node.end()
    # The search finds what is on the disk.
    assert canaries(node.files(), ["a public word"]) != []
    sent = [(name, word) for name, value in farm.fields for word in words if word in value]
    found = canaries(node.files() | {"log": node.log.read_bytes()}, words)
    asked = sum(farm.asked.values())
    print(f"{refused} requests refused, {len(words)} canaries in {len(node.files())} files and {asked} requests: "
          f"{len(found)} and {len(sent)} found")
    assert refused == 100 and asked >= 1 and len(node.files()) >= 3
    assert found == [] and sent == []
    assert farm.asked["/v1/sessions"] == 0 and farm.asked["/v1/me"] == 0


def test_a_node_serves_several_farms_by_port_and_by_name(farm, start):
    other = ScriptedFarm()
    try:
        farm.say("/", "the first farm")
        other.say("/", "the second farm")
        node = start(farm.url, other.url)
        assert node.client(0).call("GET", "/").body == b"the first farm"
        assert node.client(1).call("GET", "/").body == b"the second farm"
        by_name = node.client(0).call("GET", "/", headers={"Host": f"127.0.0.1:{other.port}"})
        assert by_name.body == b"the second farm"
        farm.close()
        until(lambda: node.client(0).call("GET", "/new").status == 504, 10, "the first farm is away")
        assert [one["reachable"] for one in node.report["farms"]] == [False, True]
        assert node.client(1).call("GET", "/").status == 200
    finally:
        other.close()


def test_the_disk_is_bounded_and_what_is_popular_stays(farm, start):
    for number in range(120):
        farm.say(f"/{number}", bytes([number]) * 100_000)
    node = start(farm.url, words=("--disk", "2"))
    client = node.client()
    for _ in range(40):
        client.call("GET", "/0")
    # Requests are counted on the disk every five seconds.
    until(lambda: json.loads((node.home / "status.json").read_text())["counts"]["hits"] >= 39, 15, "counted")
    for number in range(120):
        assert client.call("GET", f"/{number}").body == bytes([number]) * 100_000
    stored = node.report["stored"]
    index = client.get(f"{ABOUT}/index")["entries"]
    node.end()
    size = sum(len(content) for content in node.files().values())
    print(f"12 MB requested, limit 2 MiB: {stored['bytes']} bytes in {stored['responses']}, files {size} bytes")
    assert stored["bytes"] <= 2 << 20 and stored["removed"] >= 99 and size < 13 << 20
    assert index[0]["target"] == "/0" and index[0]["requests"] > 30


def test_a_farm_that_lies_about_a_picture_or_never_ends_is_not_stored(farm, start):
    right = hashlib.sha256(b"picture").hexdigest()
    farm.say(f"/media/{right}", b"picture", Cache_Control="public, max-age=31536000, immutable")
    wrong = hashlib.sha256(b"other").hexdigest()
    farm.say(f"/media/{wrong}", b"picture", Cache_Control="public, max-age=31536000, immutable")
    farm.say("/huge", b"x" * (17 << 20))
    farm.say("/error", "oops", 500)
    farm.say("/fields", "x", **{f"X_{number}": "y" * 1_000 for number in range(40)})
    node = start(farm.url)
    client = node.client()
    answers = {path: client.call("GET", path).status
               for path in (f"/media/{right}", f"/media/{wrong}", "/huge", "/error", "/fields")}
    stored = [entry["target"] for entry in client.get(f"{ABOUT}/index")["entries"]]
    print(f"{len(answers)} responses, stored: {len(stored)}")
    assert list(answers.values()) == [200, 200, 502, 500, 502] and stored == [f"/media/{right}"]


@pytest.mark.skipif(not IS_ROOT, reason="SKIPPED: mounting a small disk needs root")
def test_a_full_disk_stores_nothing_new_and_serves_what_is_there(farm, start, tmp_path):
    home = tmp_path / "node-0"
    home.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", home], capture_output=True).returncode:
        pytest.skip("SKIPPED: this kernel mounts nothing for us")
    try:
        for number in range(60):
            farm.say(f"/{number}", bytes([number]) * 100_000)
        node = start(farm.url)
        client = node.client()
        good = [client.call("GET", f"/{number}").body == bytes([number]) * 100_000 for number in range(60)]
        (home / "filler").write_bytes(bytes(os.statvfs(home).f_bavail * os.statvfs(home).f_frsize))
        stored = node.report["stored"]["responses"]
        farm.close()
        until(lambda: client.call("GET", "/never/0").status in (503, 504), 10, "the farm is away")
        refused = [client.call("GET", f"/never/{number}").status for number in range(1, 40)]
        assert client.call("GET", "/59").body == bytes([59]) * 100_000
        assert node.process and node.process.poll() is None
        (home / "filler").unlink()
        until(lambda: client.call("GET", "/later").status == 504, 10, "requests are stored again")
        print(f"disk of 3 MiB: {sum(good)} of 60 served, {stored} stored; without the farm {Counter(refused)}")
        assert sum(good) == 60 and 10 < stored < 40 and set(refused) <= {503, 504} and 503 in refused
        node.end()
    finally:
        subprocess.run(["umount", "--lazy", home], check=True)


def test_the_page_of_a_node_says_what_is_here(farm, start):
    farm.say("/shop", "the shop", Furrow_Cache_Control=FOR_NODES[1], Content_Type="text/html")
    node = start(farm.url)
    client = node.client()
    client.call("GET", "/shop", headers=PAGE)
    page = client.call("GET", ABOUT, headers=PAGE)
    text = page.body.decode()
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<td><a href=\"/shop\">/shop</a></td>" in text and farm.url in text
    done = subprocess.run([PROGRAMS / "furrow-node", "status", "--home", node.home], capture_output=True, text=True,
                          timeout=30, check=True)
    assert f"Farm {farm.url} on port {node.port}" in done.stdout
    print(f"at rest: {node.resident} MB")


def test_wrong_words_and_a_second_node_are_refused_with_the_reason(farm, start):
    def run(*words: str) -> subprocess.CompletedProcess:
        return subprocess.run([PROGRAMS / "furrow-node", *words], capture_output=True, text=True, timeout=30)

    node = start(farm.url)
    refusals = {
        "--upstream is missing": run("--port", "0"), "without a path": run("--upstream", "http://f.test/shop"),
        "not understood": run("--upstraem", "http://f.test"), "belong together": run("--upstream", "http://f.test",
                                                                                     "--key", "k"),
        "another node uses this home": run("--upstream", farm.url, "--port", str(free_port()), "--home", node.home),
    }
    for words, done in refusals.items():
        assert done.returncode in (1, 2) and words in done.stderr, done
    assert "--upstream URL" in run("--help").stdout
    print(f"{len(refusals)} refusals")


# Other web sites: an address of their own, a sandbox, public reading alone, and no private addresses


@pytest.fixture
def site():
    site = ScriptedFarm()
    yield site
    site.close()


def test_a_site_is_read_in_a_sandbox_with_and_without_a_network(farm, site, start):
    farm.say("/", "the farm")
    site.say("/", "news", Cache_Control="max-age=60", Content_Security_Policy="img-src *", Service_Worker_Allowed="/")
    site.say("/mine", "hello", Cache_Control="private")
    site.say("/cookie", "hello", Cache_Control="max-age=60", Set_Cookie="a=b")
    site.say("/moved", "", 301, Location=f"{site.url}/new", Cache_Control="no-store")
    site.say("/media/logo.png", "not a digest", Cache_Control="max-age=60")
    site.say("/ledger/keys", "{}", Cache_Control="max-age=60")
    node = start(farm.url, words=("--site", site.url, *HERE))
    reader = node.client(1)
    news = reader.call("GET", "/", headers=PAGE | {"Cookie": "secret=1"})
    assert (news.status, news.body) == (200, b"news"), news
    assert news.headers["content-security-policy"] == "img-src *, sandbox allow-scripts allow-popups"
    assert news.headers["referrer-policy"] == "no-referrer" and "geolocation=()" in news.headers["permissions-policy"]
    assert "service-worker-allowed" not in news.headers
    assert "set-cookie" not in reader.call("GET", "/cookie").headers
    assert reader.call("GET", "/moved").headers["location"] == "/new"
    mine = reader.call("GET", "/mine")
    assert (mine.body, mine.headers["cache-control"]) == (b"hello", "no-store")
    assert [reader.call("GET", path).status for path in ("/media/logo.png", "/ledger/keys")] == [200, 200]
    for method in ("POST", "PUT", "DELETE"):
        refused = reader.call(method, "/", b"x")
        assert refused.status == 403 and b"nothing else" in refused.body
    assert reader.call("GET", "/", headers={"Authorization": "Bearer x"}).status == 403
    assert not [value for name, value in site.fields if "secret" in value or name.lower() == "authorization"]
    # A site is neither a farm nor anything that other nodes are offered.
    shared = node.client(0).get(f"{ABOUT}/shared")
    assert shared["farms"] == [] and shared["entries"] == []
    about = node.client(0).call("GET", ABOUT, headers=PAGE)
    assert f'href="http://127.0.0.1:{node.port + 1}/"' in about.body.decode() and b"Other web sites here" in about.body
    assert [one.get("site", False) for one in node.report["farms"]] == [False, True]
    site.close()
    until(lambda: reader.call("GET", "/new", headers=PAGE).status == 504, 20, "the site is away")
    assert reader.call("GET", "/", headers=PAGE).body == b"news"
    assert reader.call("GET", "/mine").status == 504
    assert node.client(0).call("GET", "/").body == b"the farm"


def test_a_site_at_a_private_address_is_never_called(farm, site, start):
    site.say("/", "the router's settings")
    node = start(farm.url, words=("--site", site.url))
    answers = [node.client(1).call("GET", "/", headers=PAGE) for _ in range(3)]
    print(f"a site at 127.0.0.1: {[one.status for one in answers]}, {sum(site.asked.values())} requests")
    assert {one.status for one in answers} == {504} and sum(site.asked.values()) == 0
    reason = until(lambda: node.report["farms"][1].get("reason"), 20, "the reason")
    print(reason)
    assert "allowed" in reason


# A real farm


def test_a_story_and_the_shop_come_from_the_node_while_the_farm_is_away(own_farm, start, tmp_path):
    farm = own_farm()
    farm.start()
    farm.claim()
    node = start(f"http://127.0.0.1:{farm.port}")
    direct, client = Client(farm.port), node.client()
    paths = ["/", "/sw.js", "/assets/js/shop/main.js", "/v1/sync", "/ledger/keys", "/ledger/checkpoint",
             "/v1/shelves", "/openapi.json"]
    for path in paths:
        headers = PAGE if path == "/" else {}
        ours, theirs = direct.call("GET", path, headers=headers), client.call("GET", path, headers=headers)
        assert theirs.status == ours.status == 200, (path, theirs)
        assert "Furrow-Cache-Control".lower() in theirs.headers and "set-cookie" not in theirs.headers
        assert theirs.headers["content-security-policy"] == ours.headers["content-security-policy"]
    for path in ("/sign-in", "/checkout", "/staff", "/setup", "/settings"):
        page = client.call("GET", path, headers=PAGE)
        assert page.status == 403 and b"password" in page.body and b"<form" not in page.body
        assert f'href="http://127.0.0.1:{farm.port}{path}"' in page.body.decode()
    person = farm.client()
    for path in ("/v1/sync", "/v1/shelves"):
        answer = person.call("GET", path)
        assert answer.status == 200 and "furrow-cache-control" not in answer.headers, "a person's own response"
    farm.stop()
    served = {path: client.call("GET", path, headers=PAGE if path == "/" else {}) for path in paths}
    print(f"{len(served)} responses without the farm, the node at {node.resident} MB")
    assert {answer.status for answer in served.values()} == {200}
    assert b"<html" in served["/"].body and served["/v1/sync"].json["epoch"]
    assert node.resident <= 30


def test_visitors_of_a_node_are_notified_of_changes(own_farm, start):
    farm = own_farm()
    farm.start()
    administrator = farm.claim()
    node = start(f"http://127.0.0.1:{farm.port}")
    client = node.client()
    administrator.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    before = client.get("/v1/sync")
    notified = threading.Event()
    made: list[str] = []
    with socket.create_connection(("127.0.0.1", node.port)) as stream:
        stream.sendall(b"GET /v1/sync/live HTTP/1.1\r\nHost: node\r\n\r\n")
        assert b"text/event-stream" in stream.recv(65_536)

        def listen() -> None:
            heard = b""
            while b"event: changed" not in heard:
                heard += stream.recv(65_536)
            notified.set()

        threading.Thread(target=listen, daemon=True).start()

        # The stream from the farm opens at its own time: changes are made until the visitor is notified.
        def is_notified() -> bool:
            made.append(f"Farm number {len(made)}")
            administrator.make("PUT", "/v1/directory/sonnhof", {"title": made[-1], "county": "Graz", "hasGoods": True})
            return notified.wait(1)

        until(is_notified, 60, "the visitor is notified", pause=0)
        until(lambda: made[-1] in json.dumps(client.get("/v1/sync")), 20, "the node has the farm")
    print(f"notified after {len(made)} changes, {node.count('fetches')} requests to the farm")
    assert made[-1] not in json.dumps(before)
