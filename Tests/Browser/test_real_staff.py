"""The staff's pages against a real farm server, from the set-up link in its run file to the label in a buyer's hand."""

import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from conftest import DESKTOP
from real_farm import ADMINISTRATOR, LIMIT, LOT, PART, until
from staff_driver import StaffPages
from story_driver import StoryPage, plain, wait_until

PASSWORD = ADMINISTRATOR["password"]


def local(days_ago: float) -> str:
    """As a person types it into a `datetime-local` of a farm whose zone is UTC."""
    return (datetime.now(UTC) - timedelta(days=days_ago)).strftime("%Y-%m-%dT%H:%M")


@pytest.fixture
def desk(real_farm, new_phone):
    """The administrator of the farm that has lived, at a desk."""
    pages = StaffPages(new_phone(viewport=DESKTOP), real_farm.url)
    pages.sign_in(ADMINISTRATOR["email"], PASSWORD)
    yield pages
    assert pages.problems == []


def test_a_farm_goes_from_its_set_up_link_to_a_label_whose_story_verifies(new_real_farm, new_phone, tmp_path):
    farm = new_real_farm()
    staff = StaffPages(new_phone(), farm.url)
    link = farm.server.run_file["setup"]
    staff.set_up(link, ADMINISTRATOR["name"], ADMINISTRATOR["email"], PASSWORD)
    assert staff.heading() == "Create your farm"
    staff.send("create-farm", title="Finca Ávila", country="es", zone="UTC")
    assert staff.heading() == "Finca Ávila"
    late = StaffPages(new_phone(), farm.url)
    late.page.goto(link)
    late.settle()
    late.send("setup", name="Eve", email="eve@farm.test", password=PASSWORD)
    assert "used" in late.problem(), late.problem()

    staff.go("/plots")
    staff.send("lay-out-plot", title="South terrace", crop="Tomatoes", areaSquareMetres="3400")
    staff.settle_on("/plots/south-terrace")
    work = {
        "sowing": {"substance": "Tomato seed", "amount": "1.2", "unit": "kg"},
        "fertilising": {"substance": "Compost", "amount": "300", "unit": "kg"},
        "plant-protection": {"substance": "Soap", "amount": "12", "unit": "l", "waitingDays": "3"},
        "weeding": {},
    }
    for number, (kind, details) in enumerate(work.items()):
        staff.send("record-activity", kind=kind, happened=local(30 - 5 * number), **details)
        assert "was recorded" in staff.announced()
    assert staff.page.locator(".work .done").count() == 4
    staff.page.get_by_role("button", name="Correct Fertilising").click()
    staff.send("correct-activity", amount="30", reason="One nought too many")
    assert staff.page.locator("dialog").count() == 0
    assert "Compost, 30 kg" in staff.text(".work") and "Reason: One nought too many" in staff.text(".work")

    staff.go("/stores")
    staff.send("open-store", title="Cold room", cold=True)
    staff.go("/harvest/south-terrace")
    staff.send("harvest", product="Tomatoes", grams="1205", lot="t-1")
    staff.settle_on("/lots/T-1")
    staff.unfold("Correct the weight")
    staff.send("correct", grams="120.5", reason="The point was forgotten")
    assert "The weight was corrected" in staff.announced() and "120.5 kg, The point was forgotten" in staff.text()
    assert "Only valid inside this farm" in staff.text() and "pack the lot first" in staff.text()
    staff.unfold("Split")
    staff.send("split", grams="20", into="t-2")
    assert "T-2 was split off" in staff.announced() and "Split into" in staff.text()
    staff.unfold("Pack")
    staff.send("pack", boxes="10", gramsEach="5")
    assert "10 boxes were packed" in staff.announced() and "50.5 kg" in staff.text()
    staff.unfold("Pack")
    staff.send("pack", boxes="11", gramsEach="5")
    assert "50500" in staff.problem().replace(",", "").replace(".", "") or "left" in staff.problem(), staff.problem()
    staff.unfold("Move to a store")
    staff.send("store", store="cold-room")
    assert "Cold room" in staff.text()

    staff.press("print-labels")
    staff.unfold("Each label")
    links = staff.page.locator("#labels .links a", has_text="Story")
    assert links.count() == 10
    buyer = StoryPage(new_phone())
    verdict = buyer.open(scanned(staff, tmp_path))
    assert verdict.tone == "good", verdict
    told = buyer.story_text()
    for words in ("Sown", "Compost, 30 kg", "One nought too many", "Soap, 12 l", "Weeded", "Split", "Packed",
                  "Cold room", "Harvest corrected", "It was 120.5 kg in all. Reason: The point was forgotten"):
        assert words in told, words

    staff.unfold("Hand over")
    staff.send("hand-over", to="Mercado Central", document="A-17")
    assert "has left the farm" in staff.text() and "to Mercado Central" in staff.text()
    staff.sign_out()
    assert staff.page.locator("nav.menu").count() == 0
    staff.page.reload()
    staff.settle()
    assert staff.page.locator("nav.menu").count() == 0, "the session is over at the server, too"
    assert staff.problems == [] and buyer.problems == []


