"""Promotions: the farm writes a rule, the phone decides by its place, its clock and its preferences."""

import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from client import until
from conftest import DESKTOP, PHONE
from playwright.sync_api import Geolocation, ViewportSize
from shop_driver import Shop
from story_driver import wait_until
from test_accessibility import look

pytestmark = pytest.mark.home("market")

#: The market hall, where it is pointed at, and the farm gate 14 km away.
HALL = {"latitude": 36.163, "longitude": -82.831}
NEAR_HALL = Geolocation(latitude=36.1634, longitude=-82.8302)
ELSEWHERE = Geolocation(latitude=36.117, longitude=-82.683)


def farm_now(gateway) -> datetime:
    return datetime.fromisoformat(gateway.client.get("/v1/reporting")["at"].replace("Z", "+00:00"))


def text(time_: datetime) -> str:
    return time_.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def publish(gateway, name: str, **rule) -> None:
    now = farm_now(gateway)
    gateway.client.make("PUT", f"/v1/promotions/{name}", {
        "title": f"About {name}", "from": text(now - timedelta(days=1)), "until": text(now + timedelta(days=9)),
        "timesPerDay": 20} | rule)


def phone(gateway, new_phone, at: datetime, **options) -> Shop:
    """A buyer's phone whose clock shows the farm's time, without the stream that says that there are changes."""
    context = new_phone(geolocation=ELSEWHERE, permissions=["geolocation"], reduced_motion="reduce", **options)
    shop = Shop(context, gateway.url)
    shop.page.clock.set_fixed_time(at)
    return shop


#: The promotions on the page.
IDS = "Array.from(document.querySelectorAll('.promotion-list > li'), (one) => one.dataset.promotion)"


def sees(shop: Shop, *names: str) -> None:
    """Opens the page of promotions, and waits until it shows these, and no others but `half`; a pull may be on its way."""
    shop.go("/promotions")
    ids = f"{IDS}.filter((one) => one !== 'half')"
    wait_until(shop.page, f"names => {ids}.sort().join() === names", ",".join(sorted(names)))


def promotion(gateway, name: str) -> dict:
    return next(one for one in gateway.client.items("/v1/promotions") if one["promotion"] == name)


def test_a_phone_shows_what_applies_where_it_is_and_when(gateway, new_phone, pictures):
    gateway.override["GET /v1/sync/live"] = (404, {"status": 404})
    now = farm_now(gateway)
    publish(gateway, "near", product="honey", area=HALL | {"metres": 300}, priority=9)
    publish(gateway, "always", category="fruit", farm="loma", text="Ripe, and many of them.")
    noon = now.replace(hour=18, minute=0)
    publish(gateway, "evening", product="lettuce", hours={"from": "19:00", "to": "21:00"})
    publish(gateway, "weekday", product="lettuce", hours={"weekdays": [noon.isoweekday() % 7 + 1]})
    gateway.until_pulled("promotions", lambda rows: len(rows) == 4)
    shop = phone(gateway, new_phone, noon)
    sees(shop, "always")

    # The hours are those of the farm in New York, in winter and in summer: it is after one o'clock in Madrid.
    shop.page.clock.set_fixed_time(noon + timedelta(hours=6, minutes=30))
    sees(shop, "always", "evening")
    shop.page.clock.set_fixed_time(noon + timedelta(days=1))
    sees(shop, "always", "weekday")
    shop.page.clock.set_fixed_time(now + timedelta(days=10))
    sees(shop)
    shop.page.clock.set_fixed_time(noon)

    # Near the hall nothing is shown either, until the person lets the phone look where it is.
    shop.context.set_geolocation(NEAR_HALL)
    sees(shop, "always")
    shop.go("/settings")
    form = shop.page.locator('form[data-form="preferences"]')
    assert "The position stays on this device" in shop.text("#preferences")
    form.locator("[name=position]").check()
    form.locator("button[type=submit]").click()
    wait_until(shop.page, "document.querySelector('#announcements').textContent === 'Saved.'")
    shop.go("/")
    shop.page.wait_for_selector("#promotions [data-promotion=near]")
    assert shop.page.evaluate(IDS) == ["near", "always"]
    for screen, size in (("phone", PHONE), ("desk", DESKTOP)):
        shop.page.set_viewport_size(ViewportSize(width=size["width"], height=size["height"]))
        for scheme in ("light", "dark"):
            look(shop.page, "promotions-start", screen, scheme, pictures)
    shop.go("/shop")
    shop.page.wait_for_selector("[data-product=honey] .promotion-mark")
    assert shop.text("[data-product=tomatoes] .promotion-mark") == "About always"
    look(shop.page, "promotions-shop", "desk", "light", pictures)
    shop.context.set_geolocation(ELSEWHERE)
    shop.page.wait_for_selector("[data-product=honey] .promotion-mark", state="detached")
    sent = [line for line in gateway.requests if "36.16" in str(line)]
    print(f"4 rules; {len(gateway.requests)} requests, of which {len(sent)} name the position")
    assert sent == [] and len(gateway.requests) > 20
    # Without a network the phone decides as before.
    shop.ready()
    gateway.stop()
    sees(shop, "always")
    assert "promotions" not in shop.bar()
    gateway.start()
    assert shop.problems == []


