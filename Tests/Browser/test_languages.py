"""Pages in the language of a person or browser: complete, on every device, and without a network."""

import json
import re
from pathlib import Path

import pytest
from conftest import PHONE
from loma_farm import STAFF
from shop_driver import Shop
from staff_driver import PASSWORD, StaffPages
from story_driver import wait_until
from test_accessibility import look

CATALOGUES = Path(__file__).parents[2] / "Services" / "SyncGateway" / "Web" / "languages"
#: Words that English sentences have, and neither German nor Spanish ones.
ENGLISH = re.compile(r"\b(the|of|and|is|are|were|not|this|that|with|from|have|has|been|your|which)\b", re.IGNORECASE)
ROUTES = ["/", "/plots", "/plots/p1", "/stores", "/goods", "/beacons", "/inventories", "/farm-map", "/lots", "/harvest",
          "/market", "/market/products", "/market/stock", "/market/promotions", "/market/places", "/market/farm",
          "/sensors", "/alarms", "/start-page", "/people", "/account", "/audit-log", "/operations"]
#: Names of people of the stored farm, and of a handbook's goods, which are words of the pages, too.
NAMES = {"Administrator", "Grower", "Auditor", "Celery"}
#: The texts of a page, each as it is in its element.
TEXTS = """() => [...document.querySelectorAll("#top, #content")].flatMap((root) => {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walk.nextNode()) texts.push(walk.currentNode.data);
    const named = [...root.querySelectorAll("[aria-label]")].map((one) => one.getAttribute("aria-label"));
    return [...texts, ...named].filter((text) => text.trim() !== "");
})"""


def english(texts: list[str], catalogue: dict[str, str]) -> set[str]:
    """The texts that the catalogue translates, or that are English sentences."""
    said = set(catalogue.values()) | NAMES
    return {text for text in texts
            if catalogue.get(text, text) != text and text not in said or len(ENGLISH.findall(text)) > 1}


def choose(pages: StaffPages, language: str) -> None:
    """Chooses a language. The page is loaded again, so that nothing may be asked of it meanwhile."""
    form = pages.form("set-language")
    form.locator("[name=language]").select_option(language)
    form.locator("button[type=submit]").click()
    pages.page.wait_for_selector(f"html[lang={language}] nav.menu")
    pages.ready()


@pytest.mark.parametrize("language", ["de", "es"])
def test_every_page_of_the_staff_is_in_the_persons_language(gateway, staff, language, pictures):
    catalogue = json.loads((CATALOGUES / f"staff.{language}.json").read_text())
    pages = staff("administrator")
    pages.go("/account")
    choose(pages, language)
    read, left = 0, {}
    for route in ROUTES:
        pages.go(route)
        texts = pages.page.evaluate(TEXTS)
        read += len(texts)
        if found := english(texts, catalogue):
            left[route] = found
        if route in ("/", "/inventories", "/account"):
            look(pages.page, f"{language}-{route.strip('/') or 'today'}", "phone", "light", pictures)
    print(f"{language}: {read} texts on {len(ROUTES)} pages; still English: {left}")
    assert read > 600 and not left


def test_a_language_follows_its_person_and_needs_no_network(gateway, staff, new_phone):
    pages = staff("grower")
    pages.go("/account")
    choose(pages, "de")
    assert "Ihr Konto" in pages.text("main")
    # The person signs in on another device: its page is in the browser’s language before, in German after.
    other = StaffPages(new_phone(viewport=PHONE), gateway.url)
    other.page.goto(f"{gateway.url}/staff")
    other.page.wait_for_selector('form[data-form="sign-in"]')
    assert "Sign in" in other.text("main")
    # It is loaded again, so that nothing may be asked of it meanwhile.
    form = other.form("sign-in")
    form.locator("[name=email]").fill(STAFF["grower"])
    form.locator("[name=password]").fill(PASSWORD)
    form.locator("button[type=submit]").click()
    other.page.wait_for_selector("nav.menu a:has-text('Heute')")
    # Without a network the catalogue is that of the service worker.
    wait_until(other.page, "navigator.serviceWorker.controller !== null")
    wait_until(other.page, "caches.match('/assets/languages/staff.de.json').then((found) => found !== undefined)")
    other.page.context.set_offline(True)
    other.page.reload()
    other.page.wait_for_selector("nav.menu a:has-text('Heute')")
    other.page.context.set_offline(False)
    # Another person on this device gets their own.
    other.press("sign out")
    other.page.wait_for_selector('form[data-form="sign-in"]')
    assert "Anmelden" in other.text("main")


