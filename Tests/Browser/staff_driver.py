"""Drives the staff's pages as people do; works against any gateway, whatever its address."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Locator, Page
from story_driver import plain, wait_until

PASSWORD = "correct horse battery"


#: Nothing of the staff waits in this browser to be sent; what was refused does not wait.
NOTHING_WAITS = """new Promise((resolve) => {
    const open = indexedDB.open("furrow-shop");
    open.onsuccess = () => {
        const request = open.result.transaction("outbox").objectStore("outbox").getAll();
        request.onsuccess = () => {
            open.result.close();
            resolve(request.result.every(({ state }) => state === "refused"));
        };
    };
})"""


class StaffPages:
    """One tab of somebody who works on the farm. `problems` collects script errors and violations of the policy."""

    def __init__(self, context: BrowserContext, url: str):
        self.url = url
        self.page: Page = context.new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("console", self.note)

    def note(self, message) -> None:
        if message.type == "error" and re.search(r"Content Security Policy|Uncaught|TypeError", message.text):
            self.problems.append(message.text)

    def settle(self) -> None:
        """Until the page that the address names is shown."""
        self.page.wait_for_selector("main#content:not([aria-busy])", timeout=20_000)

    def go(self, path: str) -> None:
        """Opens `/plots`, `/lots/L1` …"""
        self.page.goto(f"{self.url}/staff#{path}")
        self.settle_on(path)

    def settle_on(self, path: str) -> None:
        wait_until(self.page, "path => decodeURI(location.hash || '#/') === '#' + path", path)
        self.page.wait_for_timeout(50)
        self.settle()

    def ready(self) -> "StaffPages":
        """Until the pages themselves are kept for days without a network."""
        self.page.wait_for_function("navigator.serviceWorker.ready.then(() => true)")
        wait_until(self.page, "caches.open('furrow-staff').then((one) => one.match('/assets/js/staff/main.js'))"
                              ".then((page) => page !== undefined)")
        return self

    def cut_off(self, gateway, path: str) -> None:
        """Opens a page and loses the network: it is shown as it was."""
        self.go(path)
        self.ready()
        gateway.stop()
        self.page.reload()
        self.page.wait_for_selector(".as-of")

    @property
    def path(self) -> str:
        return urlsplit(self.page.url).fragment or "/"

    def heading(self) -> str:
        return plain(self.page.inner_text("main h1"))

    def text(self, selector: str = "main") -> str:
        return plain(self.page.locator(selector).first.inner_text())

    def form(self, name: str) -> Locator:
        """The form of that name; `record-activity` finds the one of whatever plot."""
        return self.page.locator(f'form[data-form="{name}"], form[data-form^="{name} "]').first

    def fill(self, name: str, /, **values) -> Locator:
        """Fills in fields by the names the API has for them."""
        form = self.form(name)
        for field, value in values.items():
            control = form.locator(f'[name="{field}"]')
            kind = control.evaluate("element => element.tagName + ' ' + element.type")
            if kind.startswith("SELECT"):
                control.select_option(value)
            elif kind.endswith("checkbox"):
                control.set_checked(value)
            else:
                control.fill(str(value))
        return form

    def send(self, name: str, /, **values) -> None:
        """Fills in a form, sends it, and waits for what follows."""
        form = self.fill(name, **values)
        form.locator("button[type=submit]").click()
        self.wait_until_answered()

    def wait_until_answered(self) -> None:
        self.page.wait_for_timeout(50)
        wait_until(self.page, "!document.querySelector('form .button[aria-busy], .action .button[aria-busy]')")
        self.settle()

    def press(self, action: str) -> None:
        """Presses a button that does one thing."""
        self.page.locator(f'[data-action="{action}"] button, [data-action^="{action} "] button').first.click()
        self.wait_until_answered()

    def unfold(self, title: str) -> None:
        self.page.locator("summary", has_text=title).first.click()

    def problem(self) -> str:
        """What is told on top of a form."""
        return plain(self.page.locator(".form-problem:visible").first.inner_text())

    def announced(self) -> str:
        """What was said last to those who do not see the page."""
        wait_until(self.page, "document.querySelector('#announcements').innerText !== ''")
        return plain(self.page.locator("#announcements").inner_text())

    def set_up(self, link: str, name: str, email: str, password: str = PASSWORD) -> None:
        """Follows the one-time link."""
        self.page.goto(link)
        self.settle()
        self.send("setup", name=name, email=email, password=password)
        self.page.wait_for_selector("nav.menu")

    def sign_in(self, email: str, password: str = PASSWORD) -> None:
        self.page.goto(self.url + "/staff")
        self.settle()
        self.send("sign-in", email=email, password=password)
        self.page.wait_for_selector("nav.menu")
        self.settle()

    def sign_out(self) -> None:
        self.press("sign out")
        self.page.wait_for_selector('form[data-form="sign-in"]')