def test_a_promotion_before_closing_time_is_shown_while_its_place_is_about_to_close(gateway, new_phone):
    gateway.override["GET /v1/sync/live"] = (404, {"status": 404})
    noon = farm_now(gateway).replace(hour=16, minute=0, second=0)  # In New York, in summer; eleven o'clock in winter.
    opens = [{"weekdays": [noon.isoweekday()], "from": "08:00", "to": "12:30"}]
    gateway.client.make("PUT", "/v1/pickups/gate", {"title": "Farm gate", "farm": "loma", "opens": opens})
    publish(gateway, "last", product="honey", beforeClosing={"pickup": "gate", "minutes": 60})
    publish(gateway, "bus", product="honey", node="bus.local:8091")
    publish(gateway, "here", product="lettuce", node=gateway.url.removeprefix("http://"))
    publish(gateway, "stall", product="honey", beacons="ibeacon:f7826da64fa24e988024bc5b71e0893e")
    gateway.until_pulled("promotions", lambda rows: len(rows) == 4)
    gateway.until_pulled("pickups", lambda rows: any(row.get("opens") == opens for row in rows.values()))
    shop = phone(gateway, new_phone, noon)
    hours = noon.astimezone(ZoneInfo("America/New_York")).hour
    closing = noon + timedelta(hours=12 - hours, minutes=30)
    for minutes, names in ((-61, {"here"}), (-60, {"here", "last"}), (-1, {"here", "last"}), (0, {"here"}),
                           (24 * 60 - 30, {"here"})):
        shop.page.clock.set_fixed_time(closing + timedelta(minutes=minutes))
        sees(shop, *names)


def test_preferences_decide_and_what_was_shown_is_reported_once(gateway, new_phone, pictures):
    gateway.override["GET /v1/sync/live"] = (404, {"status": 404})
    # Noon in Greenwich, when half an hour changes the day at no farm.
    now = farm_now(gateway).replace(hour=12, minute=0)
    publish(gateway, "fruit", product="tomatoes", audience="interested", timesPerDay=1)
    publish(gateway, "liked", product="honey", audience="favourites")
    publish(gateway, "county", product="carrots", county="Unicoi")
    publish(gateway, "half", product="peppers", heldBackPercent=50)
    gateway.until_pulled("promotions", lambda rows: len(rows) == 4)
    shop = phone(gateway, new_phone, now, viewport=PHONE)
    shop.sign_up("Bea", "bea.promotions@buyers.test")
    sees(shop)
    shop.go("/settings")
    form = shop.page.locator('form[data-form="preferences"]')
    form.get_by_label("fruit").check()
    form.locator("[name=county]").select_option("Unicoi")
    look(shop.page, "preferences", "phone", "light", pictures)
    form.locator("button[type=submit]").click()
    wait_until(shop.page, "document.querySelector('#announcements').textContent === 'Saved.'")
    shop.go("/products/honey")
    shop.page.get_by_role("button", name="Favourite: Sourwood honey").click()
    shop.page.wait_for_selector(".heart[aria-pressed=true]")
    sees(shop, "fruit", "liked", "county")
    until(lambda: promotion(gateway, "liked")["shown"] == 1, 20, "the report of the phone")
    sees(shop, "fruit", "liked", "county")
    # Once a day: half an hour later it counts as shown again, and is not shown any more.
    shop.page.clock.set_fixed_time(now + timedelta(minutes=31))
    sees(shop, "liked", "county")
    shop.page.clock.set_fixed_time(now + timedelta(days=1))
    sees(shop, "fruit", "liked", "county")
    half = promotion(gateway, "half")
    until(lambda: [promotion(gateway, name)["shown"] for name in ("fruit", "liked", "county")] == [1, 1, 1], 20, "one each")
    assert half["shown"] + half["heldBack"] == 1, half
    # It is switched off with one tick.
    shop.go("/settings")
    form.locator("[name=promotions]").uncheck()
    form.locator("button[type=submit]").click()
    wait_until(shop.page, "document.querySelector('#announcements').textContent === 'Saved.'")
    sees(shop)
    assert shop.problems == []


