"""Labels: from the set-up link of a new farm server to the code on a box in a buyer's hand."""

import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from conftest import DESKTOP
from staff_driver import PASSWORD, StaffPages
from story_driver import StoryPage

LOT = "L-9"


def local(days_ago: float) -> str:
    """As a person types it into a `datetime-local` of a farm whose zone is UTC."""
    return (datetime.now(UTC) - timedelta(days=days_ago)).strftime("%Y-%m-%dT%H:%M")


@pytest.mark.home("first-day")
def test_a_farm_goes_from_its_set_up_link_to_a_label_whose_story_verifies(gateway, new_phone, tmp_path):
    staff = StaffPages(new_phone(), gateway.url)
    link = f"{gateway.url}/setup#{gateway.farm.setup_token()}"
    staff.set_up(link, "Ada Acker", "ada@farm.test")
    assert staff.heading() == "Create your farm"
    staff.send("create-farm", title="Finca Ávila", country="es", zone="UTC")
    assert staff.heading() == "Finca Ávila"
    late = StaffPages(new_phone(), gateway.url)
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


def test_the_url_that_a_scanner_reads_off_a_printed_label_opens_a_green_story(gateway, staff, new_phone, tmp_path):
    gateway.pack(LOT, "Chard")
    desk = staff("grower", viewport=DESKTOP)
    desk.go(f"/lots/{LOT}")
    desk.press("print-labels")
    desk.unfold("Each label")
    url = scanned(desk, tmp_path)
    assert url == url.upper() and url.startswith("HTTP://127.0.0.1:"), url
    story = StoryPage(new_phone())
    assert story.open(url).tone == "good"
    assert gateway.client.get(f"/v1/lots/{LOT}")["boxList"][0]["serial"] in story.story_text()


def test_labels_open_as_svg_png_and_pdf(gateway, staff, tmp_path):
    gateway.pack(LOT, "Chard")
    desk = staff("grower", viewport=DESKTOP)
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
