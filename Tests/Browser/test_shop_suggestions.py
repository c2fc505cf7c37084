"""Suggestions and the picks of the day on the buyers' pages."""

from datetime import UTC, datetime, timedelta

import pytest
from client import Client
from conftest import DESKTOP, PHONE
from gateway import STAFF, until
from loma_market import place, sign_up
from playwright.sync_api import ViewportSize
from story_driver import wait_until
from test_accessibility import look

pytestmark = pytest.mark.home("market")
BEA = "bea@buyers.test"


def shelves(client: Client, **query) -> list[str]:
    return [one["shelf"] for one in client.get("/v1/shelves", **query)["shelves"]]


def test_shelves_and_picks_stand_where_they_are_looked_for_and_are_shown_without_a_network(shop, gateway, pictures):
    cid = sign_up(gateway.farm, "Cid", "cid@buyers.test")
    for _ in range(3):
        place(cid, {"tomatoes": 1, "apples": 1, "carrots": 1}, "market")
    until(lambda: "together" in shelves(gateway.anyone(), **{"with": "tomatoes"}), 20,
          "the recommender to know what is bought together")
    shop.sign_up("Bea", BEA)
    shop.put_into_cart("apples")
    shop.order()
    shop.page.wait_for_selector("[data-order]")
    until(lambda: "again" in shelves(gateway.person(BEA)), 20, "the recommender to know what Bea has bought")

    def at_both_sizes(name: str) -> None:
        for screen, size, scheme in (("phone", PHONE, "dark"), ("desk", DESKTOP, "light")):
            shop.page.set_viewport_size(ViewportSize(width=size["width"], height=size["height"]))
            look(shop.page, name, screen, scheme, pictures)

    def has(path: str, *shelves: str) -> None:
        shop.go(path)
        wait_until(shop.page, "names => Array.from(document.querySelectorAll('[data-shelf]'), "
                              "(one) => one.dataset.shelf).join() === names", ",".join(shelves))

    has("/", "daily", "again")
    # All six products are picked; the page may be drawn again because something is new.
    wait_until(shop.page, "!document.querySelector('main').innerText.includes('This week')")

    def shown() -> list[str]:
        return shop.page.locator('[data-shelf="daily"] [data-product]').evaluate_all(
            "all => all.map((one) => one.dataset.product)")
    picks = shown()
    assert 2 <= len(picks) <= 6 and len(set(picks)) == len(picks), picks
    at_both_sizes("start-picks")
    assert "You have bought this before." in shop.text('[data-shelf="again"]')
    has("/products/tomatoes", "together")
    shop.go("/products/apples")
    shop.page.locator("#why summary").click()
    shop.page.wait_for_selector("#why li a")
    assert "You have bought this before." in shop.text("#why") and "Your orders with it:" in shop.text("#why")
    at_both_sizes("product-why")
    shop.page.locator("#why li a").click()
    shop.page.wait_for_selector('main[data-page="order"]')
    shop.put_into_cart("tomatoes")
    has("/cart", "together", "next")
    gateway.set_free("L-4", 0)
    # What is sold out is not suggested, nor shown among the picks of the day.
    has("/", "daily")
    wait_until(shop.page, "document.querySelector('[data-shelf] [data-product=apples]') === null")
    assert [one for one in shown() if one != "apples"] == [one for one in picks if one != "apples"]
    # Its page offers what else is of its kind.
    shop.go("/products/apples")
    assert 1 <= shop.page.locator("#instead [data-product]").count() <= 4
    assert "Tomatoes" in shop.text("#instead") and "Sold out" in shop.text()
    at_both_sizes("product-instead")
    shop.ready()
    gateway.stop()
    for path, kinds in {"/products/tomatoes": ["together"], "/cart": ["together", "next"]}.items():
        has(path, *kinds)
        shop.page.wait_for_selector(".shelves .as-of")
        assert "No connection: suggested on" in shop.text(".shelves .as-of")
    # The picks of this day are those of the network; on the next day the page says that they are old, or gets others.
    has("/", "daily")
    assert shop.page.locator(".picks .as-of").count() == 0
    shop.page.clock.set_fixed_time(datetime.now(UTC) + timedelta(days=1, hours=1))
    has("/", "daily")
    assert "No connection: picked for" in shop.text(".picks .as-of")
    gateway.start()
    has("/", "daily")
    wait_until(shop.page, "document.querySelector('.picks .as-of') === null")
    assert shop.text(".picks h2") == "Picked for you today"
    gateway.farm.audited()