def test_a_tenth_of_the_people_is_held_back_evenly_and_the_same_ones_each_time(gateway, new_phone):
    shop = phone(gateway, new_phone, farm_now(gateway))
    shop.go("/promotions")
    shares = shop.page.evaluate("""async () => {
        const { share } = await import("/assets/js/shop/promotion-rules.js");
        const of = (promotion) => Array.from({ length: 20_000 }, (_, number) => share(`person-${number}`, promotion));
        return [of("a"), of("b"), of("a")];
    }""")
    assert shares[0] == shares[2] and min(min(one) for one in shares) == 0 and max(max(one) for one in shares) == 99
    held = [{number for number, share in enumerate(one) if share < 10} for one in shares]
    both = len(held[0] & held[1])
    print(f"of 20,000 people {len(held[0])} and {len(held[1])} are held back from two promotions, {both} from both")
    # Five standard deviations of a binomial distribution.
    assert all(abs(len(one) - 2000) < 212 for one in held) and abs(both - 200) < 71


def test_a_recall_takes_a_promotion_off_an_open_page_within_a_second(gateway, new_phone):
    now = farm_now(gateway)
    publish(gateway, "last-jars", product="honey", lot="L-5")
    gateway.until_pulled("promotions", lambda rows: "last-jars" in rows)
    shop = phone(gateway, new_phone, now)
    shop.sign_up("Cal", "cal.promotions@buyers.test")
    sees(shop, "last-jars")
    shop.go("/")
    began = time.monotonic()
    gateway.client.make("POST", "/v1/lots/L-5/recalls", {"reason": "glass found"})
    shop.page.wait_for_selector("#promotions", state="detached", timeout=10_000)
    seconds = time.monotonic() - began
    print(f"the promotion was gone {seconds:.2f} s after the recall was sent")
    assert promotion(gateway, "last-jars")["state"] == "stopped"
    assert shop.problems == []


def test_a_grower_publishes_a_promotion_sees_its_reach_and_ends_it(gateway, staff, pictures):
    pages = staff("grower", viewport=PHONE)
    pages.go("/market/promotions")
    wait_until(pages.page, "document.querySelector('#reach').textContent.startsWith('Would reach')")
    pages.page.locator("[name=metres]").select_option("1000")
    wait_until(pages.page, "document.querySelector('#reach').textContent.includes('at most')")
    pages.send("publish-promotion", about="product honey", title="Last jars", text="From this summer.", metres="1000",
               fromTime="16:00", toTime="19:00", people="100")
    shown = pages.text("[data-promotion=last-jars]").replace("\u00a0", " ")
    assert "Sourwood honey; within 1 km of" in shown and "every day, 16:00 to 19:00, once a day" in shown, shown
    assert "Running" in shown and "Shown to 0 people" in shown
    for scheme in ("light", "dark"):
        look(pages.page, "market-promotions", "phone", scheme, pictures)
    pages.page.set_viewport_size({"width": 1280, "height": 900})
    look(pages.page, "market-promotions", "desk", "light", pictures)
    rule = gateway.pulled("promotions")["last-jars"]
    assert rule["area"]["metres"] == 1000 and rule["hours"]["zone"] == "America/New_York" and rule["people"] == 100
    pages.press("end-promotion last-jars")
    pages.page.wait_for_selector("[data-promotion=last-jars] >> text=ended by you")
    assert gateway.pulled("promotions") == {}


