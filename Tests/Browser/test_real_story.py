"""What a buyer sees of a real farm server: the first visit, later ones, and when the server is gone."""

import json
import math
import re
from base64 import b64decode

import pytest
from conftest import DESKTOP, PHONE
from real_farm import LIMIT, LOT, PART, until
from story_driver import StoryPage, plain
from verify import verify_passport

CHECKS = {"label": "passed", "story": "passed", "checkpoint": "passed", "log": "passed", "history": "skipped",
          "lot": "passed"}


@pytest.mark.parametrize(("screen", "viewport"), {"phone": PHONE, "desktop": DESKTOP}.items())
def test_a_first_visit_is_green_and_tells_the_whole_story(real_farm, new_phone, pictures, screen, viewport):
    story = StoryPage(new_phone(viewport=viewport))
    verdict = story.open(real_farm.label(LOT, box=3))
    assert (verdict.tone, verdict.title, verdict.checks) == ("good", "Verified", CHECKS)
    assert "First visit" in verdict.words
    told = story.story_text()
    for words in (
        "Plot 2, 1,201 m²", "96 kg, 16 boxes", LOT, real_farm.labels[LOT][3]["serial"], "Planted",
        "Cucumber ‘Vorgebirgstraube’, 220 plants", "Whey, 80 l", "Reason: The tank holds eight litres",
        "1 day to wait before harvest; harvested 2 days later", "Watered 6 times", "1,800 l in all", "Moved to store",
        "Cold store", "Barn", f"Cold store: temperature {LIMIT + 1.5} °C, above the limit of {LIMIT} °C",
        "Europe/Vienna",
    ):
        assert words in told, f"{words!r} is not told in {told}"
    assert story.wait_for_charts() >= 4
    story.page.evaluate("scrollTo(0, 0)")
    story.page.screenshot(path=pictures / f"real-story-{screen}.png")
    story.page.screenshot(path=pictures / f"real-story-{screen}-whole.png", full_page=True)
    assert story.problems == []


def test_the_page_and_an_independent_reader_agree(real_farm, story):
    """The same answer, checked by other code: what the page shows is what the log holds."""
    with story.page.expect_response(lambda one: "/passport?" in one.url and one.status == 200) as asked:
        assert story.open(real_farm.label(PART)).tone == "good"
    answer, keys = asked.value.json(), real_farm.anyone().get("/ledger/keys")
    event, checkpoint = verify_passport(answer, keys)
    entry, passport = json.loads(answer["entry"]), event["data"]["passport"]
    assert entry["hub"] == answer["index"] + 1 and isinstance(entry["pos"], int)
    assert len(b64decode(entry["c"], validate=True)) == 32
    kept = story.remembered()
    assert kept["sizes"][f"checkpoint {answer['hub']}"] == str(checkpoint.size)
    assert kept["lots"] == [f"{passport['gtin']}/{PART}"]
    assert kept["labelKeys"] == [key["kid"] for key in keys["labelKeys"]]
    told = story.story_text()
    lines = passport["readings"]
    assert len(lines) >= 4 and all(hour == int(hour) and low <= mean <= high
                                   for line in lines for hour, low, mean, high in line["hours"])
    for line in lines:
        mean = as_shown(line["mean"], digits={"temperature": 1}.get(line["quantity"], 0))
        figures = story.page.locator(f'figure[data-quantity="{line["quantity"]}"] .line-mean').all()
        assert any(plain(one.inner_text()).startswith(f"{mean} ") for one in figures), f"{mean}: {line}"
    assert told.count("Reason: One nought too many") == 1 and "Part of lot" in told and passport["parent"] in told


def as_shown(value: float, digits: int) -> str:
    """Rounded half up, as browsers write numbers in English."""
    text = f"{math.floor(value * 10 ** digits + 0.5) / 10 ** digits:,.{digits}f}"
    return text.removesuffix(".0")


def test_a_link_without_signature_is_no_label(real_farm, story):
    gtin = real_farm.client.get(f"/v1/lots/{LOT}")["gtin"]
    verdict = story.open(f"{real_farm.url}/01/{gtin}/10/{LOT}")
    assert (verdict.tone, verdict.title) == ("note", "Story verified, no label checked")
    assert story.open(f"{real_farm.url}/01/{gtin}/10/NO-SUCH-LOT").state == "missing"
    assert story.story_text().strip() == ""


def test_a_label_is_read_in_any_case(real_farm, story):
    url = real_farm.label(LOT)
    assert url.startswith("HTTP://") and story.open(real_farm.url + real_farm.label_path(LOT).lower()).tone == "good"


def test_a_later_visit_after_new_facts_says_since_when_nothing_was_changed(real_farm, story):
    assert "First visit" in story.open(real_farm.label(LOT)).words
    before = story.remembered()["sizes"]
    for _ in range(3):
        real_farm.write_down()
    hub = next(name for name in before if name.startswith("checkpoint "))
    grown = until(lambda: size_of(real_farm) > int(before[hub]) + 2 and size_of(real_farm), 10, "the log to be signed")
    with story.page.expect_response(lambda one: "/passport?" in one.url and one.status == 200) as asked:
        verdict = story.reload()
    answer = asked.value.json()
    assert f"since={before[hub]}" in asked.value.url and len(answer["consistency"]) >= 1
    assert verdict.tone == "good" and verdict.checks["history"] == "passed"
    assert re.search(r"Unchanged since your visit today at \d\d:\d\d\.", verdict.words), verdict.words
    assert int(story.remembered()["sizes"][hub]) >= grown
    print(f"the log grew from {before[hub]} to {answer['size']}: {len(answer['consistency'])} hashes prove it")


def size_of(farm) -> int:
    return int(farm.anyone().call("GET", "/ledger/checkpoint").body.decode().splitlines()[1])


def test_with_the_server_stopped_the_story_is_green_from_storage(real_farm, story):
    assert story.open(real_farm.label(LOT)).tone == "good"
    charts = story.wait_for_charts()
    story.wait_for_worker()
    took = real_farm.server.stop()
    try:
        look_without_server(real_farm, story, charts, took)
    finally:
        real_farm.server.start()
    real_farm.write_down()
    assert "Unchanged since your visit" in story.open(real_farm.label(LOT)).words


def look_without_server(farm, story: StoryPage, charts: int, took: float) -> None:
    told = story.story_text()
    verdict = story.reload()
    print(f"stopped in {took:.1f} s; {verdict.words.splitlines()[-1]}")
    assert verdict.tone == "good" and verdict.checks == CHECKS
    assert re.search(r"As of \d+ \w+ \d{4}, \d\d:\d\d; offline", verdict.words), verdict.words
    assert story.wait_for_charts() == charts >= 4 and story.story_text() == told
    other = story.open(farm.label(LOT, box=5))
    assert other.tone == "good" and farm.labels[LOT][5]["serial"] in story.story_text()
    forged = farm.label(LOT).replace(farm.labels[LOT][0]["serial"], farm.labels[LOT][9]["serial"])
    assert story.open(forged).tone == "bad"
    assert story.open(farm.label(PART)).state == "unreachable"
