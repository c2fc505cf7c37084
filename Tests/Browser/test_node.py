"""A farm's pages at a node, with and without a connection to the farm: nothing there asks for a password."""

import json
from pathlib import Path

import pytest
from conftest import DESKTOP, PHONE
from gateway import LOT, Gateway
from node import ABOUT, Node, ScriptedFarm
from shop_driver import Shop
from story_driver import StoryPage

COPY = "This is a local copy of the shop, as of"


@pytest.fixture
def node(gateway: Gateway, tmp_path: Path):
    node = Node(tmp_path / "node", gateway.url).start()
    yield node
    node.end()


def address(node: Node) -> str:
    return f"http://127.0.0.1:{node.port}"


@pytest.mark.home("market")
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["360", "1280"])
def test_the_shop_at_a_node_says_that_it_is_a_copy_and_asks_for_no_password(gateway, node, new_phone, pictures, size):
    shop = Shop(new_phone(viewport=size), address(node))
    shop.go("/")
    shop.page.get_by_text(COPY).wait_for()
    shop.page.screenshot(path=pictures / f"node-shop-{size['width']}.png")
    shop.page.get_by_role("link", name="Sign in").first.click()
    shop.page.get_by_role("heading", name="Open this page at the farm").wait_for()
    assert shop.page.get_by_role("link", name="Continue at the farm’s own address").get_attribute("href") == \
        f"{gateway.url}/sign-in"
    assert shop.page.locator("input[type=password]").count() == 0
    for path in ("/sign-in", "/checkout", "/staff"):
        shop.page.goto(address(node) + path)
        shop.page.get_by_role("heading", name="Open this page at the farm").wait_for()
        assert shop.page.locator("input").count() == 0, path
    gateway.stop()
    other = Shop(new_phone(viewport=size), address(node))
    other.go("/shop")
    other.page.get_by_text(COPY).wait_for()
    assert other.page.locator("main a[href^='/products/']").count() > 0
    other.page.goto(address(node) + ABOUT)
    other.page.get_by_role("heading", name="What is here").wait_for()
    other.page.screenshot(path=pictures / f"node-about-{size['width']}.png")
    assert shop.problems == other.problems == []


def test_a_story_at_a_node_is_verified_and_names_what_was_not(gateway, node, new_phone, pictures):
    story = StoryPage(new_phone())
    path = gateway.story().removeprefix(gateway.url)
    verdict = story.open(address(node) + path)
    assert (verdict.tone, verdict.title) == ("note", "Verified, with keys from a local copy")
    assert "From a local copy, as of" in verdict.words and "not from the farm itself" in verdict.words
    story.page.screenshot(path=pictures / "node-story.png", full_page=True)
    gateway.stop()
    other = StoryPage(new_phone())
    verdict = other.open(address(node) + path)
    assert (verdict.tone, verdict.state) == ("note", "verified") and "480 kg" in other.story_text()
    assert story.problems == []


def test_a_story_that_is_not_here_is_shown_once_the_node_has_a_connection(gateway, node, new_phone, pictures):
    seen, unseen = gateway.story(), gateway.labelled("SEEN-LATER", "Chard")
    StoryPage(new_phone()).open(address(node) + seen.removeprefix(gateway.url))
    # The node has the list of pages, and the page of stories, also if it has not come to fetch them by itself.
    for path in ("/.well-known/furrow-pages", "/assets/story.html"):
        assert node.client().call("GET", path).status == 200
    gateway.stop()
    story = StoryPage(new_phone())
    verdict = story.open(address(node) + unseen.removeprefix(gateway.url))
    assert (verdict.state, verdict.title) == ("unreachable", "Waiting for a connection")
    story.page.screenshot(path=pictures / "node-waiting.png")
    gateway.start()
    story.page.wait_for_selector("html[data-state=verified]", timeout=60_000)
    assert "Chard" in story.whole_text() and node.report["waiting"] == 0


def test_a_page_of_its_own_waits_at_a_node_that_has_never_seen_the_farm(gateway, node, new_phone):
    gateway.stop()
    page = new_phone().new_page()
    page.goto(address(node) + f"/01/09524000059109/10/{LOT}")
    page.get_by_role("heading", name="Waiting for a network").wait_for()
    gateway.start()
    page.wait_for_selector("html[data-state]", timeout=60_000)


def test_another_web_site_at_a_node_runs_in_a_sandbox(gateway, new_phone, tmp_path: Path):
    site = ScriptedFarm()
    script = """<!doctype html><title>News</title><p id="found">-</p><script>
        const found = {};
        const tries = { storage: () => localStorage.length, cookie: () => document.cookie,
            worker: () => navigator.serviceWorker.register("/sw.js"), frame: () => parent.name };
        for (const [name, attempt] of Object.entries(tries)) {
            try { attempt(); found[name] = "allowed"; } catch (error) { found[name] = error.name; }
        }
        found.origin = self.origin;
        document.querySelector("#found").textContent = JSON.stringify(found);
    </script>"""
    site.say("/", script, Content_Type="text/html", Cache_Control="max-age=60")
    node = Node(tmp_path / "sites", gateway.url, words=("--site", site.url, "--site-networks", "127.0.0.0/8")).start()
    try:
        page = new_phone(service_workers="block").new_page()
        page.goto(f"http://127.0.0.1:{node.port + 1}/")
        page.wait_for_function("() => document.querySelector('#found').textContent !== '-'")
        found = json.loads(page.locator("#found").inner_text())
        print(f"a site at a node may: {found}")
        assert found["origin"] == "null" and found["storage"] == found["cookie"] == "SecurityError"
        page.goto(address(node) + ABOUT)
        page.get_by_role("link", name=site.url).click()
        page.get_by_text("SecurityError").wait_for()
    finally:
        node.end()
        site.close()