@pytest.mark.home("market")
@pytest.mark.parametrize(("language", "locale"), [("de", "de-AT"), ("es", "es-ES")])
def test_the_shop_is_in_the_browsers_language_until_another_is_chosen(gateway, new_phone, language, locale, pictures):
    catalogue = json.loads((CATALOGUES / f"shop.{language}.json").read_text())
    shop = Shop(new_phone(locale=locale), gateway.url)
    page = shop.page
    read, left = 0, {}
    for path in ("/", "/shop", "/products/apples", "/directory", "/farms/loma", "/cart", "/settings", "/sign-in",
                 "/forgot", "/promotions", "/orders"):
        shop.go(path)
        page.wait_for_selector(f"html[lang={language}] main:not([aria-busy])")
        texts = page.evaluate(TEXTS)
        read += len(texts)
        if found := {text for text in texts if catalogue.get(text, text) != text and text not in catalogue.values()}:
            left[path] = found
        if path in ("/", "/settings"):
            look(page, f"shop-{language}-{path.strip('/') or 'start'}", "phone", "light", pictures)
    print(f"{language}: {read} texts on 11 pages of the shop; still English: {left}")
    assert read > 250 and not left
    # Without a network, too: the service worker keeps the catalogue.
    wait_until(page, f"caches.match('/assets/languages/shop.{language}.json').then((found) => found !== undefined)")
    wait_until(page, "navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)
    page.reload()
    page.wait_for_selector(f"html[lang={language}] footer:has-text('{catalogue['For farm staff']}')")
    page.context.set_offline(False)
    # Without an account the choice is this browser's.
    shop.go("/settings")
    form = page.locator("form[data-form=set-language]")
    form.locator("select[name=language]").select_option("en")
    form.locator("button[type=submit]").click()
    page.wait_for_selector("html[lang=en] h1:has-text('Settings')")


def test_a_story_is_in_the_browsers_language(gateway, new_phone, pictures):
    catalogue = json.loads((CATALOGUES / "shop.de.json").read_text())
    page = new_phone(locale="de-DE").new_page()
    page.goto(gateway.url + gateway.label_path())
    page.wait_for_selector(".badge-title:has-text('Bestätigt')")
    texts = page.evaluate(TEXTS.replace("#top, #content", "body"))
    left = {text for text in texts if catalogue.get(text, text) != text and text not in catalogue.values()}
    look(page, "story-de", "phone", "light", pictures)
    print(f"de: {len(texts)} texts of a story; still English: {left}")
    assert len(texts) > 150 and not left


@pytest.mark.home("market")
def test_a_buyers_language_is_that_of_the_account(gateway, new_phone):
    gateway.enrol("Bea", "bea@buyers.test")
    shop = Shop(new_phone(), gateway.url)
    shop.sign_in("Bea", "bea@buyers.test")
    shop.go("/settings")
    form = shop.page.locator("form[data-form=set-language]")
    form.locator("select[name=language]").select_option("es")
    form.locator("button[type=submit]").click()
    shop.page.wait_for_selector("html[lang=es] h1:has-text('Ajustes')")
    assert gateway.person("bea@buyers.test").get("/v1/me")["language"] == "es"
    # On another device the first update after signing in brings it.
    other = Shop(new_phone(), gateway.url)
    other.go_to_sign_in()
    form = other.page.locator('form[data-form="sign-in"]')
    form.locator("[name=email]").fill("bea@buyers.test")
    form.locator("[name=password]").fill(PASSWORD)
    form.locator("button").click()
    other.page.wait_for_selector("html[lang=es] .account-name:has-text('Bea')")
