"""The buyers' pages against the fake gateway: directory, updates, pictures, favourites, and orders in bad weather."""

import pytest
from sample_market import picture, sample_market
from shop_driver import Shop
from story_driver import plain, wait_until


@pytest.fixture
def shop(gateway, new_phone) -> Shop:
    gateway.api.market = sample_market()
    shop = Shop(new_phone(), gateway.url)
    yield shop
    assert shop.problems == []


def test_four_ways_lead_to_a_farm(shop):
    shop.go("/")
    ways = shop.page.locator(".ways a")
    assert [plain(one) for one in ways.locator("strong").all_inner_texts()] == [
        "By county", "On the map", "All farms", "Favourites"]
    assert "Nolichucky Seed Library" in shop.text(".support") and "Donate" in shop.text(".support")
    ways.nth(0).click()
    shop.page.locator(".counties a", has_text="Washington").click()
    shop.page.wait_for_selector('main[data-page="county"]')
    assert shop.page.locator("[data-farm]").count() == 2
    shop.go("/directory/map")
    assert shop.page.locator(".map a[aria-label='Greene: 2\u00a0farms']").count() == 1
    assert shop.page.locator(".map-pin").count() == 5 and shop.page.locator(".map-county").count() == 95
    shop.page.locator(".map-pin[aria-label='Horse Creek Farm']").focus()
    shop.page.keyboard.press("Enter")
    shop.page.wait_for_selector('main[data-page="farm"]')
    words = shop.text()
    assert "Has goods for sale" in words and "+1 423 555 0142" in words and "since 1981" in words
    assert shop.page.locator("a", has_text="Directions").get_attribute("href").endswith("to=36.117%2C-82.683")
    assert shop.page.locator("[data-product]").count() == 3
    shop.go("/directory/all")
    assert [plain(one) for one in shop.page.locator("main h2").all_inner_texts()] == ["Greene", "Unicoi", "Washington"]


def test_favourites_are_counted_edited_and_follow_their_owner(shop, gateway, new_phone):
    shop.go("/farms/loma")
    shop.page.locator(".heart").click()
    shop.page.wait_for_selector('.heart[aria-pressed="true"]')
    shop.go("/directory/favourites")
    assert "Favourites (1)" in shop.text(".tabs")
    shop.sign_up("Bea", "bea@buyers.test")
    wait_until(shop.page, f"({HELD_NOTHING})()")
    other = Shop(new_phone(), gateway.url)
    other.go("/sign-in")
    form = other.page.locator('form[data-form="sign-in"]')
    form.locator("[name=email]").fill("bea@buyers.test")
    form.locator("[name=password]").fill("correct horse battery")
    form.locator("button").click()
    other.page.wait_for_selector('.account-name:text-is("Bea")')
    other.go("/directory/favourites")
    other.page.get_by_role("button", name="Take Horse Creek Farm off the favourites").click()
    other.page.wait_for_selector(".nothing")
    wait_until(other.page, f"({HELD_NOTHING})()")
    shop.go("/directory/favourites")
    shop.page.wait_for_selector(".nothing")


def test_updates_wait_for_a_yes_and_tell_what_failed(shop, gateway):
    market = gateway.api.market
    shop.go("/shop")
    assert "Carrots" in shop.text()
    market.change("products", "carrots", title="Carrots ‘Nantes’", picture=market.keep(picture(240, 140, 30)))
    market.put("products", {"id": "broken", "farm": "loma"})
    shop.go("/shop")
    shop.page.wait_for_selector("#bar button")
    assert "Updates are available (2)" in shop.bar() and "Nantes" not in shop.text()
    shop.page.locator("#bar button").click()
    shop.page.wait_for_selector('[data-bar="warning"]')
    assert "1 record failed" in shop.bar()
    shop.page.wait_for_selector('[data-product="carrots"] img')
    assert "Nantes" in shop.text()
    assert "1 record failed" in shop.go("/settings").text()


def test_a_picture_has_a_placeholder_until_it_has_arrived(shop, gateway):
    market = gateway.api.market
    shop.go("/farms/hollow")
    assert shop.page.locator(".detail-picture .placeholder").count() == 1
    name = market.keep(picture(90, 40, 120))
    kept = market.media.pop(name)
    market.change("farms", "hollow", picture=name)
    shop.go("/farms/hollow")
    shop.page.locator("#bar button").click()
    shop.page.wait_for_selector('[data-bar="warning"]')
    assert "1 picture did not arrive" in shop.bar()
    assert shop.page.locator(".detail-picture .placeholder").count() == 1
    market.media[name] = kept
    market.change("farms", "hollow", title="Quail Hollow")
    shop.go("/farms/hollow")
    shop.page.locator("#bar button").click()
    shop.page.wait_for_selector(".detail-picture img")


