"""The staff sells: lists, offers, counts, opens places, packs, hands out, calls off."""

import base64
import struct
import zlib
from datetime import UTC, datetime, timedelta

import pytest
from conftest import DESKTOP
from gateway import STAFF, until
from loma_market import picture, until_taken
from shop_driver import Shop
from staff_driver import StaffPages
from story_driver import wait_until

ORDERS = pytest.mark.home("orders", "--sandbox-pay")
LOT = "TOM-9"


def test_a_grower_lists_a_product_with_its_picture_and_offers_it_from_a_lot(gateway, staff, new_phone, tmp_path):
    make = gateway.client.make
    make("POST", "/v1/lots", {"lot": LOT, "product": "Tomatoes", "plot": "south", "grams": 300_000})
    make("POST", f"/v1/lots/{LOT}/packings", {"boxes": 60, "gramsEach": 5000})
    until_taken(gateway.client, "PUT", f"/v1/stock/{LOT}", {"boxes": 0})
    pages = staff("grower")
    pages.go("/market/places")
    pages.send("open-pickup", title="Farm gate", hours="Every day until dusk")
    pages.go("/market/products")
    (tmp_path / "tomatoes.png").write_bytes(picture(190, 60, 60))
    form = pages.fill("list-product", title="Tomatoes ‘Rosa de Ronda’", unit="a box of 5 kg", category="fruit",
                      alt="Ripe tomatoes in a wooden box")
    form.locator('input[type="file"]').set_input_files(tmp_path / "tomatoes.png")
    pages.page.wait_for_selector(".picture-view img")
    pages.send("list-product")
    pages.settle_on("/market/products/tomatoes-rosa-de-ronda")
    assert "not offered yet" in pages.text("#offers")
    pages.fill("publish-offer", lot=LOT, boxes="60", amount="12.90", currency="EUR")
    pages.page.get_by_label("Farm gate").check()
    pages.send("publish-offer")
    assert "€12.90" in pages.text("[data-offer]") and "60 available" in pages.text("[data-offer]")
    assert "at Farm gate" in pages.text("[data-offer]")
    shop = Shop(new_phone(), gateway.url)
    shop.go("/products/tomatoes-rosa-de-ronda").page.wait_for_selector(".detail-picture img")
    assert shop.page.locator(".detail-picture img").get_attribute("alt") == "Ripe tomatoes in a wooden box"
    assert "€12.90 for a box of 5 kg" in shop.text() and LOT in shop.text()
    pages.page.get_by_role("button", name=f"Change the price of {LOT}").click()
    pages.send("reprice", price="11.5")
    assert "€11.50" in pages.text("[data-offer]")
    pages.press("close-offer")
    assert "not offered yet" in pages.text("#offers")
    pages.send("change-product", title="Tomatoes of the south terrace")
    assert pages.heading() == "Tomatoes of the south terrace"
    pages.press("withdraw-product")
    pages.settle_on("/market/products")
    until(lambda: gateway.pulled("products") == {}, 20, "the product to be gone")
    assert shop.problems == []


#: A picture as a browser makes it, as base64: 1,700 points wide, or small; nothing is drawn.
DRAWN = """([kind, width]) => {
    const canvas = Object.assign(document.createElement("canvas"), { width, height: 20 });
    return canvas.toDataURL(kind).split(",")[1];
}"""
#: The colour of a picture's first point.
COLOUR = """async (address) => {
    const bitmap = await createImageBitmap(await (await fetch(address)).blob());
    const pen = Object.assign(document.createElement("canvas"), { width: 9, height: 9 }).getContext("2d");
    pen.drawImage(bitmap, 0, 0);
    return [...pen.getImageData(0, 0, 1, 1).data];
}"""


#: Where a camera says that it was.
PLACE = b"MM\0*\0\0\0\x08\0\0\0\0\0\0 36.163 N 82.831 W"


def told_in_jpeg(data: bytes) -> bytes:
    place = b"Exif\0\0" + PLACE
    return data[:2] + b"\xff\xe1" + (len(place) + 2).to_bytes(2) + place + data[2:]


def told_in_png(data: bytes) -> bytes:
    head = 8 + 12 + 13
    return data[:head] + struct.pack(">I", len(PLACE)) + b"eXIf" + PLACE \
        + struct.pack(">I", zlib.crc32(b"eXIf" + PLACE)) + data[head:]


def told_in_webp(data: bytes, width: int) -> bytes:
    """The picture, 20 high, in the extended format, which alone knows of places."""
    flags, parts = 0x08, data[12:]
    if parts[:4] == b"VP8X":
        flags, parts = flags | parts[8], parts[18:]
    size = (width - 1).to_bytes(3, "little") + (20 - 1).to_bytes(3, "little")
    parts = b"VP8X" + struct.pack("<II", 10, flags) + size + parts + b"EXIF" + struct.pack("<I", len(PLACE)) + PLACE
    return b"RIFF" + struct.pack("<I", 4 + len(parts)) + b"WEBP" + parts


