"""The buyers' pages against a real farm server: what is told, kept and sent, and each order once, whatever happens."""

import time

import pytest
from conftest import DESKTOP, PHONE
from real_farm import RealFarm
from real_proxy import Proxy
from sample_market import picture
from shop_driver import Shop
from story_driver import wait_until
from test_accessibility import look

PLACED = "farm.furrow.orders.order-placed.v1"
LOT = "TOM-9"
looked: list[str] = []


def until_taken(client, method: str, path: str, body: dict) -> dict:
    """The news of lots and farms takes a moment to get to the market."""
    end = time.monotonic() + 20
    while True:
        answer = client.settle(method, path, body)
        if answer.status < 300 or time.monotonic() > end:
            assert answer.status in (200, 201), f"{method} {path}: {answer}"
            return answer.json
        time.sleep(0.1)


def open_market(farm: RealFarm, boxes: int = 20) -> str:
    """A farm of the directory that sells one lot of tomatoes. Gives the name of its picture."""
    client = farm.server.claim()
    make = client.make
    make("POST", "/v1/farms", {"farm": "creek", "title": "Horse Creek Farm", "zone": "America/New_York"})
    make("POST", "/v1/plots", {"farm": "creek", "plot": "q1", "title": "Terrace", "crop": "Tomatoes"})
    make("POST", "/v1/lots", {"lot": LOT, "product": "Tomatoes", "plot": "q1", "grams": boxes * 2000})
    make("POST", f"/v1/lots/{LOT}/packings", {"boxes": boxes, "gramsEach": 2000})
    name = make("POST", "/v1/media", picture(80, 130, 70))["sha256"]
    until_taken(client, "PUT", "/v1/directory/creek", {
        "title": "Horse Creek Farm", "county": "Greene", "region": "Tennessee", "telephone": "+1 423 555 0142",
        "street": "1210 Horse Creek Road", "latitude": 36.117, "longitude": -82.683, "picture": name,
        "description": "Three greenhouses above the creek.", "hasGoods": True})
    until_taken(client, "PUT", "/v1/pickups/gate", {"title": "Farm gate", "farm": "creek", "hours": "Until dusk"})
    until_taken(client, "POST", "/v1/products", {
        "product": "tomatoes", "farm": "creek", "title": "Tomatoes", "unit": "a box of 2 kg", "category": "fruit"})
    until_taken(client, "PUT", f"/v1/stock/{LOT}", {"boxes": boxes})
    until_taken(client, "POST", "/v1/offers", {
        "offer": "tom", "product": "tomatoes", "lot": LOT, "price": {"minor": 890, "currency": "USD"}})
    end = time.monotonic() + 20
    while not farm.anyone().get("/v1/sync")["changes"].get("offers"):
        assert time.monotonic() < end, "the offer did not reach the gateway"
        time.sleep(0.1)
    return name


def orders_in_the_log(farm: RealFarm) -> int:
    return sum(1 for event in farm.server.replay() if event["type"] == PLACED)


@pytest.fixture
def market(new_real_farm) -> RealFarm:
    farm = new_real_farm()
    open_market(farm)
    return farm


def test_a_buyer_finds_a_farm_orders_and_sees_the_order(market, new_phone):
    market.client.make("PUT", "/v1/site", {
        "title": "Good food from the hills", "donate": "https://trail.example", "sponsors": [{"name": "Seed Library"}]})
    shop = Shop(new_phone(), market.url)
    shop.go("/")
    assert "Good food from the hills" in shop.text("h1") and "Seed Library" in shop.text(".support")
    shop.go("/directory")
    shop.page.locator(".counties a").click()
    shop.page.locator("[data-farm] a").click()
    shop.page.wait_for_selector('main[data-page="farm"]')
    shop.page.wait_for_selector(".detail-picture img")
    assert "Has goods for sale" in shop.text()
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("tomatoes", 2)
    shop.order()
    shop.page.wait_for_selector("[data-order]")
    assert "$17.80" in shop.text("[data-order]")
    assert orders_in_the_log(market) == 1
    wait_until(shop.page, "fetch('/v1/sync').then((one) => one.json())"
                          ".then((one) => one.changes.lots.created[0].free === 18)")
    shop.page.locator("[data-order] a").first.click()
    shop.page.wait_for_selector('main[data-page="order"]')
    shop.page.get_by_role("button", name="Cancel order").click()
    shop.page.get_by_role("button", name="Yes, cancel the order").click()
    shop.page.wait_for_selector('h1:text("Cancelled")')
    market.client.make("POST", f"/v1/lots/{LOT}/recalls", {"reason": "Glass"})
    wait_until(shop.page, "fetch('/v1/sync').then((one) => one.json())"
                          ".then((one) => one.changes.lots.created[0].recalled === 'Glass')")
    shop.go("/products/tomatoes").page.wait_for_selector(".offer .lot-alarm")
    assert shop.page.locator("[data-add]").count() == 0
    assert shop.problems == []
    market.server.audited()


