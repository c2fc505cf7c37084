"""What the buyers' pages show where one looks for it: words beside buttons, and pictures."""

import pytest
from loma_market import picture
from story_driver import wait_until

pytestmark = pytest.mark.home("market")


@pytest.mark.shared
def test_what_is_in_the_cart_is_told_beside_the_button_and_leads_there(shop):
    shop.put_into_cart("tomatoes", 2)
    wait_until(shop.page, "document.querySelector('.in-cart').innerText.startsWith('2 in the cart')")
    assert "2 in the cart" in shop.go("/products/tomatoes").text(".in-cart")
    shop.page.get_by_role("link", name="Go to the cart").click()
    shop.page.wait_for_selector('main[data-page="cart"]')


@pytest.mark.shared
def test_the_chosen_place_is_told_in_full(shop):
    shop.put_into_cart("tomatoes")
    shop.go("/checkout").page.locator('[name="pickup"]').select_option("market")
    assert shop.text(".place-words") == "101 West Summer Street. Saturdays 8 to 12"
    shop.page.locator('[name="pickup"]').select_option("gate")
    assert shop.text(".place-words") == "Every day until dusk"


def test_own_data_that_cannot_be_fetched_says_so(shop, gateway):
    shop.sign_up("Bea", "bea@buyers.test")
    shop.go("/settings")
    gateway.override["GET /v1/me/export"] = (503, {"status": 503, "detail": "The market does not answer."})
    take = shop.page.locator('[data-action="take my data"]')
    take.locator("button").click()
    take.locator(".form-problem").wait_for()
    gateway.override.clear()
    with shop.page.expect_download() as taken:
        take.locator("button").click()
    assert taken.value.suggested_filename == "my-furrow-data.json"


@pytest.mark.shared
def test_goods_without_a_picture_are_drawn_as_what_they_are(shop):
    drawn = {name: shop.page.get_attribute(f'[data-product="{name}"] .placeholder path', "d")
             for name in ("peppers", "carrots", "apples", "lettuce", "basil") if shop.go("/shop")}
    assert len(set(drawn.values())) == len(drawn) == 5


def test_a_picture_has_a_placeholder_until_it_has_arrived(shop, gateway):
    shop.go("/farms/hollow")
    assert shop.page.locator(".detail-picture .placeholder").count() == 1
    name = gateway.client.make("POST", "/v1/media", picture(90, 40, 120))["sha256"]
    gateway.override[f"GET /media/{name}"] = (404, {"status": 404})
    gateway.profile("hollow", picture=name)
    shop.go("/farms/hollow")
    shop.page.locator("#bar button").click()
    shop.page.wait_for_selector('[data-bar="warning"]')
    assert "1 picture did not arrive" in shop.bar()
    assert shop.page.locator(".detail-picture .placeholder").count() == 1
    gateway.override.pop(f"GET /media/{name}")
    gateway.profile("hollow", title="Quail Hollow")
    shop.go("/farms/hollow")
    shop.page.locator("#bar button").click()
    shop.page.wait_for_selector(".detail-picture img")


def test_a_picture_that_nothing_shows_any_more_is_not_kept(shop, gateway):
    shop.go("/shop").page.wait_for_selector('[data-product="honey"] img')
    old = gateway.pulled("products")["honey"]["picture"]
    new = gateway.client.make("POST", "/v1/media", picture(10, 20, 30))["sha256"]
    gateway.describe("honey", picture=new)
    shop.go("/shop").page.locator('[data-key="apply"]').click()
    kept = """async (sha) => (await caches.match(`/media/${sha}`)) !== undefined"""
    wait_until(shop.page, kept, new)
    assert not shop.page.evaluate(kept, old)
    others = {row["picture"] for table in ("farms", "products") for row in gateway.pulled(table).values()
              if row.get("picture")}
    assert all(shop.page.evaluate(kept, one) for one in others) and len(others) == 4
