"""A grower and a buyer at a real farm server: from the packed lot to the order that is changed, paid online, given out."""

import json

import pytest
from conftest import DESKTOP, PHONE
from real_farm import ADMINISTRATOR, RealFarm, until
from sample_market import picture
from shop_driver import Shop
from staff_driver import StaffPages
from story_driver import wait_until
from test_accessibility import look
from test_real_shop import until_taken

LOT = "TOM-9"
SQUARE = [[16.6, 47.8], [17.1, 47.8], [17.1, 48.1], [16.6, 48.1], [16.6, 47.8]]
looked: list[str] = []


@pytest.fixture
def farm(new_real_farm) -> RealFarm:
    """A farm with one packed lot and nothing in its shop, and a map of the operator's own."""
    farm = new_real_farm("--sandbox-pay")
    client = farm.server.claim()
    make = client.make
    make("POST", "/v1/farms", {"farm": "creek", "title": "Horse Creek Farm", "zone": "Europe/Madrid"})
    make("POST", "/v1/plots", {"farm": "creek", "plot": "q1", "title": "Terrace", "crop": "Tomatoes"})
    for lot in (LOT, "TOM-8"):
        make("POST", "/v1/lots", {"lot": lot, "product": "Tomatoes", "plot": "q1", "grams": 40_000})
        make("POST", f"/v1/lots/{lot}/packings", {"boxes": 20, "gramsEach": 2000})
    # The market has heard of the lots.
    until_taken(client, "PUT", f"/v1/stock/{LOT}", {"boxes": 0})
    return farm


def facts(farm: RealFarm, end: str) -> list[dict]:
    return [event for event in farm.server.replay() if event["type"].endswith(end)]


def sold(farm: RealFarm, staff: StaffPages, tmp_path) -> None:
    """The grower opens a place, tells of the farm, lists a product with its picture, and offers it."""
    staff.go("/market/places")
    staff.send("open-pickup", title="Farm gate", hours="Until dusk", county="Greene")
    staff.send("open-pickup", title="Market hall", hours="Saturdays 8 to 12")
    staff.go("/market/farm")
    (tmp_path / "farm.png").write_bytes(picture(80, 130, 70))
    form = staff.fill("profile-farm", title="Horse Creek Farm", county="Greene", region="Tennessee", hasGoods=True,
                      telephone="+1 423 555 0142", description="Three greenhouses.", latitude="36.117",
                      longitude="-82.683", alt="A white barn")
    form.locator('input[type="file"]').set_input_files(tmp_path / "farm.png")
    staff.page.wait_for_selector(".picture-view img")
    staff.send("profile-farm")
    staff.go("/market/products")
    staff.send("list-product", title="Tomatoes", unit="a box of 2 kg", category="fruit")
    staff.settle_on("/market/products/tomatoes")
    staff.send("publish-offer", lot=LOT, boxes="12", amount="8.90", currency="USD")
    wait_until(staff.page, "document.querySelector('[data-offer]')?.innerText.includes('12 available')")
    until(lambda: farm.anyone().get("/v1/sync")["changes"].get("offers"), 20, "the offer to reach the gateway")


def test_a_grower_sells_and_a_buyer_changes_pays_online_and_is_given_the_order(farm, new_phone, tmp_path):
    staff = StaffPages(new_phone(viewport=DESKTOP), farm.url)
    staff.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    sold(farm, staff, tmp_path)
    shop = Shop(new_phone(), farm.url)
    shop.go("/farms/creek").page.wait_for_selector(".detail-picture img")
    assert shop.page.locator(".detail-picture img").get_attribute("alt") == "A white barn"
    shop.sign_up("Bea Marin", "bea@buyers.test")
    shop.put_into_cart("tomatoes", 3)
    shop.order("farm-gate")
    shop.page.wait_for_selector("[data-order]")
    shop.page.locator("[data-order] a", has_text="Change").click()
    shop.page.wait_for_selector('main[data-page="change-order"]')
    shop.page.get_by_role("button", name="One less: Tomatoes").click()
    shop.page.get_by_label("Pick-up point").select_option("market-hall")
    shop.page.get_by_role("button", name="Save changes").click()
    shop.page.wait_for_selector('main[data-page="order"]')
    # News of before the change that was under way may be shown for a moment.
    wait_until(shop.page, "document.querySelector('main').innerText.includes('$17.80')")
    assert "Market hall" in shop.text()
    (changed,) = facts(farm, "order-changed.v1")
    assert (changed["data"]["pickup"], changed["data"]["total"]["minor"]) == ("market-hall", 1780)
    # The second order is paid at the provider's page.
    shop.put_into_cart("tomatoes")
    shop.order("farm-gate", "sandbox")
    shop.page.wait_for_selector('a.button:has-text("Pay $8.90 now")', timeout=20_000)
    with shop.context.expect_page() as opened:
        shop.page.locator("a.button", has_text="Pay $8.90 now").click()
    assert "8.90 USD for order" in opened.value.inner_text("main"), "the amount in dollars, not in cents"
    opened.value.get_by_role("button", name="Pay").click()
    wait_until(shop.page, "document.querySelector('[data-payment=\"good\"]') !== null")
    assert "Paid: $8.90." in shop.text()
    assert len(facts(farm, "payment-captured.v1")) == 1
    paid = shop.page.url.rsplit("/", 1)[1]
    # A third one is declined.
    shop.put_into_cart("tomatoes")
    shop.order("farm-gate", "sandbox")
    shop.page.wait_for_selector('a.button:has-text("Pay $8.90 now")', timeout=20_000)
    with shop.context.expect_page() as opened:
        shop.page.locator("a.button", has_text="Pay $8.90 now").click()
    opened.value.get_by_role("button", name="Decline").click()
    wait_until(shop.page, "document.querySelector('[data-payment=\"bad\"]') !== null")
    shop.page.get_by_role("button", name="Cancel order").click()
    shop.page.get_by_role("button", name="Yes, cancel the order").click()
    shop.page.wait_for_selector('h1:text("Cancelled")')
    # The grower packs, gives out what is paid, and calls the other one off.
    staff.go("/market")
    wait_until(staff.page, "document.querySelectorAll('[data-sale]').length === 2")
    assert "Bea Marin" in staff.text(f'[data-sale="{paid}"]') and "Paid, $8.90" in staff.text(f'[data-sale="{paid}"]')
    assert "2" in staff.text('[data-point="market-hall"] .packing tbody')
    # What was given back of it before is no reason not to.
    staff.go(f"/market/orders/{paid}")
    staff.unfold("Refund")
    staff.send("refund", amount="2", reason="One was bruised")
    staff.go("/market")
    assert "Paid, $8.90" in staff.text(f'[data-sale="{paid}"]')
    staff.page.locator(f'[data-hand-out="{paid}"]').click()
    wait_until(staff.page, "document.querySelectorAll('[data-sale]').length === 1")
    shop.go(f"/orders/{paid}")
    wait_until(shop.page, "document.querySelector('main').innerText.includes('$2.00 was refunded')")
    assert "Collected" in shop.text("h1")
    staff.go("/market")
    staff.page.locator("[data-sale] h3 a").click()
    staff.page.wait_for_selector('main[data-page="market-order"]')
    staff.unfold("Cancel order")
    staff.send("call-off", reason="Hail")
    shop.go("/orders")
    wait_until(shop.page, "document.querySelector('main').innerText.includes('Cancelled: Hail')")
    # What was bought is suggested again, with its reason.
    shop.go("/").page.wait_for_selector('[data-shelf="again"]', timeout=20_000)
    assert "You have bought this" in shop.text('[data-shelf="again"]')
    states = {event["data"]["order"] for event in facts(farm, "order-cancelled.v1")}
    print(f"orders: {len(facts(farm, 'order-placed.v1'))} placed, {len(states)} off, "
          f"{len(facts(farm, 'order-collected.v1'))} given out, {len(facts(farm, 'payment-refunded.v1'))} paid back")
    assert staff.problems == [] and shop.problems == []
    farm.server.audited()