def test_a_picture_tells_nobody_where_it_was_taken_and_what_shows_through_is_white(gateway, staff, tmp_path):
    pages = staff("grower")
    names: list[str] = []
    gateway.tamper["/v1/media"] = lambda answer: [names.append(answer["sha256"]), answer][1]
    pages.go("/market/products")

    def sent(name: str, data: bytes) -> str:
        """What a picture is called once it was sent."""
        pages.page.reload()
        pages.settle()
        (tmp_path / name).write_bytes(data)
        pages.form("list-product").locator('input[type="file"]').set_input_files(tmp_path / name)
        uploaded = "document.querySelector('.field-picture .hint[role]').innerText.includes('was uploaded')"
        wait_until(pages.page, uploaded)
        return names.pop()

    def kept(sha: str) -> bytes:
        return gateway.anyone().call("GET", f"/media/{sha}").body

    def drawn(kind: str, width: int) -> bytes:
        return base64.b64decode(pages.page.evaluate(DRAWN, [kind, width]))

    def first_point(name: str, data: bytes) -> list[int]:
        """Of a picture that tells no place any more."""
        sha = sent(name, data)
        assert b"36.163" not in kept(sha), name
        return pages.page.evaluate(COLOUR, f"/media/{sha}")

    assert first_point("field.jpg", told_in_jpeg(drawn("image/jpeg", 40)))[3] == 255
    assert first_point("field.webp", told_in_webp(drawn("image/webp", 40), 40)) == [255, 255, 255, 255]
    assert first_point("field.png", told_in_png(drawn("image/png", 40))) == [0, 0, 0, 0], "small, as it was"
    assert first_point("logo.png", drawn("image/png", 1700)) == [255, 255, 255, 255]
    moving = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
    assert kept(sent("moving.gif", moving)) == moving


@ORDERS
def test_what_could_not_be_said_stands_at_the_order_below_all_orders_and_with_the_server(gateway, staff):
    first, *_ = gateway.told.orders
    now = datetime.now(UTC)
    failed = [
        {"message": f"m{days}", "at": (now - timedelta(days=days)).isoformat(), "to": "mail", "order": first,
         "about": about, "reason": "no mail server is named (FURROW_SMTP)"}
        for days, about in ((0, "recall"), (20, "refund"))]
    gateway.override["GET /v1/messages/given-up"] = (200, {"items": failed, "next": None})
    pages = staff("administrator")
    pages.go(f"/market/orders/{first}")
    alarm = pages.text("main .alarm")
    assert "the recall was not sent" in alarm and "Call the buyer" in alarm and "FURROW_SMTP" in alarm
    assert "did not make the refund" in alarm, "an order tells all of it"
    pages.go("/market")
    pages.unfold("1 message could not be sent")
    assert "the recall was not sent" in pages.text("details.given-up")
    pages.page.locator("details.given-up a").click()
    pages.settle_on(f"/market/orders/{first}")
    pages.go("/operations")
    assert pages.page.locator("[data-tile=unsaid]").get_attribute("data-tone") == "note"
    assert "1" in pages.text("[data-tile=unsaid]") and "no mail server" in pages.text("[data-tile=unsaid]")


def test_what_was_typed_is_there_again_after_a_reload_and_can_be_thrown_away(gateway, staff):
    pages = staff("grower")
    pages.go("/market/products")
    pages.fill("list-product", title="Plums", unit="a bag", description="Blue and small")
    pages.page.reload()
    pages.settle()
    assert pages.form("list-product").locator('[name="description"]').input_value() == "Blue and small"
    assert "Your unsent entries were restored" in pages.text("#list-product")
    pages.page.get_by_role("button", name="Start over").click()
    assert pages.form("list-product").locator('[name="title"]').input_value() == ""
    pages.page.reload()
    pages.settle()
    assert pages.form("list-product").locator('[name="description"]').input_value() == ""


@ORDERS
def test_boxes_are_counted_and_never_below_what_is_promised(gateway, staff):
    pages = staff("grower")
    pages.go("/market/stock")
    card = pages.page.locator('[data-stock="L-3"]')
    card.locator("summary").click()
    card.locator('[name="boxes"]').fill("2")
    card.locator('form[data-form^="count"] button[type="submit"]').click()
    assert "Use 3 or more." in card.inner_text(), "three are promised"
    card.locator('[name="by"]').fill("-5")
    card.locator('[name="reason"]').fill("Dropped a crate")
    card.locator('form[data-form^="adjust"] button[type="submit"]').click()
    wait_until(pages.page, "document.querySelector('[data-stock=\"L-3\"] dd').innerText === '32'")
    assert gateway.free("L-3") == 32


