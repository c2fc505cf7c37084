"""Stories without a network: in the cellar, with the server off, without a service worker, without any storage."""

import shutil

import pytest
from farm import WEB
from gateway import LOT, STAFF
from staff_driver import StaffPages
from story_driver import StoryPage, wait_until

pytestmark = pytest.mark.shared


def test_a_story_seen_before_is_green_without_network_and_with_the_server_stopped(gateway, new_phone):
    context = new_phone()
    context.clock.install(time="2026-05-03T10:00:00Z")
    story = StoryPage(context)
    url = gateway.story()
    assert story.open(url).tone == "good"
    story.wait_for_charts()
    story.wait_for_worker()
    gateway.stop()
    context.set_offline(True)
    context.clock.set_system_time("2026-05-04T08:00:00Z")
    verdict = story.reload()
    assert (verdict.tone, verdict.title) == ("good", "Verified")
    assert "As of 3 May 2026, 12:00; offline" in verdict.words
    assert verdict.checks["label"] == "passed" and verdict.checks["history"] == "skipped"
    assert "480 kg" in story.story_text()
    assert story.wait_for_charts() == 5, "the drawing library was kept, too"
    assert story.problems == []
    context.set_offline(False)
    gateway.start()
    assert "Unchanged since your visit" in story.reload().words


def test_another_box_of_the_lot_is_checked_offline_too(gateway, new_phone):
    context = new_phone()
    story = StoryPage(context)
    first, second, serials = gateway.story(), gateway.story(box=1), gateway.serials
    forged = second.replace(serials[1], serials[2])
    other = gateway.labelled("SEEN-NEVER", "Chard")
    story.open(first)
    story.wait_for_worker()
    gateway.stop()
    context.set_offline(True)
    assert story.open(second).tone == "good"
    assert serials[1] in story.story_text()
    assert story.open(forged).tone == "bad"
    assert story.open(other).state == "unreachable", "a story that this phone has not seen"


def test_a_server_in_trouble_does_not_hide_a_story_seen_before(gateway, story):
    assert story.open(gateway.story()).tone == "good"
    gateway.override[f"GET /v1/lots/{LOT}/passport"] = (500, {"title": "storage", "status": 500, "detail": "no"})
    verdict = story.reload()
    assert verdict.tone == "good" and "offline" in verdict.words


def test_a_passport_that_is_being_written_is_waited_for(gateway, story):
    not_yet = (503, {"title": "not-yet", "status": 503, "detail": "try again in a second"})
    gateway.override[f"GET /v1/lots/{LOT}/passport"] = [not_yet, not_yet]
    assert story.open(gateway.story()).tone == "good"


def test_without_network_on_a_first_visit_nothing_is_claimed(gateway, story):
    for path in ("GET /ledger/keys", f"GET /v1/lots/{LOT}/passport"):
        gateway.override[path] = (502, {"title": "bad-gateway", "status": 502})
    verdict = story.open(gateway.story())
    assert (verdict.tone, verdict.state) == ("quiet", "unreachable")
    assert story.story_text().strip() == "" and "Nothing is known to be wrong" in verdict.words


def test_a_foreign_page_instead_of_an_answer_is_no_network_not_a_forgery(gateway, story):
    assert story.open(gateway.story()).tone == "good"
    gateway.tamper["/passport"] = lambda answer: ("text/html", b"<html>Welcome to our Wi-Fi</html>")
    verdict = story.reload()
    assert verdict.tone == "good" and "offline" in verdict.words


def test_a_server_that_declines_to_prove_its_history_is_red(gateway, story):
    assert story.open(gateway.story()).tone == "good"
    declined = (409, {"title": "since", "status": 409, "detail": "no such size"})
    gateway.override[f"GET /v1/lots/{LOT}/passport"] = declined
    verdict = story.reload()
    assert verdict.tone == "bad" and verdict.checks["history"] == "failed"
    gateway.override.clear()
    gateway.tamper["/passport"] = lambda answer: {
        name: value for name, value in answer.items() if name != "consistency"}
    gateway.write_down(3)
    verdict = story.reload()
    assert verdict.tone == "bad" and verdict.checks["history"] == "failed"