def test_a_grower_enters_opening_times_and_promotes_what_is_left_before_closing(gateway, staff, pictures):
    pages = staff("grower", viewport=PHONE)
    pages.go("/market/places")
    form = pages.fill("open-pickup", title="Barn door")
    form.get_by_role("button", name="Add times").click()
    form.get_by_label("Monday").check()
    form.get_by_label("Opens at").fill("08:00")
    form.get_by_label("Closes at").fill("07:30")
    form.locator("button[type=submit]").click()
    assert "a beginning before its end" in form.inner_text()
    form.get_by_label("Closes at").fill("12:30")
    for day in ("Tuesday", "Friday"):
        form.get_by_label(day).check()
    form.get_by_role("button", name="Add times").click()
    look(pages.page, "opening-times", "phone", "light", pictures)
    form.get_by_role("button", name="Remove this time").last.click()
    pages.send("open-pickup")
    assert "Mon–Tue, Fri 08:00–12:30" in pages.text("[data-place-of=barn-door]")
    place = next(one for one in gateway.client.items("/v1/pickups") if one["pickup"] == "barn-door")
    assert place["opens"] == [{"weekdays": [1, 2, 5], "from": "08:00", "to": "12:30"}]
    pages.page.set_viewport_size(ViewportSize(width=DESKTOP["width"], height=DESKTOP["height"]))
    look(pages.page, "opening-times", "desk", "dark", pictures)
    pages.go("/market/promotions")
    pages.send("publish-promotion", about="product honey", title="Last jars today", minutes="60", pickup="barn-door",
               node="bus.local:8091")
    shown = pages.text("[data-promotion=last-jars-today]").replace("\u00a0", " ")
    assert "at the node bus.local:8091; every day, in the last 60 minutes at Barn door, once a day" in shown, shown


def test_what_a_person_avoids_is_not_shown_and_what_is_not_declared_is_marked(gateway, new_phone, staff, pictures):
    gateway.override["GET /v1/sync/live"] = (404, {"status": 404})
    pages = staff("grower")
    pages.go("/market/products/honey")
    for allergen in ("Sulphites", "Nuts"):
        pages.form("change-product honey").get_by_label(allergen, exact=True).check()
    pages.send("change-product honey", declared="yes", diet="vegetarian")
    gateway.until_pulled("products", lambda rows: "contents" in rows["honey"])
    look(pages.page, "market-product", "phone", "light", pictures)
    assert gateway.pulled("products")["honey"]["contents"] == {"allergens": ["nuts", "sulphites"], "diet": "vegetarian"}
    shop = phone(gateway, new_phone, farm_now(gateway), viewport=PHONE)
    shop.go("/products/honey")
    assert shop.text("[data-contents]") == "Contains nuts, sulphites. Vegetarian."
    shop.go("/products/carrots")
    assert "has not declared allergens" in shop.text("[data-contents]")
    assert "honey" in shop.go("/shop").text() and "not declared" not in shop.text()
    shop.go("/settings")
    form = shop.page.locator('form[data-form="preferences"]')
    form.get_by_label("Nuts", exact=True).check()
    form.locator("button[type=submit]").click()
    wait_until(shop.page, "document.querySelector('#announcements').textContent === 'Saved.'")
    text = shop.go("/shop").text()
    assert "honey" not in text and "1 product is not shown: your preferences." in text
    assert "Allergens not declared" in shop.text("[data-product=carrots]")
    look(shop.page, "shop-avoiding-nuts", "phone", "light", pictures)
    shop.go("/farms/hollow")
    assert "honey" not in shop.text() and "Limbertwig" in shop.text()
    shop.go("/shop?q=honey")
    assert shop.page.locator("[data-product]").count() == 0
    # Who follows a link to it is warned.
    shop.go("/products/honey")
    assert "It contains what you avoid." in shop.text()
    assert shop.problems == []
