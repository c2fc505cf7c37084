"""What is ordered is what was shown: the cart of this tab, at the price that stood there."""

import pytest
from gateway import until
from loma_market import PLACES
from shop_driver import HELD
from story_driver import plain, wait_until

pytestmark = pytest.mark.home("market")
BEA = "bea@buyers.test"


def test_what_another_tab_put_into_the_cart_or_has_ordered_is_neither_lost_nor_ordered_twice(shop, gateway):
    shop.sign_up("Bea", BEA)
    shop.put_into_cart("honey")
    other = shop.another_tab()
    ordering = 'form[data-form="order"] button[type=submit]'
    shop.go("/checkout")
    other.put_into_cart("carrots")
    # What somebody has begun to choose is not redrawn under their hands.
    other.go("/checkout").page.locator('[name="pickup"]').select_option("gate")
    shop.page.locator(ordering).click()
    shop.page.wait_for_selector('[data-bar="warning"]')
    assert "cart was changed" in shop.bar() and gateway.orders() == [] and shop.held()["outbox"] == []
    assert "Sourwood honey" in shop.text() and "Carrots" in shop.text()
    shop.page.locator(ordering).click()
    shop.page.wait_for_selector("[data-order]")
    other.page.locator(ordering).click()
    other.page.wait_for_selector('[data-bar="warning"]')
    assert "The cart is empty" in other.text() and len(gateway.orders()) == 1
    assert [line["product"] for line in gateway.order()["lines"]] == ["honey", "carrots"]
    assert other.problems == []


def test_who_reads_with_the_keyboard_stays_where_they_are_when_somebody_buys(shop, gateway):
    shop.sign_up("Bea", BEA)
    shop.go("/farms/loma").page.locator(".heart").first.click()
    shop.page.wait_for_selector('.heart[aria-pressed="true"]')
    shop.put_into_cart("honey")
    shop.order()
    shop.page.wait_for_selector("[data-order]")
    places = [("/shop", 'main a[href="/products/apples"]'), ("/shop", "main h1"), ("/shop", '.menu a[href="/cart"]'),
              ("/orders", 'main button:text("Cancel order")'), ("/directory/favourites", 'main button:text("Remove")')]
    for left, (path, selector) in enumerate(places):
        shop.go(path).page.locator(selector).first.focus()
        before = shop.page.evaluate("document.activeElement.innerText")
        shop.page.evaluate("document.querySelector('main h1').dataset.old = ''")
        gateway.set_free("L-1", left)
        shop.page.evaluate("dispatchEvent(new Event('online'))")
        wait_until(shop.page, "document.querySelector('main h1:not([data-old])') !== null")
        assert shop.page.evaluate("document.activeElement.innerText") == before, (path, selector)


def test_that_a_price_had_changed_is_told_until_the_order_is_changed(shop, gateway):
    shop.sign_up("Bea", BEA)
    shop.put_into_cart("honey")
    gateway.reprice("off-honey", 1500)
    shop.order()
    shop.page.wait_for_selector("[data-order]")
    order = f"/orders/{gateway.order()['order']}"
    # What was pulled since is of the server, which does not know what was shown here.
    shop.page.evaluate("dispatchEvent(new Event('online'))")
    for number in range(2):
        assert "A price changed: you were shown $14.00" in shop.go(order).text() and "$15.00" in shop.text()
        gateway.tell("orders", gateway.own(BEA) | {"number": number})
        shop.go("/orders")
        came = f"async () => (await ({HELD})()).records.some((row) => row.body.number === {number})"
        wait_until(shop.page, came)
    shop.go(order + "/change")
    shop.page.get_by_role("button", name="One more: Sourwood honey").click()
    shop.page.get_by_role("button", name="Save changes").click()
    shop.page.wait_for_selector('main[data-page="order"]')
    assert "$30.00" in shop.text() and "A price changed" not in shop.text()


def test_what_was_refused_lies_in_the_cart_once_however_often_it_is_put_back(shop, gateway):
    shop.sign_up("Bea", BEA)
    shop.put_into_cart("lettuce", 2)
    gateway.set_free("L-6", 1)
    shop.order()
    shop.page.get_by_role("button", name="Move back to the cart").evaluate(
        "(button) => { button.click(); button.click(); }")
    shop.page.wait_for_selector('[data-line="off-lettuce"]')
    wait_until(shop.page, "document.querySelector('.menu .count')?.innerText.includes('2')")
    assert shop.text(".step-value") == "2" and shop.held()["outbox"] == []


