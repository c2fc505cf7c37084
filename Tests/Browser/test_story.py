"""What a buyer sees who scans a label: only what was verified, and in plain words what was not."""

from datetime import timedelta

import pytest
from conftest import DESKTOP, PHONE
from farm_log import FarmLog, LabelKey
from sample_farm import LOT
from story_driver import StoryPage, plain
from test_accessibility import look


def serial(gateway) -> str:
    return gateway.farm.lot(LOT)["boxList"][0]["serial"]


def test_a_first_visit_verifies_everything_and_says_that_it_is_the_first(gateway, story):
    verdict = story.open(gateway.story(LOT, serial(gateway)))
    assert (verdict.tone, verdict.state, verdict.title) == ("good", "verified", "Verified")
    assert "First visit: from now on this phone remembers the farm’s keys." in verdict.words
    assert verdict.checks == {
        "label": "passed", "story": "passed", "checkpoint": "passed", "log": "passed", "history": "skipped",
        "lot": "passed"}
    told = story.story_text()
    for words in ("14 July 2026", "South terrace", "3,400 m²", "480 kg", "60 boxes", serial(gateway), "Watered 8 times",
                  "Europe/Madrid", "One zero too many", "Mercado de la Encarnación", "No sensor") :
        assert (words in told) == (words != "No sensor"), words
    assert story.page.inner_text("h1") == "Tomatoes ‘Rosa de Ronda’"
    assert "Finca La Loma, Spain" in story.page.inner_text("#origin")
    assert story.page.title() == "Tomatoes ‘Rosa de Ronda’ from Finca La Loma"


def test_a_correction_stands_beside_what_it_corrects_with_its_reason(gateway, story):
    story.open(gateway.story(LOT))
    entry = story.page.locator(".moment-corrected")
    assert entry.count() == 1
    text = story.text(".moment-corrected")
    assert "Nettle extract, 40 l" in text and "Reason: One zero too many: the tank holds 40 litres." in text
    assert "Nettle extract, 400 l" in story.text(".moment-corrected del")
    assert "Recorded on 4 July 2026" in text


def test_a_waiting_time_is_told_with_how_long_it_really_was(gateway, story):
    story.open(gateway.story(LOT))
    assert "10 days to wait before harvest; harvested 27 days later" in story.story_text()


def test_measurements_that_wait_to_be_read_are_told_beside_those_that_are(gateway, story, pictures):
    story.open(gateway.story(LOT))
    assert story.page.locator("[data-waiting]").count() == 0
    gateway.tamper["passport"] = lambda answer: answer | {"waiting": True}
    assert story.open(gateway.story(LOT)).state == "verified"
    assert "this story may be incomplete" in story.text("[data-waiting]")
    look(story.page, "story-waiting", "phone", "light", pictures)


def test_a_story_that_had_no_room_for_its_oldest_entries_says_so_in_each_chapter(gateway, story):
    story.open(gateway.story(LOT))
    assert story.page.locator("[data-older]").count() == 0 and "m³ in all" in story.story_text()
    whole = gateway.farm.passport
    gateway.farm.passport = lambda lot: whole(lot) | {
        "children": ["L2"], "omitted": {"activities": 1150, "custody": 1, "readings": 1, "alarms": 2, "children": 3}}
    assert story.open(gateway.story(LOT)).state == "verified"
    chapters = story.page.locator("#story .chapter")
    told = [plain(chapters.nth(index).locator("[data-older]").inner_text()) for index in range(chapters.count())]
    assert told == ["1,151 older entries are not shown here.", "1 older entry is not shown here.",
                    "2 older entries are not shown here."]
    assert "L2, 3 more" in story.text("#facts")
    assert "Watered 8 times" in story.story_text() and "in all" not in story.story_text()


def test_an_alarm_is_told_with_value_limit_and_time_at_the_farm(gateway, story):
    story.open(gateway.story(LOT))
    text = story.text(".alarms")
    assert "Cold room: temperature 9.1 °C, above the limit of 8 °C" in text
    assert "15 July 2026, 13:20 until 15 July 2026, 14:05" in text


