"""Other web sites at a node: an origin of their own in a sandbox, public reading alone, and no private addresses."""

from pathlib import Path

import pytest
from client import until
from node import ABOUT, Node, ScriptedFarm

PAGE = {"Accept": "text/html"}
HERE = ("--site-networks", "127.0.0.0/8")


@pytest.fixture
def farm():
    farm = ScriptedFarm()
    yield farm
    farm.close()


@pytest.fixture
def site():
    site = ScriptedFarm()
    yield site
    site.close()


@pytest.fixture
def start(tmp_path: Path):
    nodes: list[Node] = []

    def start(*words: str, upstream: str) -> Node:
        nodes.append(Node(tmp_path / f"node-{len(nodes)}", upstream, words=words).start())
        return nodes[-1]

    yield start
    for node in nodes:
        node.end()


def test_a_site_is_read_in_a_sandbox_with_and_without_a_network(farm, site, start):
    farm.say("/", "the farm")
    site.say("/", "news", Cache_Control="max-age=60", Content_Security_Policy="img-src *", Service_Worker_Allowed="/")
    site.say("/mine", "hello", Cache_Control="private")
    site.say("/cookie", "hello", Cache_Control="max-age=60", Set_Cookie="a=b")
    site.say("/moved", "", 301, Location=f"{site.url}/new", Cache_Control="no-store")
    site.say("/media/logo.png", "not a digest", Cache_Control="max-age=60")
    site.say("/ledger/keys", "{}", Cache_Control="max-age=60")
    node = start("--site", site.url, *HERE, upstream=farm.url)
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
    node = start("--site", site.url, upstream=farm.url)
    answers = [node.client(1).call("GET", "/", headers=PAGE) for _ in range(3)]
    print(f"a site at 127.0.0.1: {[one.status for one in answers]}, {sum(site.asked.values())} requests")
    assert {one.status for one in answers} == {504} and sum(site.asked.values()) == 0
    reason = until(lambda: node.report["farms"][1].get("reason"), 20, "the reason")
    assert "not reached" not in reason and node.report["farms"][0]["address"] == farm.url
