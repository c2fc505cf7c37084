"""What a buyer sees who scans a label: only what was verified, and in plain words what was not."""

import json
import math
from base64 import b64decode

import pytest
from conftest import DESKTOP, PHONE
from forged_ledger import ForgedLedger
from gateway import GTIN, LOT
from signed_log import FarmLog, LabelKey
from story_driver import StoryPage, plain
from test_accessibility import look
from verify import verify_passport

pytestmark = pytest.mark.shared


def test_a_first_visit_verifies_everything_and_says_that_it_is_the_first(gateway, story):
    verdict = story.open(gateway.story())
    assert (verdict.tone, verdict.state, verdict.title) == ("good", "verified", "Verified")
    assert "First visit: from now on this phone remembers the farm’s keys." in verdict.words
    assert verdict.checks == {
        "label": "passed", "story": "passed", "checkpoint": "passed", "log": "passed", "history": "skipped",
        "lot": "passed"}
    told = story.story_text()
    for words in ("14 July 2026", "South terrace", "3,400 m²", "480 kg", "60 boxes", gateway.serials[0],
                  "Watered 8 times", "Europe/Madrid", "One zero too many", "Mercado de la Encarnación", "No sensor"):
        assert (words in told) == (words != "No sensor"), words
    assert story.page.inner_text("h1") == "Tomatoes ‘Rosa de Ronda’"
    assert "Finca La Loma, Spain" in story.page.inner_text("#origin")
    assert story.page.title() == "Tomatoes ‘Rosa de Ronda’ from Finca La Loma"


def test_a_correction_stands_beside_what_it_corrects_with_its_reason(gateway, story):
    story.open(gateway.story())
    entry = story.page.locator(".moment-corrected")
    assert entry.count() == 1
    text = story.text(".moment-corrected")
    assert "Nettle extract, 40 l" in text and "Reason: One zero too many: the tank holds 40 litres." in text
    assert "Nettle extract, 400 l" in story.text(".moment-corrected del")
    assert "Recorded on 4 July 2026" in text


def test_a_waiting_time_is_told_with_how_long_it_really_was(gateway, story):
    story.open(gateway.story())
    assert "10 days to wait before harvest; harvested 27 days later" in story.story_text()


def test_measurements_that_wait_to_be_read_are_told_beside_those_that_are(gateway, story, pictures):
    story.open(gateway.story())
    assert story.page.locator("[data-waiting]").count() == 0
    gateway.tamper["/passport"] = lambda answer: answer | {"waiting": True}
    assert story.open(gateway.story()).state == "verified"
    assert "this story may be incomplete" in story.text("[data-waiting]")
    look(story.page, "story-waiting", "phone", "light", pictures)


def test_a_story_that_had_no_room_for_its_oldest_entries_says_so_in_each_chapter(gateway, story):
    story.open(gateway.story())
    assert story.page.locator("[data-older]").count() == 0 and "m³ in all" in story.story_text()
    story.page.evaluate("indexedDB.deleteDatabase('furrow-story')")
    ledger = ForgedLedger(gateway)
    ledger.rule(ledger.write(children=["L2"], omitted={
        "activities": 1150, "custody": 1, "readings": 1, "alarms": 2, "children": 3}))
    story.page.goto("about:blank")
    assert story.open(ledger.story()).state == "verified"
    chapters = story.page.locator("#story .chapter")
    told = [plain(chapters.nth(index).locator("[data-older]").inner_text()) for index in range(chapters.count())]
    assert told == ["1,151 older entries are not shown here.", "1 older entry is not shown here.",
                    "2 older entries are not shown here."]
    assert "L2, 3 more" in story.text("#facts")
    assert "Watered 8 times" in story.story_text() and "in all" not in story.story_text()


def test_an_alarm_is_told_with_value_limit_and_time_at_the_farm(gateway, story):
    story.open(gateway.story())
    text = story.text(".alarms")
    assert "Cold room: temperature 9.1 °C, above the limit of 8 °C" in text
    assert "15 July 2026, 13:20 until 15 July 2026, 14:05" in text