@ORDERS
def test_orders_are_packed_given_out_called_off_and_paid_back(gateway, staff):
    orders = gateway.told.orders
    pages = staff("grower")
    pages.go("/market")
    assert pages.page.locator("[data-point]").count() == 2
    packing = pages.text('[data-point="market"] .packing')
    assert "Cherokee Purple" in packing and "Limbertwig" in packing and "Sourwood" not in packing
    assert "To pay: $27.10" in pages.text(f'[data-sale="{orders[0]}"]')
    assert "Paid, $12.50" in pages.text(f'[data-sale="{orders[2]}"]')
    pages.page.locator(f'[data-hand-out="{orders[0]}"]').click()
    wait_until(pages.page, f"document.querySelector('[data-sale=\"{orders[0]}\"]') === null")
    assert pages.announced() == "Collected."
    pages.page.locator(".pill", has_text="Farm gate").click()
    pages.settle_on("/market/at/gate")
    assert pages.page.locator("[data-sale]").count() == 1
    pages.page.locator("[data-sale] h3 a").click()
    pages.settle_on(f"/market/orders/{orders[1]}")
    assert "Bea Marin" in pages.text() and "+1 423 555 0177" in pages.text()
    pages.unfold("Cancel order")
    pages.send("call-off", reason="The bees swarmed")
    assert "Cancelled: The bees swarmed" in pages.text(".head")
    pages.go(f"/market/orders/{orders[2]}")
    pages.unfold("Refund")
    pages.send("refund", amount="2.5", reason="Two were bruised")
    assert "$2.50" in pages.text()
    pages.go("/market")
    pages.unfold("Collected and cancelled")
    over = pages.page.locator("details.fold", has_text="Collected and cancelled").locator(".rows li")
    over.first.wait_for()
    assert over.count() == 2
    assert sorted(order["state"] for order in gateway.orders()) == ["cancelled", "collected", "placed"]


def test_what_was_typed_waits_for_who_typed_it_until_they_sign_out(gateway, staff):
    pages = staff("grower")
    pages.go("/market/places")
    pages.fill("open-pickup", title="Behind the barn")
    pages.page.context.clear_cookies()

    def typed(email: str) -> str:
        pages.sign_in(email)
        pages.go("/market/places")
        return pages.form("open-pickup").locator("[name=title]").input_value()

    assert typed(STAFF["bo"]) == ""
    pages.page.context.clear_cookies()
    assert typed(STAFF["grower"]) == "Behind the barn"
    pages.sign_out()
    left = pages.page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('furrow-draft'))")
    assert left == [] and typed(STAFF["grower"]) == ""


@ORDERS
def test_auditors_see_everything_and_change_nothing(gateway, staff):
    orders = gateway.told.orders
    pages = staff("auditor")
    for path in ("/market", f"/market/orders/{orders[0]}", "/market/products", "/market/products/tomatoes",
                 "/market/stock", "/market/places", "/market/farm"):
        pages.go(path)
        buttons = [text for text in pages.page.locator("main button").all_inner_texts() if text.strip() != "Print"]
        assert pages.page.locator("main form").count() == 0 and buttons == [], path


@ORDERS
def test_an_order_is_given_out_with_the_keyboard_alone(gateway, staff):
    orders = gateway.told.orders
    pages = staff("grower")
    pages.go("/market")
    page = pages.page
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.handOut") == orders[1]:
            break
    page.keyboard.press("Enter")
    wait_until(page, f"document.querySelector('[data-sale=\"{orders[1]}\"]') === null")


def facts(gateway, end: str) -> list[dict]:
    return [event for event in gateway.farm.replay() if event["type"].endswith(end)]


def sold(gateway, staff: StaffPages, tmp_path) -> None:
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
    gateway.until_pulled("offers", lambda offers: offers)


@pytest.mark.home("season", "--sandbox-pay")
def test_a_grower_sells_and_a_buyer_changes_pays_online_and_is_given_the_order(gateway, new_phone, tmp_path):
    make = gateway.client.make
    make("POST", "/v1/lots", {"lot": LOT, "product": "Tomatoes", "plot": "south", "grams": 40_000})
    make("POST", f"/v1/lots/{LOT}/packings", {"boxes": 20, "gramsEach": 2000})
    until_taken(gateway.client, "PUT", f"/v1/stock/{LOT}", {"boxes": 0})
    staff = StaffPages(new_phone(viewport=DESKTOP), gateway.url)
    staff.sign_in(STAFF["administrator"])
    sold(gateway, staff, tmp_path)
    shop = Shop(new_phone(), gateway.url)
    shop.go("/farms/loma").page.wait_for_selector(".detail-picture img")
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
    (changed,) = facts(gateway, "order-changed.v1")
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
    assert len(facts(gateway, "payment-captured.v1")) == 1
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
    # The sale leaves the list at once; that it was collected is sent afterwards.
    until(lambda: facts(gateway, "order-collected.v1"), 20, "the collection to be recorded")
    until(lambda: "Collected" in shop.go(f"/orders/{paid}").text("h1"), 20, "the buyer's page to show it")
    wait_until(shop.page, "document.querySelector('main').innerText.includes('$2.00 was refunded')")
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
    states = {event["data"]["order"] for event in facts(gateway, "order-cancelled.v1")}
    print(f"orders: {len(facts(gateway, 'order-placed.v1'))} placed, {len(states)} off, "
          f"{len(facts(gateway, 'order-collected.v1'))} given out, "
          f"{len(facts(gateway, 'payment-refunded.v1'))} paid back")
    assert staff.problems == [] and shop.problems == []
    gateway.farm.audited()