def scanned(staff: StaffPages, folder) -> str:
    """What a scanner reads off the PNG of the first box, fetched as the page's link does."""
    link = staff.page.locator("#labels .links a", has_text="PNG").first
    answer = staff.page.context.request.get(f"{staff.url}{link.get_attribute('href')}")
    assert answer.status == 200 and answer.headers["content-type"] == "image/png"
    (folder / "label.png").write_bytes(answer.body())
    done = subprocess.run(
        ["zbarimg", "--quiet", "--raw", folder / "label.png"], capture_output=True, text=True, check=True)
    (url,) = done.stdout.split()
    return url


def test_the_url_that_a_scanner_reads_off_a_printed_label_opens_a_green_story(real_farm, desk, new_phone, tmp_path):
    desk.go(f"/lots/{LOT}")
    desk.press("print-labels")
    desk.unfold("Each label")
    url = scanned(desk, tmp_path)
    assert url == url.upper() and url.startswith("HTTP://127.0.0.1:"), url
    story = StoryPage(new_phone())
    assert story.open(url).tone == "good"
    assert real_farm.labels[LOT][0]["serial"] in story.story_text()


def test_labels_open_as_svg_png_and_pdf(desk, tmp_path):
    desk.go(f"/lots/{LOT}")
    desk.press("print-labels")
    desk.unfold("Each label")
    files = {
        "svg": desk.page.locator("#labels .links a", has_text="SVG").first,
        "png": desk.page.locator("#labels .links a", has_text="PNG").first,
        "pdf": desk.page.locator("#labels a.button"),
    }
    begins = {"svg": b"<?xml", "png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-"}
    sizes = {}
    for kind, link in files.items():
        with desk.page.expect_download() as opened:
            link.click()
        download = opened.value
        assert download.suggested_filename == f"{LOT}-labels.{kind}"
        download.save_as(tmp_path / f"label.{kind}")
        data = (tmp_path / f"label.{kind}").read_bytes()
        assert data.startswith(begins[kind]), f"{kind}: {data[:40]}"
        sizes[kind] = len(data)
    told = subprocess.run(["pdfinfo", tmp_path / "label.pdf"], capture_output=True, text=True, check=True).stdout
    print(f"labels opened: {sizes}; {' '.join(told.split('Pages:')[1].split()[:1])} pages")


def test_the_dashboard_follows_what_the_radio_says(real_farm, desk, pictures):
    desk.go("/")
    wait_until(desk.page, "document.querySelector('[data-live]').dataset.live === 'on'")
    assert "All values are within their limits." in desk.text("#alarms")
    desk.page.screenshot(path=pictures / "real-dashboard.png")
    cold, field = real_farm.story.cold, real_farm.story.field
    real_farm.radio.report(field, temperature=23.4, humidity=55, voltage=3.1)
    wait_until(desk.page, "document.querySelector('[data-place=\"plot/p1\"]').innerText.includes('23.4')")
    real_farm.radio.report(cold, temperature=LIMIT + 2.5, humidity=88, voltage=3.0)
    wait_until(desk.page, "document.querySelector('#alarms .alarm') !== null")
    told = f"Cold store: temperature {LIMIT + 2.5} °C, above the limit of {LIMIT} °C"
    assert told in desk.text("#alarms")
    wait_until(desk.page, "document.querySelector('#announcements').innerText.startsWith('Alarm.')")
    assert told in desk.announced()
    wait_until(desk.page, "document.querySelector('[data-place=\"store/s1\"].place').innerText.includes('14.5')")
    desk.page.screenshot(path=pictures / "real-dashboard-alarm.png")
    real_farm.radio.report(cold, temperature=LIMIT - 1, humidity=88, voltage=3.0)
    wait_until(desk.page, "document.querySelector('#alarms .calm') !== null")
    real_farm.radio.report(cold, temperature=LIMIT + 0.03, humidity=88, voltage=3.0)
    wait_until(desk.page, "document.querySelector('#alarms .alarm') !== null")
    assert f"temperature {LIMIT}.03 °C, above the limit of {LIMIT} °C" in desk.text("#alarms"), "told as 12 above 12"
    for temperature in (LIMIT - 1, LIMIT - 2):
        real_farm.radio.report(cold, temperature=temperature, humidity=88, voltage=3.0)
    wait_until(desk.page, "document.querySelector('#alarms .calm') !== null")
    desk.page.reload()
    desk.settle()
    assert "All values are within their limits." in desk.text("#alarms")
    assert "23.4 °C" in desk.text('[data-place="plot/p1"]')