def test_charts_are_drawn_and_the_same_values_stand_in_tables(gateway, story):
    story.open(gateway.story())
    assert not [path for _, path in gateway.requests if "dygraph" in path], "no chart is in view yet"
    assert story.wait_for_charts() == 5
    tables = story.page.locator(".line-table")
    tables.first.locator("summary").click()
    assert tables.first.locator("tbody tr").count() >= 10
    assert "°C" in tables.first.inner_text()
    labels = [chart.get_attribute("aria-label") for chart in story.page.locator("[role=img]").all()]
    assert len(labels) == 5 and all("between" in label for label in labels)


def test_a_later_visit_says_since_when_nothing_was_changed(gateway, new_phone):
    context = new_phone()
    context.clock.install(time="2026-05-03T10:00:00Z")
    story = StoryPage(context)
    assert "First visit" in story.open(gateway.story()).words
    (before,) = [size for name, size in story.remembered()["sizes"].items() if name.startswith("checkpoint ")]
    grown = gateway.write_down(3)
    context.clock.set_system_time("2026-05-20T10:00:00Z")
    with story.page.expect_response(lambda one: "/passport?" in one.url and one.status == 200) as asked:
        verdict = story.reload()
    assert verdict.tone == "good" and "Unchanged since your visit of 3 May." in verdict.words
    assert verdict.checks["history"] == "passed"
    answer = asked.value.json()
    assert f"since={before}" in asked.value.url and len(answer["consistency"]) >= 1
    assert int(story.remembered()["sizes"][f"checkpoint {answer['hub']}"]) >= grown >= int(before) + 3


def test_a_log_that_has_not_grown_is_unchanged_too(gateway, story):
    story.open(gateway.story())
    verdict = story.reload()
    assert verdict.tone == "good" and "Unchanged since your visit today" in verdict.words


def test_a_link_without_signature_says_that_no_label_was_checked(gateway, story):
    verdict = story.open(gateway.unsigned())
    assert (verdict.tone, verdict.title) == ("note", "Story verified, no label checked")
    assert verdict.checks["label"] == "skipped"
    assert "480 kg" in story.story_text()
    story.open(f"{gateway.unsigned()}/21/ABCDEFGHIJKLM")
    assert "ABCDEFGHIJKLM" not in story.story_text(), "nobody signed this box number"


def test_a_label_may_come_in_lower_case(gateway, story):
    url = gateway.story()
    assert story.open(gateway.url + url.removeprefix(gateway.url).lower()).tone == "good"


def test_what_no_check_can_prove_is_said(gateway, story):
    story.open(gateway.story())
    limits = story.page.locator("#limits")
    limits.locator("summary").click()
    assert "A sticker can be photographed and copied" in limits.inner_text()


def test_a_recalled_lot_is_told_first_of_all_and_keeps_its_story(new_gateway, new_phone, pictures):
    gateway = new_gateway()
    gateway.client.make("POST", f"/v1/lots/{LOT}/recalls", {"reason": "Glass splinters in one box"})
    for screen, viewport in {"phone": PHONE, "desktop": DESKTOP}.items():
        story = StoryPage(new_phone(viewport=viewport, reduced_motion="reduce"))
        verdict = story.open(gateway.story())
        assert (verdict.tone, verdict.state, verdict.title) == ("recalled", "verified", "Recalled: do not eat it")
        assert "Glass splinters in one box" in verdict.words and "480 kg" in story.story_text()
        assert story.page.title().startswith("Recalled: ")
        look(story.page, "story-recalled", screen, "light", pictures)
        assert story.problems == []


def test_an_unknown_lot_is_not_found_and_not_red(gateway, story):
    verdict = story.open(gateway.unsigned("NOSUCHLOT"))
    assert (verdict.tone, verdict.state, verdict.title) == ("quiet", "missing", "No story found")
    assert story.story_text().strip() == ""