def test_charts_are_drawn_and_the_same_values_stand_in_tables(gateway, story):
    story.open(gateway.story(LOT))
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
    assert "First visit" in story.open(gateway.story(LOT)).words
    before = story.remembered()
    gateway.farm.log.fill(29)
    context.clock.set_system_time("2026-05-20T10:00:00Z")
    verdict = story.reload()
    assert verdict.tone == "good" and "Unchanged since your visit of 3 May." in verdict.words
    assert verdict.checks["history"] == "passed"
    hub = f"checkpoint {gateway.farm.log.name}"
    assert int(story.remembered()["sizes"][hub]) == int(before["sizes"][hub]) + 29
    assert any("since=" in path for _, path in gateway.requests)


def test_a_log_that_has_not_grown_is_unchanged_too(gateway, story):
    story.open(gateway.story(LOT))
    verdict = story.reload()
    assert verdict.tone == "good" and "Unchanged since your visit today" in verdict.words


def test_a_link_without_signature_says_that_no_label_was_checked(gateway, story):
    verdict = story.open(gateway.story(LOT, signed=False))
    assert (verdict.tone, verdict.title) == ("note", "Story verified, no label checked")
    assert verdict.checks["label"] == "skipped"
    assert "480 kg" in story.story_text()
    story.open(f"{gateway.story(LOT, signed=False)}/21/ABCDEFGHIJKLM")
    assert "ABCDEFGHIJKLM" not in story.story_text(), "nobody signed this box number"


def test_a_label_may_come_in_lower_case(gateway, story):
    url = gateway.story(LOT, serial(gateway))
    assert story.open(gateway.url + url.removeprefix(gateway.url).lower()).tone == "good"


def test_what_no_check_can_prove_is_said(gateway, story):
    story.open(gateway.story(LOT))
    limits = story.page.locator("#limits")
    limits.locator("summary").click()
    assert "A sticker can be photographed and copied" in limits.inner_text()


@pytest.mark.parametrize(("screen", "viewport"), {"phone": PHONE, "desktop": DESKTOP}.items())
def test_a_recalled_lot_is_told_first_of_all_and_keeps_its_story(gateway, new_phone, pictures, screen, viewport):
    written = gateway.farm.passport
    gateway.farm.passport = lambda lot: written(lot) | {"recalled": "Glass splinters in one box"}
    story = StoryPage(new_phone(viewport=viewport, reduced_motion="reduce"))
    verdict = story.open(gateway.story(LOT))
    assert (verdict.tone, verdict.state, verdict.title) == ("recalled", "verified", "Recalled: do not eat it")
    assert "Glass splinters in one box" in verdict.words and "480 kg" in story.story_text()
    assert story.page.title().startswith("Recalled: ")
    look(story.page, "story-recalled", screen, "light", pictures)
    assert story.problems == []


def test_an_unknown_lot_is_not_found_and_not_red(gateway, story):
    verdict = story.open(f"{gateway.url}/01/{gateway.farm.lot(LOT)['gtin']}/10/NOSUCHLOT")
    assert (verdict.tone, verdict.state, verdict.title) == ("quiet", "missing", "No story found")
    assert story.story_text().strip() == ""


def test_a_revoked_key_makes_its_labels_red_and_stays_revoked(gateway, story):
    url = gateway.story(LOT)
    assert story.open(url).tone == "good"
    key = gateway.farm.log.label_key
    key.revoked = {"reason": "The label printer was stolen", "at": "2026-07-19T08:00:00Z"}
    verdict = story.reload()
    assert verdict.tone == "bad" and "The label printer was stolen" in verdict.words
    assert story.story_text().strip() == ""
    key.revoked = None
    assert story.reload().tone == "bad", "a revocation that was seen once is not taken back"
    gateway.stop()
    gateway.start()


def test_a_label_of_a_key_nobody_has_is_red(gateway, story):
    stranger = LabelKey("ZZ99")
    verdict = story.open(gateway.url + stranger.path(gateway.farm.lot(LOT)["gtin"], LOT, None))
    assert verdict.tone == "bad" and "a key that the farm does not have" in verdict.words


def test_new_label_keys_are_taken_in_on_later_visits(gateway, story):
    assert story.open(gateway.story(LOT)).tone == "good"
    gateway.farm.log.label_keys.append(LabelKey("FK02"))
    assert story.open(gateway.story(LOT)).tone == "good"
    assert story.remembered()["labelKeys"] == ["FK01", "FK02"]