def test_an_order_made_while_the_server_is_stopped_is_in_the_log_once(market, new_phone):
    shop = Shop(new_phone(), market.url)
    shop.sign_up("Bea", "bea@buyers.test")
    shop.go("/").ready()
    market.server.stop()
    for path in ("/", "/directory/map", "/farms/creek", "/shop"):
        assert "cannot be shown" not in shop.go(path).text(), path
    shop.page.wait_for_selector('[data-bar="offline"]')
    shop.put_into_cart("tomatoes", 3)
    shop.order()
    assert "Not sent yet" in shop.text()
    tabs = [shop.another_tab() for _ in range(2)]
    for tab in tabs:
        tab.go("/orders")
    shop.page.close()
    market.server.start()
    for tab in tabs:
        tab.page.evaluate("dispatchEvent(new Event('online'))")
    for tab in tabs:
        tab.page.wait_for_selector("[data-order]")
    counted = orders_in_the_log(market)
    print(f"orders made without a server, seen by {len(tabs)} tabs: {counted} in the log")
    assert counted == 1 and [tab.problems for tab in tabs] == [[], []]


def test_an_order_whose_answers_are_lost_after_the_commit_is_in_the_log_once(market, new_phone):
    proxy = Proxy(market.server.port)
    shop = Shop(new_phone(), proxy.url)
    shop.sign_up("Bea", "bea@buyers.test")
    proxy.lose["/v1/sync"] = 3
    shop.put_into_cart("tomatoes")
    shop.order()
    for _ in range(6):
        shop.go("/orders")
        shop.page.wait_for_timeout(400)
    shop.page.wait_for_selector("[data-order]")
    counted = orders_in_the_log(market)
    sent = sum(1 for path, _ in proxy.passed if path == "/v1/sync")
    print(f"an order that was sent {sent} times: {counted} in the log")
    assert counted == 1 and sent >= 4 and shop.held()["outbox"] == []
    proxy.close()


@pytest.mark.parametrize("screen", {"phone": PHONE, "desk": DESKTOP})
def test_real_pages_have_no_violation(market, new_phone, pictures, screen):
    size = {"phone": PHONE, "desk": DESKTOP}[screen]
    shop = Shop(new_phone(viewport=size, reduced_motion="reduce"), market.url)
    shop.go("/").ready()
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("tomatoes")
    for path, name in {
        "/": "start", "/directory": "counties", "/directory/map": "map", "/farms/creek": "farm", "/shop": "shop",
        "/products/tomatoes": "product", "/cart": "cart", "/checkout": "checkout", "/orders": "orders",
        "/settings": "settings",
    }.items():
        shop.go(path)
        look(shop.page, f"real-shop-{name}", screen, "light", pictures)
        looked.append(f"{name}-{screen}")
    assert shop.problems == []


def test_somebody_takes_their_data_along_and_is_erased(market, new_phone):
    shop = Shop(new_phone(), market.url)
    shop.sign_up("Bea Canary", "canary@buyers.test")
    shop.go("/settings")
    with shop.page.expect_download() as told:
        shop.page.get_by_role("button", name="Download my data").click()
    assert "canary@buyers.test" in told.value.path().read_text()
    shop.page.on("dialog", lambda dialog: dialog.accept())
    shop.page.get_by_role("button", name="Delete my account").click()
    shop.page.wait_for_selector('.account a:text("Sign in")')
    # What everybody may see is coming anew meanwhile.
    held = shop.held()
    assert (held["outbox"], held["updates"]) == ([], [])
    assert market.anyone().settle("POST", "/v1/sessions", {
        "email": "canary@buyers.test", "password": "correct horse battery"}).status == 401


def test_enough_real_pages_were_looked_at():
    print(f"real shop pages without a violation: {len(looked)}")
    assert len(looked) >= 20
