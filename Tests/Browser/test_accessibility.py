"""Every page, on a phone and on a desk, by day and by night: nothing axe objects to, nothing wider than the screen."""

import json
import os
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import LOOKS, SCREENS
from gateway import GTIN, LOT
from nightly import NIGHTLY
from staff_driver import StaffPages
from story_driver import StoryPage, wait_until

AXE = Axe().axe_script
#: The rules that depend on colours: the others have passed on the same page by day already.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
#: What axe found. The rest of its results is not transferred: that would take as long as the checks.
VIOLATIONS = """async (options) => (await axe.run(options)).violations.map(({ id, help, nodes }) =>
    ({ id, help, where: nodes.map((one) => [one.target, one.failureSummary]) }))"""
checked: list[str] = []
#: A farm server on which nothing is well.
ILL = {
    "at": "2026-07-20T09:10:00.000000Z", "parked": 3, "waiting": 4,
    "disk": {"free": 1_200_000_000, "size": 40_000_000_000, "needed": 4_000_000_000},
    "troubles": [{"check": "backup", "said": "The last backup failed: /mnt/usb has 1.2 GB left.",
                  "advice": "Make one now: furrow backup --to DIR, with DIR on another disk.",
                  "raised": "2026-07-20T02:03:00.000000Z"}],
    "backup": {"failed": "2026-07-20T02:00:00.000000Z",
               "why": "/mnt/usb has 1.2 GB left and a backup may need 3.4 GB."},
    "services": [
        {"origin": "trace-ledger/farm-0", "state": "silent", "troubles": ["It does not answer."], "parked": 0},
        {"origin": "sensor-ingest/farm-0", "state": "degraded", "troubles": ["feed:hub: nothing more of it is read"],
         "head": 9_000_000, "lag": 120_000, "parked": 3, "residentBytes": 41_000_000},
    ],
}


def look(page, name: str, screen: str, scheme: str, pictures) -> None:
    """Checks a page with axe in a colour scheme; takes a picture of it if the run keeps pictures."""
    page.emulate_media(color_scheme=scheme)
    wait_until(page, "document.getAnimations().every((one) => one.effect.getTiming().iterations === Infinity)")
    if os.environ.get("FURROW_PICTURES"):
        page.screenshot(path=pictures / f"{name}-{screen}-{scheme}.png", full_page=True)
    options = {"resultTypes": ["violations"]} | ({"runOnly": OF_COLOURS} if (screen, scheme) == ("phone", "dark") else {})
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE)
    violations = page.evaluate(VIOLATIONS, options)
    assert violations == [], f"{name} on {screen}, {scheme}: {json.dumps(violations, indent=2)}"
    wide = page.evaluate("""() => Array.from(document.querySelectorAll("body *"))
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".hidden, .menu, svg"))
        .map((one) => `${one.tagName}.${one.className}`)""")
    assert wide == [], f"{name} on {screen} is wider than the screen"
    checked.append(f"{name}-{screen}-{scheme}")


def look_at_all(page, name: str, pictures) -> None:
    """Checks a page in each of this run's sizes and colours, and leaves it in that of a phone."""
    for screen, scheme in LOOKS:
        page.set_viewport_size(SCREENS[screen])
        look(page, name, screen, scheme, pictures)
    page.set_viewport_size(SCREENS["phone"])


def long_audit_log(count: int, page: int = 50):
    """Answers as an audit log of so many entries."""
    def answer(target: str) -> tuple[int, dict]:
        after = int(parse_qs(urlsplit(target).query).get("after", [str(count + 1)])[0])
        numbers = range(after - 1, max(0, after - 1 - page), -1)
        items = [{"number": number, "at": "2026-07-20T09:10:00.000000Z", "what": "sign-in-refused", "actor": "person",
                  "count": number} for number in numbers]
        return 200, {"items": items} | ({"next": str(numbers[-1])} if numbers[-1] > 1 else {})

    return answer


