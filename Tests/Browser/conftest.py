"""Shared by all browser tests: a browser, a gateway with real signed data, fresh phones."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parents[1] / "Pipeline"))

import nightly
from gateway import STAFF, Farm, Gateway, started
from shop_driver import Shop
from staff_driver import StaffPages
from stored_home import VARIABLE, new_folder
from story_driver import StoryPage

PHONE = {"width": 360, "height": 780}
DESKTOP = {"width": 1280, "height": 900}
SCREENS = {"phone": PHONE, "desk": DESKTOP}
#: A screen and a colour scheme of pages that are looked at: each of both once, or by night each with each.
LOOKS = [("phone", "light"), ("desk", "dark"), *([("phone", "dark"), ("desk", "light")] if nightly.NIGHTLY else [])]


HOMES = pytest.StashKey[Path]()


def pytest_configure(config) -> None:
    config.addinivalue_line("markers", "home(name, *words): the stored home of the test's gateway")
    nightly.register(config)
    config.addinivalue_line("markers", "shared: the test does not disturb others at the same farm server")
    # A folder that is named already was built by an earlier run, and stays.
    if not hasattr(config, "workerinput") and VARIABLE not in os.environ:
        config.stash[HOMES] = new_folder()


def pytest_collection_modifyitems(config, items: list[pytest.Item]) -> None:
    nightly.deselect(config, items)


def pytest_unconfigure(config) -> None:
    if HOMES in config.stash:
        shutil.rmtree(config.stash[HOMES], ignore_errors=True)
        del os.environ[VARIABLE]


@pytest.fixture(scope="session")
def playwright():
    """What drives browsers; there can be one."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def launch() -> dict:
    """How Chromium is started: the build without a window, which needs two thirds of the CPU time of the other."""
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell")
    assert executable, "Install Debian's package chromium-headless-shell, or name the browser in CHROMIUM."
    return {"executable_path": executable, "args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def browser(playwright, launch) -> Iterator[Browser]:
    browser = playwright.chromium.launch(**launch)
    yield browser
    browser.close()


@pytest.fixture
def new_gateway() -> Iterator[Callable[..., Gateway]]:
    """Makes gateways on copies of stored homes, and ends them; takes the home's name and words for `furrow run`."""
    gateways: list[Gateway] = []

    def make(name: str = "season", *words: str, environment: dict[str, str] | None = None) -> Gateway:
        gateways.append(Gateway(name, *words, environment=environment))
        return gateways[-1]

    yield make
    for gateway in gateways:
        gateway.destroy()


@pytest.fixture(scope="session")
def shared_farms() -> Iterator[dict[tuple, Farm]]:
    """Farm servers that tests of this worker share, by the stored home and the words for `furrow run`."""
    farms: dict[tuple, Farm] = {}
    yield farms
    for farm in farms.values():
        farm.destroy()


@pytest.fixture
def gateway(request, new_gateway, shared_farms):
    """A gateway of the farm near Ronda; `@pytest.mark.home("orders")` names another stored home.

    Tests with `@pytest.mark.shared` share one farm server, each behind a proxy of its own: for those that only read.
    """
    marker = request.node.get_closest_marker("home")
    name, *words = marker.args if marker else ("season",)
    if request.node.get_closest_marker("shared") is None:
        yield new_gateway(name, *words)
        return
    if (name, *words) not in shared_farms:
        shared_farms[(name, *words)] = started(name, *words)
    gateway = Gateway(farm=shared_farms[(name, *words)])
    yield gateway
    gateway.destroy()


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture
def new_phone(browser: Browser, request):
    """Makes a browser without any history; each call another one. If the test fails, their pages are printed."""
    contexts = []

    def make(**options):
        options = {"viewport": PHONE, "timezone_id": "Europe/Madrid"} | options
        context = browser.new_context(**options)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        if request.node.stash.get(FAILED, False):
            for page in context.pages:
                print(f"{page.url} shows:\n{page.evaluate('document.body?.innerText')}")
        context.close()


@pytest.fixture
def story(new_phone) -> Iterator[StoryPage]:
    """A story page on a new phone; at the end nothing may have gone wrong in it."""
    page = StoryPage(new_phone())
    yield page
    assert page.problems == []


@pytest.fixture
def shop(gateway, new_phone) -> Iterator[Shop]:
    """A buyer at a small market; at the end nothing may have gone wrong in their pages."""
    # A test decides itself when its pages hear of what is new.
    gateway.override["GET /v1/sync/live"] = (404, {"status": 404})
    shop = Shop(new_phone(), gateway.url)
    yield shop
    assert shop.problems == []


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Where screenshots go, to be looked at."""
    folder = Path(os.environ.get("FURROW_PICTURES") or tempfile.mkdtemp(prefix="furrow-pictures-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"\npictures: {folder}")
    return folder


@pytest.fixture
def staff(gateway, new_phone):
    """The staff's pages; `staff("grower")` signs a person of that role in."""
    opened = []

    def make(role: str = "administrator", **options) -> StaffPages:
        pages = StaffPages(new_phone(**options), gateway.url)
        opened.append(pages)
        pages.sign_in(STAFF[role])
        return pages

    yield make
    assert [problem for pages in opened for problem in pages.problems] == []