@pytest.mark.parametrize("change", ["checkpoint key", "label key", "hub", "both keys", "one key more", "one key less"])
def test_other_keys_on_a_later_visit_are_not_believed(gateway, story, change):
    url = gateway.story(LOT)
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
    assert story.open(gateway.story(LOT)).tone == "good"
    forged = FarmLog(gateway.farm.log.name)
    forged.append_bytes(gateway.farm.log.kept[gateway.farm.passport_index(LOT)][1])
    honest, gateway.farm.log = gateway.farm.log, forged
    gateway.farm.passports.clear()
    assert story.open(gateway.story(LOT)).tone == "bad"
    gateway.farm.log = honest


def test_a_log_that_was_cut_or_rewritten_is_noticed_on_the_next_visit(gateway, story):
    farm = gateway.farm
    assert story.open(gateway.story(LOT)).tone == "good"
    honest = list(farm.log.entries), list(farm.log.leaves), list(farm.log.kept)
    cut = farm.log.size - 3
    farm.log.entries, farm.log.leaves, farm.log.kept = (part[:cut] for part in honest)
    farm.passports.clear()
    verdict = story.reload()
    assert verdict.tone == "bad" and verdict.checks["history"] == "failed"
    farm.log.fill(40)
    farm.passports.clear()
    verdict = story.reload()
    assert verdict.tone == "bad" and "what was recorded before was changed" in verdict.words
    farm.log.entries, farm.log.leaves, farm.log.kept = honest
    farm.passports.clear()
    assert story.reload().tone == "good"


def test_an_older_story_is_not_served_as_the_newest(gateway, story):
    old = gateway.farm.passport_index(LOT)
    assert story.open(gateway.story(LOT)).tone == "good"
    gateway.farm.now += timedelta(hours=1)
    gateway.farm.correct("a0001", {"kind": "sowing", "happened": "2026-04-02T06:00:00Z", "reason": "Weighed again",
                                   "substance": "Tomato", "amount": 1.4, "unit": "kg"})
    assert story.reload().tone == "good" and "Weighed again" in story.story_text()
    gateway.tamper["passport"] = lambda answer: gateway.farm.log.evidence(old, gateway.farm.log.size)
    verdict = story.reload()
    assert verdict.tone == "bad" and "older than the one this phone has seen" in verdict.words


def test_another_lots_story_with_a_perfect_proof_is_red(gateway, story):
    gateway.farm.harvest({"lot": "OTHER-1", "gtin": gateway.farm.lot(LOT)["gtin"], "product": "Old tomatoes",
                          "plot": "south", "grams": 1000, "happened": "2026-07-10T06:00:00.000000Z"})
    index = gateway.farm.passport_index("OTHER-1")
    gateway.tamper["passport"] = lambda answer: gateway.farm.log.evidence(index, None)
    verdict = story.open(gateway.story(LOT))
    assert verdict.tone == "bad" and verdict.checks["lot"] == "failed" and "another lot" in verdict.words


def test_another_kind_of_event_that_looks_like_a_passport_is_red(gateway, story):
    log = gateway.farm.log
    index = log.append("farm.furrow.trace.activity-recorded.v1", f"lot/{LOT}",
                       {"lot": LOT, "hubPosition": 1, "passport": gateway.farm.passport(LOT)}, "2026-07-20T09:00:00Z")
    gateway.tamper["passport"] = lambda answer: log.evidence(index, None)
    verdict = story.open(gateway.story(LOT))
    assert verdict.tone == "bad" and "not the story of a lot" in verdict.words


def test_markup_in_a_story_is_shown_as_text(gateway, story):
    gateway.farm.lot(LOT)["product"] = "<img src=x onerror=alert(1)><b>Tomatoes</b>"
    assert story.open(gateway.story(LOT)).tone == "good"
    assert story.page.inner_text("h1") == "<img src=x onerror=alert(1)><b>Tomatoes</b>"
    assert story.page.locator("h1 *").count() == 0


def test_what_a_page_is_asked_for_it_asks_for_without_cookies_and_only_here(gateway, story):
    story.open(gateway.story(LOT))
    asked = [path for _, path in gateway.requests if path.startswith(("/v1", "/ledger"))]
    assert len(asked) == 2 and asked[0] == "/ledger/keys"
