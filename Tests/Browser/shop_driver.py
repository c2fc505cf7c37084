"""Drives the buyers' pages as people do; works against any gateway, whatever its address."""

import re

from playwright.sync_api import BrowserContext, Page
from story_driver import plain, wait_until

PASSWORD = "correct horse battery"
#: Everything of the shop that this browser keeps, by table.
HELD = """() => new Promise((resolve) => {
    const open = indexedDB.open("furrow-shop");
    open.onsuccess = () => {
        const database = open.result;
        const all = {};
        const transaction = database.transaction(["records", "outbox", "updates"]);
        for (const store of ["records", "outbox", "updates"]) {
            transaction.objectStore(store).getAll().onsuccess = ({ target }) => { all[store] = target.result; };
        }
        transaction.oncomplete = () => { database.close(); resolve(all); };
    };
})"""


#: The first pull is over: only then the page stands in the queue of those that want the live feed.
HAS_BEGUN = """navigator.locks.query().then(({ held, pending }) =>
    [...held, ...pending].some(({ name }) => name === "furrow-live"))"""

#: How many things the menu says are in the cart.
COUNT = "() => parseInt(document.querySelector('.menu .count')?.textContent.match(/[0-9]+/)?.[0] ?? '0')"


class Shop:
    """One tab of a buyer. `problems` collects script errors and violations of the policy."""

    def __init__(self, context: BrowserContext, url: str):
        self.context = context
        self.url = url
        self.page: Page = context.new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("console", self.note)

    def note(self, message) -> None:
        if message.type == "error" and re.search(r"Content Security Policy|Uncaught|TypeError", message.text):
            self.problems.append(message.text)

    def go(self, path: str) -> "Shop":
        self.page.goto(self.url + path)
        return self.settle()

    def settle(self) -> "Shop":
        self.page.wait_for_selector("main#content:not([aria-busy])", timeout=20_000)
        return self

    def ready(self) -> "Shop":
        """Until the pages themselves are kept for days without a network."""
        self.page.wait_for_function("navigator.serviceWorker.ready.then(() => true)")
        wait_until(self.page, "caches.match('/assets/index.html').then((page) => page !== undefined)")
        return self

    def text(self, selector: str = "main") -> str:
        return plain(self.page.locator(selector).first.inner_text())

    def bar(self) -> str:
        return plain(self.page.locator("#bar").inner_text())

    def held(self) -> dict:
        return self.page.evaluate(HELD)

    def put_into_cart(self, product: str, count: int = 1) -> None:
        self.go(f"/products/{product}")
        for _ in range(count):
            before = self.page.evaluate(COUNT)
            self.page.locator("[data-add]").first.click()
            wait_until(self.page, f"before => ({COUNT})() === before + 1", before)

    def order(self, pickup: str | None = None, payment: str | None = None) -> None:
        """Orders what is in the cart; the page of orders is shown then, or that of the order that is to be paid."""
        self.go("/checkout")
        form = self.page.locator('form[data-form="order"]')
        if pickup:
            form.locator('[name="pickup"]').select_option(pickup)
        if payment:
            form.locator('[name="payment"]').select_option(payment)
        form.locator("button[type=submit]").click()
        self.page.wait_for_selector(f'main[data-page="{"order" if payment else "orders"}"]')

    def sign_up(self, name: str, email: str) -> None:
        self.go_to_sign_in()
        form = self.page.locator('form[data-form="sign-up"]')
        for field, value in {"name": name, "email": email, "password": PASSWORD}.items():
            form.locator(f'[name="{field}"]').fill(value)
        form.locator("button[type=submit]").click()
        self.signed_in(name)

    def sign_in(self, name: str, email: str) -> None:
        self.go_to_sign_in()
        form = self.page.locator('form[data-form="sign-in"]')
        form.locator("[name=email]").fill(email)
        form.locator("[name=password]").fill(PASSWORD)
        form.locator("button").click()
        self.signed_in(name)

    def go_to_sign_in(self) -> None:
        """Opens the forms; the page of a first visit is drawn once more when its first pull is over."""
        self.go("/sign-in")
        wait_until(self.page, HAS_BEGUN)

    def signed_in(self, name: str) -> None:
        """Until the page that signing in leads to is shown."""
        self.page.wait_for_selector(f'.account-name:text-is("{name}")')
        self.page.wait_for_selector('main[data-page="orders"]:not([aria-busy])')

    def another_tab(self) -> "Shop":
        return Shop(self.context, self.url)
