"""How much a phone has to fetch before it sees anything, and what the pages are allowed to do."""

import gzip
import re
import time
from urllib.request import urlopen

import pytest
from farm import WEB
from gateway import STAFF
from staff_driver import StaffPages
from story_driver import StoryPage

pytestmark = [pytest.mark.home("market"), pytest.mark.shared]
KILOBYTE = 1000
MOST = 150 * KILOBYTE


def weigh(page, url: str, load) -> dict[str, int]:
    """Compressed bytes of each public file that `load` makes the page fetch."""
    paths: set[str] = set()
    under_way: set = set()

    def start(request) -> None:
        if request.resource_type != "eventsource":
            under_way.add(request)

    def note(response) -> None:
        if response.status == 200:
            paths.add(response.url.removeprefix(url))

    def end(request) -> None:
        under_way.discard(request)

    listeners = {"request": start, "response": note, "requestfinished": end, "requestfailed": end}
    for name, listener in listeners.items():
        page.on(name, listener)
    load()
    latest = time.monotonic() + 20
    while under_way:
        assert time.monotonic() < latest, [request.url for request in under_way]
        page.wait_for_timeout(25)
    for name, listener in listeners.items():
        page.remove_listener(name, listener)
    public = [path for path in paths if path.startswith(("/assets", "/S1", "/01", "/ledger")) or "/passport" in path]
    return {path: len(gzip.compress(urlopen(url + path).read(), 6)) for path in [*public, *(paths & {"/", "/staff"})]}


def test_the_first_load_of_a_story_is_small(gateway, new_phone):
    story = StoryPage(new_phone(service_workers="block"))
    sizes = weigh(story.page, gateway.url, lambda: story.open(gateway.story()))
    shell = {path: size for path, size in sizes.items() if path.startswith(("/assets", "/S1", "/01"))}
    print(f"first load of a story: {sum(shell.values()) / KILOBYTE:.1f} kB compressed in {len(shell)} files, and "
          f"{(sum(sizes.values()) - sum(shell.values())) / KILOBYTE:.1f} kB of the story itself")
    assert sum(sizes.values()) <= MOST and len(shell) >= 20
    charts = weigh(story.page, gateway.url, story.wait_for_charts)
    print(f"with charts: {sum(charts.values()) / KILOBYTE:.1f} kB more")
    assert 30 * KILOBYTE < sum(charts.values()) and sum(sizes.values()) + sum(charts.values()) <= MOST


def test_the_first_load_of_the_staffs_pages_is_small(gateway, new_phone):
    pages = StaffPages(new_phone(service_workers="block"), gateway.url)
    sizes = weigh(pages.page, gateway.url, lambda: pages.sign_in(STAFF["administrator"]))
    print(f"first load of the staff's pages: {sum(sizes.values()) / KILOBYTE:.1f} kB compressed in {len(sizes)} files")
    assert sum(sizes.values()) <= MOST and len(sizes) >= 15


def test_the_first_load_of_the_shop_is_small(gateway, new_phone):
    page = new_phone(service_workers="block").new_page()

    def load() -> None:
        page.goto(gateway.url)
        page.wait_for_selector("[data-product]")

    sizes = weigh(page, gateway.url, load)
    news = len(gzip.compress(urlopen(f"{gateway.url}/v1/sync").read(), 6))
    print(f"first load of the shop: {sum(sizes.values()) / KILOBYTE:.1f} kB compressed in {len(sizes)} files, and "
          f"{news / KILOBYTE:.1f} kB of a small market")
    assert sum(sizes.values()) <= MOST and len(sizes) >= 15