def test_a_harvest_is_written_down_with_the_keyboard_alone(real_farm, desk):
    page = desk.page
    desk.go("/")
    page.evaluate("document.activeElement.blur()")
    press_until(page, "document.activeElement.closest('nav') && document.activeElement.textContent.trim() === 'Lots'")
    page.keyboard.press("Enter")
    desk.settle_on("/lots")
    press_until(page, "document.activeElement.textContent === 'Record a harvest'")
    page.keyboard.press("Enter")
    desk.settle_on("/harvest")
    press_until(page, "document.activeElement.name === 'plot'")
    page.keyboard.type("Plot 1")
    for name, text in {"product": "Parsley", "grams": "7.5"}.items():
        press_until(page, f"document.activeElement.name === '{name}'")
        page.keyboard.press("Control+a")
        page.keyboard.type(text)
    press_until(page, "document.activeElement.name === 'lot'")
    page.keyboard.type("par-1")
    page.keyboard.press("Enter")
    desk.settle_on("/lots/PAR-1")
    wait_until(page, "document.activeElement.tagName === 'H1'")
    lot = real_farm.client.get("/v1/lots/PAR-1")
    assert (lot["product"], lot["grams"], lot["plot"]) == ("Parsley", 7500, "p1")


def press_until(page, expression: str, key: str = "Tab", most: int = 60) -> None:
    for _ in range(most):
        page.keyboard.press(key)
        if page.evaluate(expression):
            return
    raise AssertionError(f"{most} times {key}, and never {expression}")


def test_wrong_credentials_are_told_in_words(real_farm, new_phone):
    pages = StaffPages(new_phone(), real_farm.url)
    pages.page.goto(f"{real_farm.url}/staff")
    pages.settle()
    pages.send("sign-in", email="nobody@farm.test", password="not this password")
    assert len(pages.problem()) > 15 and "{" not in pages.problem()
    assert pages.page.locator("nav.menu").count() == 0


def test_people_are_added_sign_in_and_are_erased(real_farm, desk, new_phone):
    desk.go("/people")
    desk.send("create-account", name="Luz Mora", email="luz@farm.test", role="auditor", password=PASSWORD)
    wait_until(desk.page, "document.querySelector('main').innerText.includes('Luz Mora')")
    auditor = StaffPages(new_phone(), real_farm.url)
    auditor.sign_in("luz@farm.test", PASSWORD)
    for path in ("/", "/plots/p2", "/stores/s1", f"/lots/{LOT}", "/sensors"):
        auditor.go(path)
        assert auditor.page.locator("main form:not([role=search])").count() == 0, path
    desk.page.get_by_role("button", name="Erase Luz Mora").click()
    desk.press("erase")
    wait_until(desk.page, "!document.querySelector('main').innerText.includes('Luz Mora')")
    auditor.page.goto(f"{real_farm.url}/staff#/lots")
    auditor.page.wait_for_selector('form[data-form="sign-in"]')
    assert auditor.problems == []


def test_a_sensor_is_bound_and_a_limit_set_and_told(real_farm, desk):
    desk.go("/sensors")
    node = real_farm.radio.node(77)
    real_farm.radio.announce(node)
    real_farm.radio.report(node, temperature=20, humidity=60, voltage=3)
    until(lambda: node.device in {row["device"] for row in real_farm.client.items("/v1/devices")}, 10, "the node heard")
    desk.page.reload()
    desk.settle()
    desk.send("bind-point", title="Barn, door", place="store/s2", device=node.device)
    points = {row["device"]: row for row in real_farm.client.items("/v1/points") if row.get("device")}
    assert (points[node.device]["title"], points[node.device]["place"]) == ("Barn, door", "store/s2")
    desk.send("set-rule", place="store/s2", quantity="temperature", below="-1")
    assert "Barn temperature below −1 °C" in desk.text()


def test_a_lot_that_another_has_taken_is_told_beside_what_was_typed(desk):
    desk.go("/harvest")
    desk.send("harvest", product="Tomatoes", grams="5", lot=PART)
    assert PART in desk.problem() or "lot" in desk.problem().lower(), desk.problem()
    assert desk.form("harvest").locator("[name=grams]").input_value() == "5"
    desk.go("/plots/p1")
    assert plain(desk.page.inner_text("main h1")) == "Plot 1"