def test_everything_works_without_a_service_worker(gateway, new_phone):
    story = StoryPage(new_phone(service_workers="block"))
    assert story.open(gateway.story()).tone == "good"
    assert story.wait_for_charts() == 5
    gateway.write_down(3)
    assert "Unchanged since your visit" in story.reload().words
    gateway.override[f"GET /v1/lots/{LOT}/passport"] = "cut"
    assert "offline" in story.reload().words
    assert story.page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    assert story.problems == []


def test_a_browser_without_storage_checks_all_the_same_and_says_that_it_forgets(gateway, new_phone):
    context = new_phone(service_workers="block")
    context.add_init_script("Object.defineProperty(window, 'indexedDB', { get() { throw new Error('denied'); } });")
    story = StoryPage(context)
    verdict = story.open(gateway.story())
    assert verdict.tone == "good" and "This browser stores nothing" in verdict.words


#: Makes reading from storage fail the first so many times.
FAILING_READS = """const read = IDBObjectStore.prototype.get;
let failures = %d;
IDBObjectStore.prototype.get = function (key) {
    if (failures > 0) {
        failures -= 1;
        throw new DOMException("The storage is gone.", "InvalidStateError");
    }
    return read.call(this, key);
};"""


@pytest.mark.parametrize(("failures", "state"), [(1, "verified"), (1000, "unable")])
def test_storage_that_fails_is_no_failed_check(gateway, new_phone, failures, state):
    """Once is tried again; for good, nothing is shown, and nobody is accused."""
    context = new_phone(service_workers="block")
    story = StoryPage(context)
    assert story.open(gateway.story()).tone == "good"
    context.add_init_script(FAILING_READS % failures)
    verdict = story.reload()
    assert (verdict.state, verdict.tone) == (state, "good" if state == "verified" else "quiet")
    assert ("Unchanged since" in verdict.words) == (state == "verified")
    assert bool(story.story_text().strip()) == (state == "verified")


def test_answers_of_any_other_shape_are_red(gateway, story):
    """Whatever a check chokes on is not believed."""
    assert story.open(gateway.story()).tone == "good"
    since = next(size for name, size in story.remembered()["sizes"].items() if name.startswith("checkpoint "))
    honest = gateway.anyone().get(f"/v1/lots/{LOT}/passport", since=since)
    shapes = [None, [], 7, "", {}, {"hub": honest["hub"]}, *({name: value for name, value in honest.items()
              if name != missing} for missing in honest if missing != "consistency"),
              *(honest | {name: wrong} for name in honest for wrong in (None, [None], -1, {})
                if (name, wrong) != ("consistency", None))]
    for shape in shapes:
        gateway.tamper["/passport"] = lambda _, shape=shape: shape
        verdict = story.reload()
        assert verdict.tone == "bad" and "failed" in verdict.checks.values(), shape
    print(f"answers of other shapes refused: {len(shapes)}")
    assert len(shapes) >= 45


def test_a_browser_that_cannot_check_shows_no_story(gateway, new_phone):
    context = new_phone(service_workers="block")
    context.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { get() { return undefined; } });")
    story = StoryPage(context)
    verdict = story.open(gateway.story())
    assert verdict.state == "unable" and story.story_text().strip() == ""


def test_what_is_kept_is_of_one_build_when_the_pages_have_changed(new_gateway, new_phone, tmp_path):
    """The shop of a new build was opened, the story's pages were not; then there is no network."""
    gateway = new_gateway()
    story = StoryPage(new_phone())
    url = gateway.story()
    story.open(url)
    story.wait_for_worker()
    (before,) = shells(story)
    web = shutil.copytree(WEB, tmp_path / "web")
    for file in web.rglob("*.js"):
        file.write_text(file.read_text().replace("dayOfYear", "dayInYear"))
    gateway.rebuild(web)
    story.page.goto(gateway.url)
    story.page.wait_for_selector("main h1")
    for _ in range(100):
        if shells(story) != [before] and len(shells(story)) == 1:
            break
        story.page.wait_for_timeout(100)
    gateway.stop()
    assert (story.open(url).state, story.problems) == ("verified", [])
    kept = "caches.match('/assets/js/story/climate.js').then((one) => one.text())"
    assert story.page.evaluate(f"{kept}.then((one) => one.includes('dayInYear'))")


def shells(story: StoryPage) -> list[str]:
    """The builds that this browser keeps."""
    return story.page.evaluate("caches.keys().then((all) => all.filter((one) => one.startsWith('furrow-shell')))")