def test_a_map_of_the_operators_own_is_drawn_from_the_farms_home(new_real_farm, new_phone):
    farm = new_real_farm()
    client = farm.server.claim()
    maps = farm.server.home / "maps"
    farm.server.stop()
    maps.mkdir(mode=0o755)
    (maps / "Burgenland.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": "Neusiedl"},
         "geometry": {"type": "Polygon", "coordinates": [SQUARE]}}]}))
    farm.server.start()
    client = farm.server.client()
    client.make("POST", "/v1/farms", {"farm": "see", "title": "Seehof", "zone": "Europe/Vienna"})
    until_taken(client, "PUT", "/v1/directory/see", {
        "title": "Seehof", "county": "Neusiedl", "region": "Burgenland", "latitude": 47.95, "longitude": 16.85})
    until(lambda: farm.anyone().get("/v1/sync")["changes"].get("farms"), 20, "the farm to reach the gateway")
    shop = Shop(new_phone(), farm.url)
    shop.go("/directory/map").page.wait_for_selector(".map .map-pin")
    assert shop.page.locator(".map-county.has-farms").count() == 1
    shop.page.locator(".map a[aria-label^='Neusiedl']").focus()
    shop.page.keyboard.press("Enter")
    shop.page.wait_for_selector('main[data-page="county"]')
    assert shop.page.locator("[data-farm]").count() == 1 and shop.problems == []


@pytest.mark.parametrize("screen", {"phone": PHONE, "desk": DESKTOP})
def test_real_pages_about_selling_have_no_violation(farm, new_phone, pictures, tmp_path, screen):
    size = {"phone": PHONE, "desk": DESKTOP}[screen]
    staff = StaffPages(new_phone(viewport=size, reduced_motion="reduce"), farm.url)
    staff.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    sold(farm, staff, tmp_path)
    shop = Shop(new_phone(viewport=size, reduced_motion="reduce"), farm.url)
    shop.sign_up("Bea Marin", "bea@buyers.test")
    for payment in (None, "sandbox"):
        shop.put_into_cart("tomatoes", 2)
        shop.order("farm-gate", payment)
    shop.page.wait_for_selector('a.button:has-text("Pay")', timeout=20_000)
    look(shop.page, "real-shop-to-be-paid", screen, "light", pictures)
    until(lambda: len(farm.client.items("/v1/sales")) == 2, 20, "the orders to be in the market")
    order = next(one["order"] for one in farm.client.items("/v1/sales") if one["payment"] == "at-pickup")
    shop.go(f"/orders/{order}/change")
    look(shop.page, "real-shop-change-order", screen, "light", pictures)
    for path, name in {
        "/market": "orders", f"/market/orders/{order}": "order", "/market/products": "products",
        "/market/products/tomatoes": "product", "/market/stock": "stock", "/market/places": "places",
        "/market/farm": "farm",
    }.items():
        staff.go(path)
        look(staff.page, f"real-sales-{name}", screen, "light", pictures)
        looked.append(f"{name}-{screen}")
    assert staff.problems == [] and shop.problems == []


def test_enough_real_pages_about_selling_were_looked_at():
    print(f"real pages about selling without a violation: {len(looked)}")
    assert len(looked) >= 14
