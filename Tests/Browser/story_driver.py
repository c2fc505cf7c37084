"""Drives the story page as a buyer does; works against any gateway, whatever its address."""

import re
import time
from dataclasses import dataclass, field

from playwright.sync_api import BrowserContext, Page

#: What the page may say of itself.
GOOD, NOTE, BAD, QUIET = "good", "note", "bad", "quiet"


@dataclass
class Verdict:
    """What the page shows after its checks."""

    tone: str
    state: str
    title: str
    words: str
    checks: dict[str, str] = field(default_factory=dict)


def plain(text: str) -> str:
    """Without the spaces that keep a number and its unit on one line."""
    return text.replace("\u00a0", " ")


def wait_until(page: Page, expression: str, argument: object = None, seconds: float = 20) -> None:
    """Until a JavaScript expression is true. (Playwright's own way needs eval, which the pages' policy forbids.)"""
    end = time.monotonic() + seconds
    while not page.evaluate(expression, argument):
        assert time.monotonic() < end, f"never true: {expression}"
        page.wait_for_timeout(25)


class StoryPage:
    """One tab that shows stories. `problems` collects script errors and violations of the content policy."""

    def __init__(self, context: BrowserContext):
        self.page: Page = context.new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("console", self.note)

    def note(self, message) -> None:
        if message.type == "error" and re.search(r"Content Security Policy|Uncaught|TypeError", message.text):
            self.problems.append(message.text)

    def open(self, url: str) -> Verdict:
        """Goes to a label's address and waits for the verdict."""
        self.page.goto(url)
        return self.verdict()

    def reload(self) -> Verdict:
        self.page.reload()
        return self.verdict()

    def verdict(self) -> Verdict:
        self.page.wait_for_selector("body:not([aria-busy])", timeout=30_000)
        shown = self.page.evaluate("""() => ({
            tone: document.documentElement.dataset.tone, state: document.documentElement.dataset.state,
            title: document.querySelector("#verdict").innerText, words: document.querySelector("#badge").innerText,
            checks: Object.fromEntries(Array.from(document.querySelectorAll("#checks li"),
                (row) => [row.dataset.check, row.dataset.result])),
        })""")
        return Verdict(**shown | {"words": plain(shown["words"])})

    def story_text(self) -> str:
        """What of a story can be read: empty unless everything was verified."""
        return self.text("#facts") + self.text("#story")

    def whole_text(self) -> str:
        return self.text("body")

    def text(self, selector: str) -> str:
        return plain(self.page.locator(selector).first.inner_text())

    def wait_for_worker(self) -> None:
        """Until the service worker holds the pages and serves this one."""
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        wait_until(
            self.page,
            "navigator.serviceWorker.controller !== null || "
            "navigator.serviceWorker.getRegistration().then((found) => found?.active?.state === 'activated')")

    def wait_for_charts(self) -> int:
        """Scrolls through the page until every chart is drawn; gives their number."""
        charts = self.page.locator("climate-chart")
        for index in range(charts.count()):
            charts.nth(index).scroll_into_view_if_needed()
            self.page.wait_for_selector(f"climate-chart[data-drawn] >> nth={index}", timeout=15_000)
        return charts.count()

    def remembered(self) -> dict:
        """What lies in this browser's memory of the farm: sizes of its logs and names of its lots."""
        return self.page.evaluate("""async () => {
            const open = indexedDB.open("furrow-story", 1);
            const database = await new Promise((resolve, reject) => {
                open.onsuccess = () => resolve(open.result);
                open.onerror = () => reject(open.error);
            });
            const read = (store, call) => new Promise((resolve) => {
                const request = database.transaction(store).objectStore(store)[call]();
                request.onsuccess = () => resolve(request.result);
            });
            const keys = await read("memory", "getAllKeys");
            const values = await read("memory", "getAll");
            const lots = await read("bundles", "getAllKeys");
            database.close();
            const sizes = Object.fromEntries(keys.map((key, at) => [key, values[at].size ?? null]));
            return { sizes, lots, labelKeys: [...(values[keys.indexOf("keys")]?.labelKeys.keys() ?? [])] };
        }""")
