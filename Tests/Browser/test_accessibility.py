"""Every page, on a phone and on a desk, by day and by night: nothing axe objects to, nothing wider than the screen."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import DESKTOP, PHONE
from fake_gateway import FakeGateway
from farm_state import FarmState
from people_api import write
from sample_farm import LOT, NOW
from staff_driver import StaffPages
from story_driver import StoryPage, wait_until

SCREENS = {"phone": PHONE, "desk": DESKTOP}
checked: list[str] = []
#: A farm server on which nothing is well.
ILL = {
    "at": "2026-07-20T09:10:00.000000Z", "parked": 3, "waiting": 4,
    "disk": {"free": 1_200_000_000, "size": 40_000_000_000, "needed": 4_000_000_000},
    "backup": {"failed": "2026-07-20T02:00:00.000000Z", "why": "/mnt/usb has 1.2 GB left and a backup may need 3.4 GB."},
    "services": [
        {"origin": "trace-ledger/farm-0", "state": "silent", "troubles": ["It does not answer."], "parked": 0},
        {"origin": "sensor-ingest/farm-0", "state": "degraded", "troubles": ["feed:hub: nothing more of it is read"],
         "head": 9_000_000, "lag": 120_000, "parked": 3, "residentBytes": 41_000_000},
    ],
}


def look(page, name: str, screen: str, scheme: str, pictures) -> None:
    """Takes a picture and asks axe."""
    wait_until(page, "document.getAnimations().every((one) => one.effect.getTiming().iterations === Infinity)")
    page.screenshot(path=pictures / f"{name}-{screen}-{scheme}.png", full_page=True)
    results = Axe().run(page, options={"resultTypes": ["violations"]})
    assert results.violations_count == 0, f"{name} on {screen}, {scheme}: {results.generate_report()}"
    wide = page.evaluate("""() => Array.from(document.querySelectorAll("body *"))
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".hidden, .menu, svg"))
        .map((one) => `${one.tagName}.${one.className}`)""")
    assert wide == [], f"{name} on {screen} is wider than the screen"
    checked.append(f"{name}-{screen}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_story_pages_are_accessible(gateway, new_phone, pictures, screen, scheme):
    context = new_phone(viewport=SCREENS[screen], color_scheme=scheme, reduced_motion="reduce", service_workers="block")
    story = StoryPage(context)
    url = gateway.story(LOT, gateway.farm.lot(LOT)["boxList"][0]["serial"])

    def show(name: str) -> None:
        look(story.page, f"story-{name}", screen, scheme, pictures)

    gateway.override["GET /ledger/keys"] = (502, {"status": 502})
    assert story.open(url).state == "unreachable"
    show("unreachable")
    gateway.override.clear()
    assert story.open(url).tone == "good"
    story.wait_for_charts()
    story.page.evaluate("scrollTo(0, 0)")
    show("first-visit")
    story.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    show("unfolded")
    gateway.farm.log.fill(3)
    story.reload()
    show("later-visit")
    assert story.open(gateway.story(LOT, signed=False)).tone == "note"
    show("no-label")
    assert story.open(url[:60] + ("A" if url[60] != "A" else "B") + url[61:]).tone == "bad"
    show("failed")
    story.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    show("failed-unfolded")
    assert story.open(f"{gateway.url}/01/{gateway.farm.lot(LOT)['gtin']}/10/NONE").state == "missing"
    show("missing")
    gateway.override[f"GET /v1/lots/{LOT}/passport"] = (504, {"status": 504})
    assert "offline" in story.open(url).words
    show("offline")


def with_audit_log(gateway: FakeGateway) -> None:
    """More than a page of what happened, and two more devices of everybody."""
    for person in list(gateway.api.accounts):
        for what in ("signed-in", "password-changed", "gateway-admitted"):
            write(gateway.api, what, person)
        for _ in range(2):
            gateway.api.session(person)
    for _ in range(60):
        write(gateway.api, "sign-in-refused", None, 12)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_staff_pages_are_accessible(gateway, staff, pictures, screen, scheme):
    gateway.farm.alarms.append({"rule": "r-cold", "point": "p-cold", "place": "store/cold1", "quantity": "temperature",
                                "value": 8.7, "limit": 8.0, "raised": "2026-07-20T09:10:00.000000Z"})
    pages = staff("administrator", viewport=SCREENS[screen], color_scheme=scheme, reduced_motion="reduce")
    pages.page.wait_for_selector('[data-live="on"]')
    with_audit_log(gateway)

    def show(name: str) -> None:
        look(pages.page, f"staff-{name}", screen, scheme, pictures)

    show("dashboard")
    for path, name in {
        "/plots": "plots", "/plots/south": "plot", "/plots/well": "plot-empty", "/stores": "stores",
        "/stores/cold1": "store", "/stores/barn": "store-empty", "/lots": "lots", f"/lots/{LOT}": "lot",
        "/harvest": "harvest", "/lots?q=nothing like it": "lots-none", "/account": "account", "/audit-log": "audit-log",
        "/sensors": "sensors", "/people": "people", "/start-page": "start-page",
        "/operations": "operations", "/nowhere": "no-such-page",
        "/plots/none": "no-such-plot",
    }.items():
        pages.go(path)
        for chart in pages.page.locator("climate-chart").all():
            chart.scroll_into_view_if_needed()
            pages.page.wait_for_selector("climate-chart[data-drawn]")
        show(name)
    gateway.override["GET /v1/operations"] = (200, ILL)
    pages.go("/operations")
    show("operations-with-trouble")
    gateway.override.clear()
    pages.go(f"/lots/{LOT}")
    pages.press("print-labels")
    pages.page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    show("lot-unfolded")
    pages.go("/harvest")
    pages.form("harvest").locator("button[type=submit]").click()
    gateway.override["POST /v1/lots"] = [(409, {"title": "waiting-time", "status": 409, "detail": "It has to wait."})]
    pages.send("harvest", grams="3")
    pages.fill("harvest", grams="").locator("button[type=submit]").click()
    show("form-with-errors")
    pages.go("/plots/south")
    pages.page.get_by_role("button", name="Correct Weeding").first.click()
    show("correction")
    pages.page.keyboard.press("Escape")
    pages.ready()
    gateway.stop()
    pages.page.reload()
    for path, name in {"/": "dashboard", "/plots": "plots", "/plots/south": "plot", "/stores": "stores", "/lots": "lots",
                       "/harvest": "harvest"}.items():
        pages.go(path)
        pages.page.wait_for_selector(".as-of")
        show(f"{name}-offline")
    pages.go(f"/lots/{LOT}")
    assert pages.heading() == "This page cannot be shown"
    show("lot-offline")
    gateway.start()
    pages.go("/")
    pages.sign_out()
    show("sign-in")


@pytest.mark.parametrize("screen", SCREENS)
def test_the_pages_of_a_first_day_are_accessible(new_phone, pictures, screen):
    gateway = FakeGateway(FarmState(NOW)).start()
    pages = StaffPages(new_phone(viewport=SCREENS[screen]), gateway.url)
    link = f"{gateway.url}/setup#{gateway.api.setup_token}"
    pages.page.goto(link)
    pages.settle()
    look(pages.page, "staff-setup", screen, "light", pictures)
    pages.set_up(link, "Ana", "ana@farm.test")
    look(pages.page, "staff-create-farm", screen, "light", pictures)
    pages.send("create-farm", title="Finca La Loma", zone="Europe/Madrid")
    for path in ("/", "/plots", "/stores", "/lots", "/sensors"):
        pages.go(path)
        look(pages.page, f"staff-empty{path.replace('/', '-')}", screen, "light", pictures)
    gateway.stop()


def test_enough_pages_were_looked_at():
    print(f"pages without a violation: {len(checked)}")
    assert len(checked) >= 90 and len(set(checked)) == len(checked)
