"""What is ordered is what was shown: the cart of this tab, at the price that stood there."""

import pytest
from shop_driver import HELD
from story_driver import plain, wait_until
from test_shop import ordered


def test_what_another_tab_put_into_the_cart_or_has_ordered_is_neither_lost_nor_ordered_twice(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("honey")
    other = shop.another_tab()
    ordering = 'form[data-form="order"] button[type=submit]'
    shop.go("/checkout")
    other.put_into_cart("carrots")
    # What somebody has begun to choose is not redrawn under their hands.
    other.go("/checkout").page.locator('[name="pickup"]').select_option("gate")
    shop.page.locator(ordering).click()
    shop.page.wait_for_selector('[data-bar="warning"]')
    assert "cart was changed" in shop.bar() and gateway.api.market.orders == 0 and shop.held()["outbox"] == []
    assert "Sourwood honey" in shop.text() and "Carrots" in shop.text()
    shop.page.locator(ordering).click()
    shop.page.wait_for_selector("[data-order]")
    other.page.locator(ordering).click()
    other.page.wait_for_selector('[data-bar="warning"]')
    assert "The cart is empty" in other.text() and gateway.api.market.orders == 1
    assert [line["product"] for line in ordered(shop, gateway)["lines"]] == ["honey", "carrots"]
    assert other.problems == []


def test_who_reads_with_the_keyboard_stays_where_they_are_when_somebody_buys(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
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
        gateway.api.market.change("lots", "L-1", free=left)
        shop.page.evaluate("dispatchEvent(new Event('online'))")
        wait_until(shop.page, "document.querySelector('main h1:not([data-old])') !== null")
        assert shop.page.evaluate("document.activeElement.innerText") == before, (path, selector)


def test_that_a_price_had_changed_is_told_until_the_order_is_changed(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("honey")
    gateway.api.market.change("offers", "off-honey", price={"minor": 1500, "currency": "USD"})
    shop.order()
    shop.page.wait_for_selector("[data-order]")
    order = f"/orders/{ordered(shop, gateway)['order']}"
    # What was pulled since is of the server, which does not know what was shown here.
    shop.page.evaluate("dispatchEvent(new Event('online'))")
    for _ in range(2):
        assert "A price changed: you were shown $14.00" in shop.go(order).text() and "$15.00" in shop.text()
        gateway.api.market.put("orders", ordered(shop, gateway), order.split("/")[-1],
                               next(iter(gateway.api.accounts)))
        shop.go("/orders").page.wait_for_timeout(500)
    shop.go(order + "/change")
    shop.page.get_by_role("button", name="One more: Sourwood honey").click()
    shop.page.get_by_role("button", name="Save changes").click()
    shop.page.wait_for_selector('main[data-page="order"]')
    assert "$30.00" in shop.text() and "A price changed" not in shop.text()


def test_what_was_refused_lies_in_the_cart_once_however_often_it_is_put_back(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("lettuce", 2)
    gateway.api.market.change("lots", "L-6", free=1)
    shop.order()
    shop.page.get_by_role("button", name="Move back to the cart").evaluate(
        "(button) => { button.click(); button.click(); }")
    shop.page.wait_for_selector('[data-line="off-lettuce"]')
    wait_until(shop.page, "document.querySelector('.menu .count')?.innerText.includes('2')")
    assert shop.text(".step-value") == "2" and shop.held()["outbox"] == []


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
    market = gateway.api.market
    for lot, free, more in (("L-8", 0, {}), ("L-9", 4, {"recalled": "Glass"})):
        market.put("lots", {"id": lot, "farm": "hollow", "free": free, "harvested": "2026-05-01T06:30:00Z"} | more)
        market.put("offers", {"id": f"off-{lot}", "product": "honey", "farm": "hollow", "lot": lot, "takes": 1,
                              "pickups": [], "price": {"minor": 990, "currency": "USD"}})
    shop.go("/products/honey")
    assert shop.page.locator("[data-offer]").count() == 2
    assert "Sold out" not in shop.text() and "$14.00" in shop.text(".offers li")
    assert "Recalled: Glass" in shop.text(".offers")
    market.change("lots", "L-5", free=0)
    market.put("lots", None, "L-9")
    shop.go("/products/honey")
    wait_until(shop.page, "document.querySelectorAll('[data-offer]').length === 1")
    assert shop.text("[data-offer]").count("Sold out") == 1 and "lot L-5" in shop.text("[data-offer]")


def test_who_empties_a_line_of_the_cart_with_the_keyboard_is_told_and_not_lost(shop, gateway):
    gateway.api.market.change("lots", "L-5", free=2)
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
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("tomatoes", 3)
    shop.order("market")
    shop.page.wait_for_selector("[data-order]")
    name = ordered(shop, gateway)["order"]
    gateway.api.market.put("pickups", None, "market")
    shop.go(f"/orders/{name}")
    wait_until(shop.page, "document.querySelector('main').innerText.includes('you chose was closed')")
    shop.go(f"/orders/{name}/change")
    assert shop.page.get_by_label("Pick-up point").input_value() == "market"
    shop.page.get_by_role("button", name="One less: Tomatoes").click()
    with shop.page.expect_request(f"**/v1/orders/{name}") as sent:
        shop.page.get_by_role("button", name="Save changes").click()
    assert "pickup" not in sent.value.post_data_json, "nobody can choose it any more"
    shop.page.wait_for_selector('main[data-page="order"]')
    assert ordered(shop, gateway)["pickup"] == "market" and "2 × Tomatoes" in shop.text()


def test_a_place_that_an_order_waits_at_is_known_with_the_order(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("honey")
    shop.order("market")
    shop.page.wait_for_selector("[data-order]")
    order = ordered(shop, gateway)
    gateway.api.market.put("pickups", {"id": "barn", "title": "Behind the barn"})
    gateway.api.market.put("orders", order | {"pickup": "barn"}, order["order"], next(iter(gateway.api.accounts)))
    shop.go(f"/orders/{order['order']}")
    wait_until(shop.page, "!document.querySelector('main').innerText.includes('Greeneville market hall')")
    assert "Behind the barn" in shop.text() and "closed" not in shop.text()
    assert shop.page.locator('[data-key="apply"]').count() == 0


def test_a_place_that_was_chosen_and_not_sent_is_kept_while_it_is_open_and_the_orders_own_is_not_chosen(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("tomatoes", 3)
    shop.order("market")
    shop.page.wait_for_selector("[data-order]")
    market, order = gateway.api.market, ordered(shop, gateway)
    path = f"/orders/{order['order']}/change"

    def has(place: str) -> None:
        shop.go(path)
        wait_until(shop.page, "place => document.querySelector('[name=pickup]').value === place", place)
        assert "closed" not in shop.text()

    shop.go(path)
    shop.page.get_by_label("Pick-up point").select_option("gate")
    has("gate")
    gate = market.records[("pickups", "gate", None)][1]
    market.put("pickups", None, "gate")
    has("market")
    shop.page.get_by_role("button", name="One less: Tomatoes").click()
    # What stands there was the order's own, and nobody's choice.
    market.put("pickups", gate)
    market.put("orders", order | {"pickup": "gate"}, order["order"], next(iter(gateway.api.accounts)))
    has("gate")
    with shop.page.expect_request(f"**/v1/orders/{order['order']}") as sent:
        shop.page.get_by_role("button", name="Save changes").click()
    assert "pickup" not in sent.value.post_data_json
    shop.page.wait_for_selector('main[data-page="order"]')
    assert ordered(shop, gateway)["pickup"] == "gate" and "2 × Tomatoes" in shop.text()


def test_what_is_sold_out_goes_and_comes_back_without_a_question_and_another_price_waits_for_a_yes(shop, gateway):
    market = gateway.api.market
    records = {table: market.records[(table, id, None)][1] for table, id in (("offers", "off-honey"), ("lots", "L-5"))}
    shop.go("/products/honey").page.wait_for_selector("[data-add]")
    apply = shop.page.locator('[data-key="apply"]')

    def told(body: str, **changes: dict | None) -> None:
        for table, record in changes.items():
            market.put(table, record, records[table]["id"])
        shop.page.evaluate("dispatchEvent(new Event('online'))")
        wait_until(shop.page, body)

    told("document.querySelector('[data-offer]') === null", offers=None, lots=None)
    assert apply.count() == 0
    told("document.querySelector('[data-add]') !== null", **records)
    assert apply.count() == 0
    dearer = records["offers"] | {"price": {"minor": 1500, "currency": "USD"}}
    told("document.querySelector('#bar').innerText.includes('available (1)')", offers=dearer)
    assert "$14.00" in shop.text("[data-offer]")
    told("document.querySelector('[data-offer]') === null", offers=None)
    wait_until(shop.page, "document.querySelector('[data-key=\"apply\"]') === null")
    assert shop.held()["updates"] == []


def test_what_was_sold_out_meanwhile_keeps_its_name_in_the_cart(shop, gateway):
    shop.put_into_cart("honey", 2)
    gateway.api.market.put("offers", None, "off-honey")
    gateway.api.market.put("lots", None, "L-5")
    shop.go("/cart").page.wait_for_selector("[role=alert]")
    assert shop.text("[role=alert]") == "Sourwood honey: no longer for sale."
    shop.page.locator('[data-line] a[href="/products/honey"]').click()
    shop.page.wait_for_selector('main[data-page="product"]')


def test_orders_of_which_nothing_is_known_keep_neither_others_nor_news_waiting(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
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
    assert gateway.api.market.orders == 5 and shop.held()["outbox"] == []


@pytest.mark.parametrize("status", [202, 500])
def test_an_order_of_which_nothing_is_known_yet_keeps_no_other_from_being_sent(shop, gateway, status):
    shop.sign_up("Bea", "bea@buyers.test")
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
    assert gateway.api.market.orders == 2 and shop.held()["outbox"] == []


def test_what_was_taken_off_the_market_is_told_in_the_cart_and_cannot_be_ordered(shop, gateway):
    shop.put_into_cart("honey")
    shop.put_into_cart("carrots")
    gateway.api.market.put("products", None, "honey")
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
    gateway.api.market.change("lots", "L-5", free=0)
    shop.page.evaluate("dispatchEvent(new Event('online'))")
    sold_out = "row.id === 'L-5' && row.body.free === 0"
    wait_until(shop.page, f"async () => (await ({HELD})()).records.some((row) => {sold_out})")
    shop.page.wait_for_timeout(300)
    shop.page.evaluate("goOn()")
    wait_until(shop.page, "document.activeElement.tagName === 'H1'")
    wait_until(shop.page, "document.querySelector('main').innerText.includes('Sold out')")
