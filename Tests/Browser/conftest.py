"""Shared by all browser tests: a browser, a gateway with real signed data, fresh phones."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

from fake_gateway import FakeGateway
from real_farm import new_real_farm, real_farm  # noqa: F401
from sample_market import sample_market
from shop_driver import Shop
from staff_driver import PASSWORD, StaffPages
from story_driver import StoryPage

PHONE = {"width": 360, "height": 780}
DESKTOP = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def playwright():
    """What drives browsers; there can be one."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def launch() -> dict:
    """How Chromium is started."""
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert executable, "Install Debian's package chromium, or name the browser in CHROMIUM."
    return {"executable_path": executable, "args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def browser(playwright, launch) -> Iterator[Browser]:
    browser = playwright.chromium.launch(**launch)
    yield browser
    browser.close()


@pytest.fixture
def gateway() -> Iterator[FakeGateway]:
    gateway = FakeGateway().start()
    yield gateway
    gateway.stop()


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture
def new_phone(browser: Browser, request):
    """Makes a browser that has never been anywhere; each call another one. When a test fails it tells what they show."""
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
    gateway.api.market = sample_market()
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
    """Somebody's pages; `staff("grower")` gives them signed in with that role."""
    opened = []

    def make(role: str = "administrator", **options) -> StaffPages:
        email = f"{role}@farm.test"
        gateway.api.enrol(role.capitalize(), email, PASSWORD, role)
        pages = StaffPages(new_phone(**options), gateway.url)
        opened.append(pages)
        pages.sign_in(email)
        return pages

    yield make
    assert [problem for pages in opened for problem in pages.problems] == []