def test_a_revoked_key_makes_its_labels_red_and_stays_revoked(gateway, story):
    url = gateway.story()
    assert story.open(url).tone == "good"
    revoked = {"reason": "The label printer was stolen", "at": "2026-07-19T08:00:00Z"}
    gateway.tamper["/ledger/keys"] = lambda keys: keys | {
        "labelKeys": [key | {"revoked": revoked} for key in keys["labelKeys"]]}
    verdict = story.reload()
    assert verdict.tone == "bad" and "The label printer was stolen" in verdict.words
    assert story.story_text().strip() == ""
    gateway.tamper.clear()
    assert story.reload().tone == "bad", "a revocation that was seen once is not taken back"


def test_a_label_of_a_key_nobody_has_is_red(gateway, story):
    stranger = LabelKey("ZZ99")
    verdict = story.open(gateway.url + stranger.path(GTIN, LOT, None))
    assert verdict.tone == "bad" and "a key that the farm does not have" in verdict.words


def test_new_label_keys_are_taken_in_on_later_visits(gateway, story):
    assert story.open(gateway.story()).tone == "good"
    [first] = story.remembered()["labelKeys"]
    gateway.tamper["/ledger/keys"] = lambda keys: keys | {"labelKeys": [*keys["labelKeys"], LabelKey("FK02").told()]}
    assert story.open(gateway.story()).tone == "good"
    assert sorted(story.remembered()["labelKeys"]) == sorted([first, "FK02"])


@pytest.mark.parametrize("change", ["checkpoint key", "label key", "hub", "both keys", "one key more", "one key less"])
def test_other_keys_on_a_later_visit_are_not_believed(gateway, story, change):
    url = gateway.story()
    assert story.open(url).tone == "good"
    kept = story.remembered()
    gateway.tamper["/ledger/keys"] = lambda answer: changed_keys(answer, change)
    verdict = story.reload()
    assert verdict.tone == "bad" and "other keys than those this phone has stored" in verdict.words
    assert story.story_text().strip() == ""
    assert story.remembered() == kept
    del gateway.tamper["/ledger/keys"]
    assert story.reload().tone == "good", "the kept keys are still the farm's"


def changed_keys(answer: dict, change: str) -> dict:
    other = FarmLog(answer["hub"]).keys()
    if change == "checkpoint key":
        answer["checkpointKeys"] = [answer["checkpointKeys"][0], other["checkpointKeys"][1]]
    elif change == "label key":
        answer["labelKeys"] = other["labelKeys"]
    elif change == "hub":
        answer["hub"] = "somebody.else/ledger"
    elif change == "both keys":
        answer["checkpointKeys"] = other["checkpointKeys"]
    elif change == "one key more":
        answer["checkpointKeys"] += [other["checkpointKeys"][1]]
    else:
        answer["checkpointKeys"] = answer["checkpointKeys"][1:]
    return answer


def test_a_whole_forged_farm_with_the_same_name_is_noticed(gateway, story):
    """Another server with its own keys and its own well-signed story, after a first honest visit."""
    assert story.open(gateway.story()).tone == "good"
    ledger = ForgedLedger(gateway)
    ledger.rule(ledger.log.append_bytes(b64decode(ledger.honest["bytes"])))
    assert story.open(gateway.story()).tone == "bad"


def test_a_log_that_was_cut_or_rewritten_is_noticed_on_the_next_visit(gateway, story):
    ledger = ForgedLedger(gateway)
    index = ledger.write()
    ledger.log.fill(5)
    ledger.rule(index)
    assert story.open(ledger.story()).tone == "good"
    ledger.seen = ledger.log.size
    honest = ledger.log.cut(ledger.seen)
    ledger.log.cut(index - 3)
    ledger.rule(ledger.write())
    verdict = story.reload()
    assert verdict.tone == "bad" and verdict.checks["history"] == "failed"
    ledger.log.fill(40)
    ledger.rule(ledger.write())
    verdict = story.reload()
    assert verdict.tone == "bad" and "what was recorded before was changed" in verdict.words
    ledger.log.entries, ledger.log.leaves, ledger.log.kept = honest
    ledger.rule(index)
    assert story.reload().tone == "good"