@pytest.mark.shared
def test_a_page_that_is_left_while_it_is_made_does_not_take_the_address(shop):
    shop.go("/shop?q=honey")
    shop.page.evaluate("""() => {
        dispatchEvent(new PopStateEvent("popstate"));
        document.querySelector('main a[href="/products/honey"]').click();
    }""")
    shop.page.wait_for_selector('main[data-page="product"]')
    assert shop.page.evaluate("location.pathname + location.search") == "/products/honey"
    shop.go("/shop").page.locator("main input[type=search]").fill("apples")
    wait_until(shop.page, "location.search === '?q=apples'")


def test_what_is_over_hides_nothing_that_can_be_bought_and_a_recall_stays(shop, gateway):
    for lot, free, more in (("L-8", 0, {}), ("L-9", 4, {"recalled": "Glass"})):
        gateway.tell("lots", {"id": lot, "farm": "hollow", "free": free, "harvested": "2026-05-01T06:30:00Z"} | more)
        gateway.tell("offers", {"id": f"off-{lot}", "product": "honey", "farm": "hollow", "lot": lot, "takes": 1,
                                "pickups": [], "price": {"minor": 990, "currency": "USD"}})
    shop.go("/products/honey")
    assert shop.page.locator("[data-offer]").count() == 2
    assert "Sold out" not in shop.text() and "$14.00" in shop.text(".offers li")
    assert "Recalled: Glass" in shop.text(".offers")
    gateway.tell("lots", gateway.pulled("lots")["L-5"] | {"free": 0}, gone=("L-9",))
    shop.go("/products/honey")
    wait_until(shop.page, "document.querySelectorAll('[data-offer]').length === 1")
    assert shop.text("[data-offer]").count("Sold out") == 1 and "lot L-5" in shop.text("[data-offer]")


def test_who_empties_a_line_of_the_cart_with_the_keyboard_is_told_and_not_lost(shop, gateway):
    gateway.set_free("L-5", 2)
    shop.put_into_cart("honey")
    shop.put_into_cart("apples")
    shop.go("/cart")
    focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"
    announced = "document.querySelector('#announcements').innerText"
    for key, label, told in (("More", "One more: Sourwood honey", "Sourwood honey: 2 in the cart."),
                             ("Most", "One more: Sourwood honey", "Sourwood honey: 2 in the cart."),
                             ("Less", "One less: Apples ‘Limbertwig’", "Apples ‘Limbertwig’: 0 in the cart.")):
        shop.page.get_by_role("button", name=label).focus()
        shop.page.keyboard.press("Enter")
        wait_until(shop.page, f"told => {announced} === told", told)
        shop.page.wait_for_timeout(100)
        assert plain(shop.page.evaluate(focused)) == ("Cart" if key == "Less" else label)
    assert shop.text(".step-value") == "2" and shop.page.locator("[data-line]").count() == 1


def test_a_place_that_was_closed_meanwhile_is_told_and_need_not_be_changed(shop, gateway):
    shop.sign_up("Bea", BEA)
    shop.put_into_cart("tomatoes", 3)
    shop.order("market")
    shop.page.wait_for_selector("[data-order]")
    name = gateway.order()["order"]
    gateway.close_place("market")
    shop.go(f"/orders/{name}")
    wait_until(shop.page, "document.querySelector('main').innerText.includes('you chose was closed')")
    shop.go(f"/orders/{name}/change")
    assert shop.page.get_by_label("Pick-up point").input_value() == "market"
    shop.page.get_by_role("button", name="One less: Tomatoes").click()
    with shop.page.expect_request(f"**/v1/orders/{name}") as sent:
        shop.page.get_by_role("button", name="Save changes").click()
    assert "pickup" not in sent.value.post_data_json, "nobody can choose it any more"
    shop.page.wait_for_selector('main[data-page="order"]')
    assert gateway.order()["pickup"] == "market" and "2 × Tomatoes" in shop.text()