def test_everything_opens_and_an_order_is_taken_while_the_server_is_away_and_sent_once_when_it_is_back(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.go("/").ready()
    gateway.stop()
    for path in ("/", "/directory", "/directory/map", "/directory/all", "/farms/loma", "/shop", "/orders", "/settings"):
        shop.go(path)
        assert shop.page.locator("main h1").count() == 1, path
        assert "cannot be shown" not in shop.text() and "nothing here" not in shop.text(), path
    shop.page.wait_for_selector('[data-bar="offline"]')
    shop.put_into_cart("tomatoes", 2)
    shop.order("market")
    assert "Not sent yet" in shop.text() and gateway.api.market.orders == 0
    shop.page.reload()
    shop.settle()
    assert "1 order is not sent yet" in shop.bar()
    gateway.start()
    shop.go("/orders")
    shop.page.wait_for_selector("[data-order]")
    assert gateway.api.market.orders == 1 and shop.page.locator("[data-pending]").count() == 0


@pytest.mark.parametrize("lost", [1, 2])
def test_an_order_whose_answer_is_lost_is_asked_for_again_under_its_name(shop, gateway, lost):
    shop.sign_up("Bea", "bea@buyers.test")
    gateway.lose["POST /v1/sync"] = lost
    shop.put_into_cart("honey")
    shop.order()
    for _ in range(lost + 1):
        shop.go("/orders")
        shop.page.wait_for_timeout(300)
    shop.page.wait_for_selector("[data-order]")
    names = [row["body"]["id"] for row in shop.held()["records"] if row["table"] == "orders"]
    assert gateway.api.market.orders == 1 and len(names) == 1 and shop.held()["outbox"] == []


def test_two_tabs_and_a_closed_one_send_an_order_once(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.go("/").ready()
    gateway.stop()
    shop.put_into_cart("honey")
    shop.order()
    tabs = [shop.another_tab() for _ in range(3)]
    for tab in tabs:
        tab.go("/orders")
    shop.page.close()
    gateway.start()
    for tab in tabs:
        tab.page.evaluate("dispatchEvent(new Event('online'))")
    for tab in tabs:
        tab.page.wait_for_selector("[data-order]")
    assert gateway.api.market.orders == 1
    assert [tab.problems for tab in tabs] == [[], [], []]


def test_an_order_the_farm_cannot_take_says_why_and_goes_back_into_the_cart(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("lettuce", 3)
    gateway.api.market.change("lots", "L-6", free=1)
    shop.order()
    shop.page.wait_for_selector("[data-refused]")
    assert "only 1 left" in shop.text("[data-refused]") and gateway.api.market.orders == 0
    shop.page.get_by_role("button", name="Put it back into the cart").click()
    shop.page.wait_for_selector('[data-line="off-lettuce"]')
    assert "only 1 left" in shop.text("[role=alert]")
    less = shop.page.get_by_role("button", name="One less: Butterhead lettuce")
    less.focus()
    shop.page.keyboard.press("Enter")
    shop.page.keyboard.press("Enter")
    wait_until(shop.page, "document.querySelector('.step-value').innerText === '1'")
    wait_until(shop.page, "document.querySelector('[role=alert]') === null")
    assert shop.page.evaluate("document.activeElement.getAttribute('aria-label')") == "One less: Butterhead lettuce"


def test_an_order_before_the_account_waits_for_it(shop, gateway):
    shop.put_into_cart("apples")
    shop.order()
    assert "Sign in to send" in shop.bar() and gateway.api.market.orders == 0
    shop.sign_up("Bea", "bea@buyers.test")
    shop.go("/orders").page.wait_for_selector("[data-order]")
    assert gateway.api.market.orders == 1


def test_a_recall_reaches_whoever_has_bought(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.put_into_cart("tomatoes")
    shop.order()
    shop.page.wait_for_selector("[data-order]")
    gateway.api.market.change("lots", "L-1", free=0, recalled="A sheet of glass broke in house 2")
    shop.go("/orders")
    shop.page.wait_for_selector(".lot-alarm")
    assert "A sheet of glass broke" in shop.text(".lot-alarm")
    assert shop.go("/products/tomatoes").page.locator("[data-add]").count() == 0


def test_the_whole_way_by_keyboard(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.go("/products/tomatoes")
    page = shop.page
    page.locator("[data-add]").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".menu .count")
    page.locator('.menu a[href="/cart"]').focus()
    page.keyboard.press("Enter")
    page.wait_for_selector('main[data-page="cart"]')
    assert page.evaluate("document.activeElement.tagName") == "H1"
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('href')") == "/checkout":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector('main[data-page="checkout"]')
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-order]")
    assert gateway.api.market.orders == 1


HELD_NOTHING = """() => new Promise((resolve) => {
    const open = indexedDB.open("furrow-shop");
    open.onsuccess = () => {
        open.result.transaction("outbox").objectStore("outbox").count().onsuccess = ({ target }) => {
            open.result.close();
            resolve(target.result === 0);
        };
    };
})"""
