"""A grower photographs a plot with a phone; the strip of the plot shows it, in small and in large, and loses it again."""

import io
from urllib.parse import urlparse

import pytest
from conftest import DESKTOP, PHONE
from farm import ADMINISTRATOR, Farm
from PIL import Image, ImageDraw
from staff_driver import StaffPages
from story_driver import StoryPage, wait_until


@pytest.fixture
def farm():
    farm = Farm()
    try:
        farm.start()
        staff = farm.claim()
        staff.make("POST", "/v1/farms", {"farm": "creek", "title": "Horse Creek", "zone": "UTC"})
        staff.make("POST", "/v1/plots", {"farm": "creek", "plot": "south", "title": "South field"})
        yield farm
    finally:
        farm.destroy()


def field(day: int, size: tuple[int, int] = (1600, 1200)) -> bytes:
    """A field under the sky; the crop grows by day."""
    image = Image.new("RGB", size, (150, 190, 230))
    pen = ImageDraw.Draw(image)
    width, height = size
    pen.rectangle((0, height * 0.55, width, height), fill=(110, 80, 50))
    for x in range(20, width, 60):
        top = height * (0.9 - 0.05 * day)
        pen.polygon([(x, height), (x + 15, top), (x + 30, height)], fill=(40, 120 + 8 * day, 50))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=85)
    return out.getvalue()


def test_a_grower_photographs_a_plot_and_looks_at_its_strip(farm, new_phone, pictures):
    for day in range(1, 8):
        answer = farm.client().call("POST", "/v1/photographs", field(day), query={
            "place": "plot/south", "camera": "mast", "at": f"2026-05-{day:02}T09:00:00Z"})
        assert answer.status == 201, answer.json
    url = f"http://127.0.0.1:{farm.port}"
    phone = StaffPages(new_phone(viewport=PHONE), url)
    phone.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    phone.go("/plots/south")
    page = phone.page
    page.wait_for_selector("[data-photograph] >> nth=6")
    page.set_input_files("#photographs input[type=file]", {
        "name": "IMG.jpg", "mimeType": "image/jpeg", "buffer": field(9, (3000, 4000))})
    page.wait_for_selector("[data-photograph] >> nth=7", timeout=20_000)
    assert page.locator("[data-photograph] img").first.evaluate("(img) => img.decode().then(() => img.naturalHeight)") \
        == 320, "the newest first: a thumbnail in portrait"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "390 px: too wide"
    page.locator("#photographs").scroll_into_view_if_needed()
    page.screenshot(path=pictures / "photographs-390.png")

    office = StaffPages(new_phone(viewport=DESKTOP), url)
    office.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    office.go("/plots/south")
    page = office.page
    page.wait_for_selector("[data-photograph] >> nth=7")
    page.locator("#photographs").scroll_into_view_if_needed()
    page.screenshot(path=pictures / "photographs-1280.png")
    page.locator("[data-photograph] button").nth(1).click()
    image = page.locator("dialog img")
    assert image.evaluate("(img) => img.decode().then(() => img.naturalWidth)") == 1024
    assert "Camera mast" in office.text("dialog")
    page.screenshot(path=pictures / "photograph-large-1280.png")
    (name,) = page.locator("dialog [data-action^=remove]").evaluate_all("(all) => all.map((one) => one.dataset.action)")
    office.press(name)
    page.wait_for_selector("[data-photograph] >> nth=7", state="detached")
    assert page.locator("[data-photograph]").count() == 7
    assert phone.problems == [] and office.problems == []


def test_a_buyer_sees_the_chosen_photographs_of_a_story_and_no_forged_one(farm, new_phone, pictures):
    staff = farm.client()
    staff.make("POST", "/v1/plots/south/activities", {"kind": "sowing", "happened": "2026-04-20T08:00:00Z"})
    for day in range(1, 5):
        answer = staff.call("POST", "/v1/photographs", field(day), query={
            "place": "plot/south", "camera": "mast", "at": f"2026-05-{day:02}T09:00:00Z"})
        assert answer.status == 201, answer.json
    staff.make("POST", "/v1/lots", {
        "lot": "P-1", "plot": "south", "product": "Plums", "grams": 5000, "gtin": "04012345678901"})
    url = f"http://127.0.0.1:{farm.port}"
    grower = StaffPages(new_phone(viewport=PHONE), url)
    grower.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    grower.go("/plots/south")
    for number in range(3):
        grower.page.locator("[data-photograph] button").nth(number).click()
        assert "Only the staff see it" in grower.text("dialog")
        (name,) = grower.page.locator("dialog [data-action^=show]").evaluate_all(
            "(all) => all.map((one) => one.dataset.action)")
        grower.press(name)
        grower.page.wait_for_selector(f"[data-photograph] >> nth={number} >> text=In stories")
    grower.page.locator("#photographs").scroll_into_view_if_needed()
    grower.page.screenshot(path=pictures / "photographs-chosen-390.png")

    staff.make("POST", "/v1/lots/P-1/packings", {"boxes": 2, "gramsEach": 2000})
    label = staff.make("POST", "/v1/lots/P-1/labels", {})["labels"][0]["url"]
    story = url + urlparse(label).path
    for name, viewport in (("390", PHONE), ("1280", DESKTOP)):
        context = new_phone(viewport=viewport)
        buyer = StoryPage(context)
        assert buyer.open(story).state == "verified"
        shown = buyer.page.locator(".story-photograph[data-state=shown]")
        buyer.page.locator(".story-photographs").scroll_into_view_if_needed()
        buyer.page.wait_for_selector(".story-photograph[data-state=shown] >> nth=2")
        assert shown.first.locator("img").evaluate("(img) => img.naturalWidth") == 320
        assert "South field" in buyer.text(".story-photographs") and "2 May 2026" in buyer.text(".story-photographs")
        buyer.page.locator(".story-photographs button").first.click()
        wait_until(buyer.page, "document.querySelector('.story-photograph img').naturalWidth === 1024")
        assert buyer.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} px: too wide"
        buyer.page.screenshot(path=pictures / f"story-photographs-{name}.png", full_page=True)
        buyer.wait_for_worker()
        context.set_offline(True)
        assert "offline" in buyer.reload().words
        buyer.page.locator(".story-photographs").scroll_into_view_if_needed()
        buyer.page.wait_for_selector(".story-photograph[data-state=shown] >> nth=2")
        assert buyer.problems == []

    context = new_phone(viewport=PHONE, service_workers="block")
    context.route("**/media/*", lambda route: route.fulfill(body=field(9), content_type="image/webp"))
    cheated = StoryPage(context)
    assert cheated.open(story).state == "verified"
    cheated.page.locator(".story-photographs").scroll_into_view_if_needed()
    cheated.page.wait_for_selector(".story-photograph[data-state=wrong] >> nth=2")
    assert "not the picture that the farm signed" in cheated.text(".story-photographs")
    assert cheated.page.locator(".story-photograph img").count() == 0
    assert grower.problems == []