def test_a_place_that_an_order_waits_at_is_known_with_the_order(shop, gateway):
    shop.sign_up("Bea", BEA)
    shop.put_into_cart("honey")
    shop.order("market")
    shop.page.wait_for_selector("[data-order]")
    order = gateway.own(BEA)
    gateway.tell("pickups", {"id": "barn", "title": "Behind the barn"})
    gateway.tell("orders", order | {"pickup": "barn"})
    shop.go(f"/orders/{order['order']}")
    wait_until(shop.page, "!document.querySelector('main').innerText.includes('Greeneville market hall')")
    assert "Behind the barn" in shop.text() and "closed" not in shop.text()
    assert shop.page.locator('[data-key="apply"]').count() == 0


def test_a_place_that_was_chosen_and_not_sent_is_kept_while_it_is_open_and_the_orders_own_is_not_chosen(shop, gateway):
    shop.sign_up("Bea", BEA)
    shop.put_into_cart("tomatoes", 3)
    shop.order("market")
    shop.page.wait_for_selector("[data-order]")
    order = gateway.order()
    path = f"/orders/{order['order']}/change"

    def has(place: str) -> None:
        shop.go(path)
        wait_until(shop.page, "place => document.querySelector('[name=pickup]').value === place", place)
        assert "closed" not in shop.text()

    shop.go(path)
    shop.page.get_by_label("Pick-up point").select_option("gate")
    has("gate")
    gateway.close_place("gate")
    has("market")
    shop.page.get_by_role("button", name="One less: Tomatoes").click()
    # What stands there was the order's own, and nobody's choice.
    gateway.open_place("gate", **PLACES["gate"])
    lines = [{"offer": "off-tomatoes", "quantity": 3}]
    gateway.person(BEA).make("PUT", f"/v1/orders/{order['order']}", {"lines": lines, "pickup": "gate"})
    until(lambda: gateway.own(BEA)["pickup"] == "gate", 20, "the order to be at the gate")
    has("gate")
    with shop.page.expect_request(f"**/v1/orders/{order['order']}") as sent:
        shop.page.get_by_role("button", name="Save changes").click()
    assert "pickup" not in sent.value.post_data_json
    shop.page.wait_for_selector('main[data-page="order"]')
    assert gateway.order()["pickup"] == "gate" and "2 × Tomatoes" in shop.text()


def test_what_is_sold_out_goes_and_comes_back_without_a_question_and_another_price_waits_for_a_yes(shop, gateway):
    shop.go("/products/honey").page.wait_for_selector("[data-add]")
    apply = shop.page.locator('[data-key="apply"]')

    def shows(condition: str) -> None:
        shop.page.evaluate("dispatchEvent(new Event('online'))")
        wait_until(shop.page, condition)

    gateway.set_free("L-5", 0)
    shows("document.querySelector('[data-offer]') === null")
    assert apply.count() == 0
    gateway.set_free("L-5", 6)
    shows("document.querySelector('[data-add]') !== null")
    assert apply.count() == 0
    gateway.reprice("off-honey", 1500)
    shows("document.querySelector('#bar').innerText.includes('available (1)')")
    assert "$14.00" in shop.text("[data-offer]")
    gateway.set_free("L-5", 0)
    shows("document.querySelector('[data-offer]') === null")
    wait_until(shop.page, "document.querySelector('[data-key=\"apply\"]') === null")
    assert shop.held()["updates"] == []


def test_what_was_sold_out_meanwhile_keeps_its_name_in_the_cart(shop, gateway):
    shop.put_into_cart("honey", 2)
    gateway.set_free("L-5", 0)
    shop.go("/cart").page.wait_for_selector("[role=alert]")
    assert shop.text("[role=alert]") == "Sourwood honey: no longer for sale."
    shop.page.locator('[data-line] a[href="/products/honey"]').click()
    shop.page.wait_for_selector('main[data-page="product"]')