def test_story_pages_are_accessible(gateway, new_phone, pictures):
    story = StoryPage(new_phone(reduced_motion="reduce", service_workers="block"))
    url = gateway.story()

    def show(name: str) -> None:
        look_at_all(story.page, f"story-{name}", pictures)

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
    gateway.write_down()
    story.reload()
    show("later-visit")
    assert story.open(gateway.unsigned()).tone == "note"
    show("no-label")
    assert story.open(url[:60] + ("A" if url[60] != "A" else "B") + url[61:]).tone == "bad"
    show("failed")
    story.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    show("failed-unfolded")
    assert story.open(f"{gateway.url}/01/{GTIN}/10/NONE").state == "missing"
    show("missing")
    gateway.override[f"GET /v1/lots/{LOT}/passport"] = (504, {"status": 504})
    assert "offline" in story.open(url).words
    show("offline")


def test_staff_pages_are_accessible(gateway, staff, pictures):
    pages = staff("administrator", reduced_motion="reduce")
    pages.page.wait_for_selector('[data-live="on"]')
    gateway.measure(cold=8.7)
    pages.page.wait_for_selector("#alarms .alarm")
    gateway.override["GET /v1/audit-log"] = long_audit_log(120)

    def show(name: str) -> None:
        look_at_all(pages.page, f"staff-{name}", pictures)

    show("dashboard")
    for path, name in {
        "/plots": "plots", "/plots/south": "plot", "/plots/well": "plot-empty", "/stores": "stores",
        "/stores/cold1": "store", "/stores/barn": "store-empty", "/lots": "lots", f"/lots/{LOT}": "lot",
        "/harvest": "harvest", "/harvest/south": "harvest-of-a-plot", "/lots?q=nothing like it": "lots-none",
        "/account": "account", "/audit-log": "audit-log",
        "/sensors": "sensors", "/alarms": "alarms", "/alarms/p-cold": "alarms-of-a-point",
        "/people": "people", "/start-page": "start-page",
        "/operations": "operations", "/nowhere": "no-such-page",
        "/plots/none": "no-such-plot", "/stores/cold1/history": "history", "/plots/well/history": "history-empty",
        "/plots/south/growth": "growth", f"/lots/{LOT}/growth": "growth-of-a-lot",
    }.items():
        pages.go(path)
        if path.endswith("cold1/history"):
            pages.page.wait_for_selector(".histories[data-loaded]")
        for chart in pages.page.locator("climate-chart").all():
            chart.scroll_into_view_if_needed()
            pages.page.wait_for_selector("climate-chart[data-drawn]")
        show(name)
    gateway.override["GET /v1/operations"] = (200, ILL)
    pages.go("/operations")
    show("operations-with-trouble")
    gateway.override.clear()
    gateway.pack("L-9", "Chard")
    pages.go("/lots/L-9")
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
    for path, name in {"/": "dashboard", "/plots": "plots", "/plots/south": "plot", "/stores": "stores",
                       "/lots": "lots", "/harvest": "harvest"}.items():
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


@pytest.mark.home("first-day")
@pytest.mark.parametrize("screen", SCREENS)
def test_the_pages_of_a_first_day_are_accessible(gateway, new_phone, pictures, screen):
    pages = StaffPages(new_phone(viewport=SCREENS[screen]), gateway.url)
    link = f"{gateway.url}/setup#{gateway.farm.setup_token()}"
    pages.page.goto(link)
    pages.settle()
    look(pages.page, "staff-setup", screen, "light", pictures)
    pages.set_up(link, "Ana", "ana@farm.test")
    look(pages.page, "staff-create-farm", screen, "light", pictures)
    pages.send("create-farm", title="Finca La Loma", zone="Europe/Madrid")
    for path in ("/", "/plots", "/stores", "/lots", "/sensors"):
        pages.go(path)
        look(pages.page, f"staff-empty{path.replace('/', '-')}", screen, "light", pictures)
    assert pages.problems == []


def test_what_axe_finds_fails_the_check_of_a_page(new_phone, pictures):
    page = new_phone().new_page()
    page.set_content('<html lang="en"><title>Farm</title><main><h1>Farm</h1><img src="data:,"></main></html>')
    with pytest.raises(AssertionError, match="image-alt"):
        look(page, "picture-without-a-text", "phone", "light", pictures)


def test_enough_pages_were_looked_at():
    print(f"pages without a violation: {len(checked)}")
    assert len(checked) >= (90 if NIGHTLY else 45) and len(set(checked)) == len(checked)