def test_an_older_story_is_not_served_as_the_newest(gateway, story):
    ledger = ForgedLedger(gateway)
    old = ledger.write()
    ledger.rule(old)
    assert story.open(ledger.story()).tone == "good"
    ledger.seen = ledger.log.size
    ledger.rule(ledger.write(product="Tomatoes, weighed again"))
    assert story.reload().tone == "good" and "Tomatoes, weighed again" in story.page.inner_text("h1")
    ledger.seen = ledger.log.size
    ledger.rule(old)
    verdict = story.reload()
    assert verdict.tone == "bad" and "older than the one this phone has seen" in verdict.words


def test_another_lots_story_with_a_perfect_proof_is_red(gateway, story):
    gateway.labelled("OTHER-1", "Tomatoes ‘Rosa de Ronda’", gtin=GTIN, happened="2026-07-10T06:00:00.000000Z")
    other = gateway.anyone().get("/v1/lots/OTHER-1/passport", gtin=GTIN)
    gateway.tamper[f"/{LOT}/passport"] = lambda answer: other
    verdict = story.open(gateway.story())
    assert verdict.tone == "bad" and verdict.checks["lot"] == "failed" and "another lot" in verdict.words


def test_another_kind_of_event_that_looks_like_a_passport_is_red(gateway, story):
    ledger = ForgedLedger(gateway)
    ledger.rule(ledger.write("farm.furrow.trace.activity-recorded.v1"))
    verdict = story.open(ledger.story())
    assert verdict.tone == "bad" and "not the story of a lot" in verdict.words


def test_markup_in_a_story_is_shown_as_text(gateway, story):
    assert story.open(gateway.labelled("MARKUP-1", "<img src=x onerror=alert(1)><b>Tomatoes</b>")).tone == "good"
    assert story.page.inner_text("h1") == "<img src=x onerror=alert(1)><b>Tomatoes</b>"
    assert story.page.locator("h1 *").count() == 0


def test_what_a_page_is_asked_for_it_asks_for_without_cookies_and_only_here(gateway, story):
    story.open(gateway.story())
    asked = [path for _, path in gateway.requests if path.startswith(("/v1", "/ledger"))]
    assert len(asked) == 2 and asked[0] == "/ledger/keys"


def test_the_page_and_an_independent_reader_agree(gateway, story):
    """The response that the page got is checked by other code: what the page shows is what the log holds."""
    with story.page.expect_response(lambda one: "/passport?" in one.url and one.status == 200) as asked:
        assert story.open(gateway.story()).tone == "good"
    answer, keys = asked.value.json(), gateway.anyone().get("/ledger/keys")
    event, checkpoint = verify_passport(answer, keys)
    entry, passport = json.loads(answer["entry"]), event["data"]["passport"]
    assert entry["hub"] == answer["index"] + 1 and isinstance(entry["pos"], int)
    assert len(b64decode(entry["c"], validate=True)) == 32
    kept = story.remembered()
    assert kept["sizes"][f"checkpoint {answer['hub']}"] == str(checkpoint.size)
    assert kept["lots"] == [f"{passport['gtin']}/{LOT}"]
    assert kept["labelKeys"] == [key["kid"] for key in keys["labelKeys"]]
    lines = passport["readings"]
    assert len(lines) >= 4 and all(hour == int(hour) and low <= mean <= high
                                   for line in lines for hour, low, mean, high in line["hours"])
    for line in lines:
        mean = as_shown(line["mean"], digits={"temperature": 1}.get(line["quantity"], 0))
        figures = story.page.locator(f'figure[data-quantity="{line["quantity"]}"] .line-mean').all()
        assert any(plain(one.inner_text()).startswith(f"{mean} ") for one in figures), f"{mean}: {line}"


def as_shown(value: float, digits: int) -> str:
    """Rounded half up, as browsers write numbers in English."""
    text = f"{math.floor(value * 10 ** digits + 0.5) / 10 ** digits:,.{digits}f}"
    return text.removesuffix(".0")


def test_the_story_of_a_part_names_the_lot_it_was_split_off(gateway, story):
    gateway.labelled("CHARD-1", "Chard")
    gateway.client.make("POST", "/v1/lots/CHARD-1/splits", {"into": "CHARD-1A", "grams": 4000})
    assert story.open(gateway.label("CHARD-1A")).tone == "good"
    assert "Part of lot" in story.story_text() and "CHARD-1" in story.story_text()