def test_orders_of_which_nothing_is_known_keep_neither_others_nor_news_waiting(shop, gateway):
    shop.sign_up("Bea", BEA)
    shop.go("/").ready()
    gateway.stop()
    for product in ("tomatoes", "peppers", "carrots", "apples", "honey"):
        shop.put_into_cart(product)
        shop.order()
    first, second, third, fourth, fifth = (
        row["id"] for row in sorted(shop.held()["outbox"], key=lambda row: row["made"]))
    gateway.tamper["/v1/sync"] = lambda answer: answer | (
        {"results": [one | {"status": 202} for one in answer["results"]]} if "results" in answer else {})
    asked: list[str | None] = []

    def note(request) -> None:
        if request.url.split("?")[0].endswith("/v1/sync"):
            asked.append(None if request.method == "GET"
                         else request.post_data_json["changes"]["orders"]["created"][0]["id"])

    def asked_at_once() -> list[str | None]:
        while None not in asked:
            shop.page.wait_for_timeout(25)
        return [asked.pop(0) for _ in range(asked.index(None))] + [asked.pop(0)]

    shop.page.on("request", note)
    gateway.start()
    shop.go("/orders")
    assert asked_at_once() == [first, second, None]
    for expected in ([third, fourth, None], [fifth, first, None]):
        shop.page.evaluate("dispatchEvent(new Event('online'))")
        assert asked_at_once() == expected
    gateway.tamper.clear()
    shop.page.evaluate("dispatchEvent(new Event('online'))")
    assert len(asked_at_once()) == 6
    wait_until(shop.page, "document.querySelector('[data-pending]') === null")
    assert len(gateway.orders()) == 5 and shop.held()["outbox"] == []


@pytest.mark.parametrize("status", [202, 500])
def test_an_order_of_which_nothing_is_known_yet_keeps_no_other_from_being_sent(shop, gateway, status):
    shop.sign_up("Bea", BEA)
    shop.go("/").ready()
    gateway.stop()
    for product in ("honey", "carrots"):
        shop.put_into_cart(product)
        shop.order()
    first = min(shop.held()["outbox"], key=lambda row: row["made"])["id"]

    def troubled(answer: dict) -> dict:
        results = [one | {"status": status, "answer": {}} if one["id"] == first else one
                   for one in answer.get("results", [])]
        return answer | ({"results": results} if results else {})

    gateway.tamper["/v1/sync"] = troubled
    gateway.start()
    shop.go("/orders").page.wait_for_selector("[data-order]")
    wait_until(shop.page, "document.querySelectorAll('[data-pending]').length === 1")
    assert "honey" in shop.text("[data-pending]") and shop.page.locator("[data-refused]").count() == 0
    gateway.tamper.clear()
    shop.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(shop.page, "document.querySelector('[data-pending]') === null")
    assert len(gateway.orders()) == 2 and shop.held()["outbox"] == []


def test_what_was_taken_off_the_market_is_told_in_the_cart_and_cannot_be_ordered(shop, gateway):
    shop.put_into_cart("honey")
    shop.put_into_cart("carrots")
    gateway.withdraw("products", "honey")
    shop.go("/shop").page.locator('[data-key="apply"]').click()
    wait_until(shop.page, "document.querySelector('[data-product=\"honey\"]') === null")
    shop.go("/cart")
    assert shop.text("[role=alert]") == "Sourwood honey: no longer for sale."
    assert shop.page.locator('a[href="/checkout"], main a[href="/products/honey"]').count() == 0
    shop.page.get_by_role("button", name="One less: Sourwood honey").click()
    shop.page.wait_for_selector('a[href="/checkout"]')
    assert shop.page.locator("[data-line]").count() == 1


#: The next look into the cart waits until `goOn()`: a store that is slow.
SLOW_CART = """() => {
    const get = IDBObjectStore.prototype.get;
    IDBObjectStore.prototype.get = function (key) {
        if (key !== "cart" || window.goOn) return get.call(this, key);
        return { set onsuccess(body) { window.goOn = body; } };
    };
}"""


@pytest.mark.parametrize("written", ["", "honey"])
def test_news_that_come_while_a_page_is_made_are_on_it_whatever_was_written_on_the_one_before(shop, gateway, written):
    shop.go("/shop").page.locator("main input[type=search]").fill(written)
    shop.page.evaluate(SLOW_CART)
    shop.page.locator('main a[href="/products/honey"]').first.click()
    wait_until(shop.page, "window.goOn !== undefined")
    gateway.set_free("L-5", 0)
    shop.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(shop.page, f"async () => !(await ({HELD})()).records.some((row) => row.id === 'L-5')")
    shop.page.wait_for_timeout(300)
    shop.page.evaluate("goOn()")
    wait_until(shop.page, "document.activeElement.tagName === 'H1'")
    wait_until(shop.page, "document.querySelector('main').innerText.includes('Not for sale at the moment')")