def test_what_is_looked_at_is_suggested_only_after_consent_and_forgotten_on_request(shop, gateway, pictures):
    shop.sign_up("Dot", "dot@buyers.test")
    dot = gateway.person("dot@buyers.test")
    shop.go("/products/honey")
    agree(shop, True)
    shop.go("/products/carrots")
    until(lambda: "viewed" in shelves(dot), 20, "what Dot looked at")
    shop.go("/")
    shop.page.wait_for_selector('[data-shelf="viewed"] [data-product=carrots]')
    assert shop.page.locator('[data-shelf="viewed"] [data-product]').count() == 1, "nothing of before the consent"
    assert "You looked at this." in shop.text('[data-shelf="viewed"]')
    look(shop.page, "start-viewed", "phone", "light", pictures)
    agree(shop, False)
    assert "viewed" not in shelves(dot)
    gateway.farm.audited()


def agree(shop, remembers: bool) -> None:
    """Sets whether the farm server may note what the person looks at."""
    shop.go("/settings")
    form = shop.page.locator('form[data-form="preferences"]')
    form.locator("[name=views]").set_checked(remembers)
    form.locator("button[type=submit]").click()
    wait_until(shop.page, "document.querySelector('#announcements').textContent === 'Saved.'")


def test_the_shelf_of_the_county_is_chosen_on_the_device(shop, gateway):
    client = gateway.anyone()
    sellers = {one["farm"] for one in client.get("/v1/products")["items"]}
    county = next(one["county"] for one in client.get("/v1/directory")["items"] if one["farm"] in sellers)
    requested = []
    shop.page.on("request", lambda request: requested.append(request.url))
    shop.go("/settings")
    form = shop.page.locator('form[data-form="preferences"]')
    form.locator("[name=county]").select_option(county)
    form.locator("button[type=submit]").click()
    wait_until(shop.page, "document.querySelector('#announcements').textContent === 'Saved.'")
    shop.go("/")
    shop.page.wait_for_selector('[data-shelf="county"] [data-product]')
    assert f"From {county}" in shop.text(".shelves")
    assert any("limit=50" in url for url in requested), "enough to choose from"
    assert not any(county in url for url in requested), "the county stays on the device"


def test_a_grower_compares_the_models_of_the_picks(gateway, staff, pictures):
    pages = staff("grower")
    pages.go("/market/suggestions")
    assert "Each buyer gets a few products" in pages.text()
    for number in range(24):
        sign_up(gateway.farm, f"P{number}", f"p{number}@models.test").get("/v1/picks")
    grower = gateway.person(STAFF["grower"])
    until(lambda: sum(one["people"] for one in grower.get("/v1/picks/outcomes")["models"]) >= 24, 20, "all picks")
    pages.go("/market")
    pages.go("/market/suggestions")
    pages.page.wait_for_selector(".share-chart svg[role=img]")
    assert pages.page.locator("[data-model]").count() == 2
    assert "Too few to be certain which is better" in pages.text("[data-difference]")
    for screen, size, scheme in (("phone", PHONE, "dark"), ("desk", DESKTOP, "light")):
        pages.page.set_viewport_size(ViewportSize(width=size["width"], height=size["height"]))
        look(pages.page, "suggestion-models", screen, scheme, pictures)