def test_the_staffs_pages_that_were_opened_are_kept_as_the_new_build_has_them(new_gateway, new_phone, tmp_path):
    gateway = new_gateway()
    pages = StaffPages(new_phone(), gateway.url)
    pages.sign_in(STAFF["grower"])
    pages.ready()
    # The worker sees a page's requests once it controls the page, which is later than its activation.
    wait_until(pages.page, "navigator.serviceWorker.controller !== null")
    pages.go("/sensors")
    kept = "caches.match('/assets/js/staff/pages/sensors.js')"
    wait_until(pages.page, f"{kept}.then((one) => one !== undefined)")
    web = shutil.copytree(WEB, tmp_path / "web")
    file = web / "js" / "staff" / "pages" / "sensors.js"
    file.write_text(file.read_text() + "// Of another build.\n")
    gateway.rebuild(web)
    pages.go("/")
    pages.page.reload()
    wait_until(pages.page, f"{kept}.then((one) => one.text()).then((one) => one.includes('Of another build'))")


def test_the_worker_keeps_pages_and_never_answers(gateway, story):
    story.open(gateway.story())
    story.wait_for_charts()
    story.wait_for_worker()
    kept = story.page.evaluate("""async () => {
        const paths = [];
        for (const name of await caches.keys()) {
            for (const request of await (await caches.open(name)).keys()) paths.push(new URL(request.url).pathname);
        }
        return paths;
    }""")
    print(f"kept by the worker: {len(kept)} files")
    assert len(kept) >= 25
    assert not [path for path in kept if not path.startswith("/assets/")]


#: A store that takes questions of this kind and never answers them.
SILENT = {
    "open": "IDBFactory.prototype.open = () => new EventTarget();",
    "read": "IDBObjectStore.prototype.get = () => new EventTarget();",
    "write": """const begin = IDBDatabase.prototype.transaction;
        IDBDatabase.prototype.transaction = function (stores, mode) {
            const transaction = begin.call(this, stores, mode);
            if (mode === "readwrite") {
                for (const end of ["oncomplete", "onabort", "onerror"]) {
                    Object.defineProperty(transaction, end, { set() {} });
                }
            }
            return transaction;
        };""",
}


@pytest.mark.parametrize("part", SILENT)
def test_a_store_that_never_answers_hides_nothing_that_was_verified_and_is_told(gateway, new_phone, part):
    """A disk that is busy with other things: the page does without, and does not claim a first visit."""
    context = new_phone()
    story = StoryPage(context)
    assert "First visit" in story.open(gateway.story()).words
    context.add_init_script(SILENT[part])
    verdict = story.reload()
    assert (verdict.tone, verdict.title) == ("good", "Verified") and "480 kg" in story.story_text()
    said = ("Unchanged since your visit", "may not be remembered") if part == "write" else (
        "Earlier visits could not be read", "nothing was compared")
    assert all(words in verdict.words for words in said) and "First visit" not in verdict.words, verdict.words
    assert verdict.checks["history"] == ("passed" if part == "write" else "skipped")
    gateway.tamper["/passport"] = lambda answer: answer | {"bytes": "e30="}
    assert story.reload().tone == "bad"
    assert story.problems == []


def test_a_store_that_never_answers_and_no_network_claim_nothing(gateway, new_phone):
    context = new_phone()
    story = StoryPage(context)
    story.open(gateway.story())
    story.wait_for_worker()
    context.add_init_script(SILENT["open"])
    gateway.stop()
    verdict = story.reload()
    assert (verdict.state, story.story_text().strip()) == ("unreachable", "")
    assert "neither does this phone’s storage" in verdict.words and "first visit of this phone" not in verdict.words
    gateway.start()


def test_a_cache_that_never_answers_keeps_no_page_from_opening(gateway, new_phone):
    """The service worker's own store is silent; what the network has is shown all the same."""
    context = new_phone()
    story = StoryPage(context)
    story.open(gateway.story())
    story.wait_for_worker()
    (worker,) = context.service_workers
    worker.evaluate("() => { Cache.prototype.match = Cache.prototype.put = () => new Promise(() => {}); }")
    before = len(gateway.requests)
    verdict = story.reload()
    assert verdict.tone == "good" and len(gateway.requests) > before
