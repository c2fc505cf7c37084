"""The staff's pages in the language of a person's account: on every device, without a network, and complete."""

import json
import re
from pathlib import Path

import pytest
from conftest import PHONE
from loma_farm import STAFF
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


@pytest.mark.parametrize("language", ["de", "es"])
def test_every_page_of_the_staff_is_in_the_persons_language(gateway, staff, language, pictures):
    catalogue = json.loads((CATALOGUES / f"{language}.json").read_text())
    pages = staff("administrator")
    pages.go("/account")
    pages.send("set-language", language=language)
    wait_until(pages.page, f"document.documentElement.lang === '{language}'")
    pages.ready()
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
    pages.send("set-language", language="de")
    wait_until(pages.page, "document.documentElement.lang === 'de'")
    pages.ready()
    assert "Ihr Konto" in pages.text("main")
    # The person signs in on another device: its page is in English before, in German after.
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
    wait_until(other.page, "caches.match('/assets/languages/de.json').then((found) => found !== undefined)")
    other.page.context.set_offline(True)
    other.page.reload()
    other.page.wait_for_selector("nav.menu a:has-text('Heute')")
    other.page.context.set_offline(False)
    # Another person on this device gets their own.
    other.press("sign out")
    other.page.wait_for_selector('form[data-form="sign-in"]')
    assert "Anmelden" in other.text("main")