def test_the_first_paint_of_the_shop_takes_few_bytes(gateway, new_phone):
    page = new_phone(service_workers="block").new_page()
    page.goto(gateway.url)
    page.wait_for_selector("[data-product]")
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    sent = page.evaluate(
        "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".map(({responseEnd, transferSize}) => [responseEnd, transferSize])")
    before = [size for end, size in sent if end <= painted]
    print(f"first paint of the shop: after {sum(before) / KILOBYTE:.1f} kB in {len(before)} responses; all in all "
          f"{sum(size for _, size in sent) / KILOBYTE:.1f} kB in {len(sent)}")
    assert 5 <= len(before) and sum(before) <= 60 * KILOBYTE and sum(size for _, size in sent) <= 120 * KILOBYTE


@pytest.mark.parametrize("place", ["shop", "staff"])
def test_a_second_visit_loads_no_script_and_no_style_again(gateway, new_phone, place):
    page = new_phone(service_workers="block").new_page()
    address, shown = (gateway.url, "[data-product]") if place == "shop" else (f"{gateway.url}/staff", "form")
    for visit in (1, 2):
        page.goto(address)
        page.wait_for_selector(shown)
        files = page.evaluate(
            "performance.getEntriesByType('resource').filter(({name}) => /[.](js|css)$/.test(name))"
            ".map(({name, transferSize}) => [name, transferSize])")
        loaded = [name for name, size in files if size > 0]
        print(f"visit {visit} of {place}: {len(loaded)} of {len(files)} scripts and styles loaded")
        assert len(files) >= 10 and len(loaded) == (len(files) if visit == 1 else 0), loaded


def test_everything_the_pages_import_is_kept_for_days_without_network():
    """The worker's list and the modules of the story and the shop are the same."""
    worker = (WEB / "sw.js").read_text()
    listed = set(re.findall(r'"(/assets/[^"]+\.(?:js|css|svg|json))"', worker))
    needed, waiting = set(), [
        "/assets/js/story/page.js", "/assets/js/story/report-page.js", "/assets/js/shop/main.js"]
    while waiting:
        path = waiting.pop()
        if path in needed:
            continue
        needed.add(path)
        file = WEB / path.removeprefix("/assets/")
        text = file.read_text()
        named = re.findall(r'^(?:import|export) .*?from "(\.[^"]+)";', text, re.MULTILINE | re.DOTALL)
        for name in [*named, *re.findall(r'import\("(\.[^"]+)"\)', text)]:
            waiting.append("/assets/" + str((file.parent / name).resolve().relative_to(WEB.resolve())))
    for page in ("story.html", "report.html", "index.html"):
        needed |= set(re.findall(r'(?:href|src)="(/assets/[^"]+)"', (WEB / page).read_text()))
    needed |= {f"/assets/maps/{file.name}" for file in (WEB / "maps").iterdir()}
    assert listed == needed, listed ^ needed
    print(f"files the worker keeps: {len(listed)}")


def test_no_page_needs_more_than_the_policy_allows():
    """No inline script or style, no other host, in any file."""
    files = [file for file in sorted(WEB.rglob("*")) if file.suffix in (".html", ".js", ".css", ".webmanifest")]
    wrong = []
    for file in files:
        text = file.read_text()
        hosts = re.findall(r"https?://([a-z0-9.-]+)", text)
        wrong += [f"{file.name}: {host}" for host in hosts
                  if host not in ("id.gs1.org", "www.w3.org", "www.openstreetmap.org")]
        if file.suffix == ".html" and re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)", text):
            wrong.append(f"{file.name}: inline")
        risky = r"innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
        if file.suffix == ".js" and re.search(risky, text):
            wrong.append(f"{file.name}: markup from text")
        wrong += [f"{file.name}: line {number} is too long" for number, line in enumerate(text.splitlines(), 1)
                  if len(line) > 120]
        if file.suffix == ".js" and len(text.splitlines()) > 400:
            wrong.append(f"{file.name}: too long")
    assert wrong == []
    print(f"files read: {len(files)}")
    assert len(files) >= 40


def test_the_shop_can_be_installed(playwright, launch, gateway, tmp_path):
    # A profile that stays: a private window installs nothing.
    context = playwright.chromium.launch_persistent_context(tmp_path, **launch)
    try:
        page = context.new_page()
        page.goto(gateway.url)
        page.wait_for_selector("main h1")
        asked = context.new_cdp_session(page)
        manifest = asked.send("Page.getAppManifest")
        assert manifest["url"].endswith("/manifest.webmanifest") and manifest["errors"] == []
        assert asked.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
    finally:
        context.close()
