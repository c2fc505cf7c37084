"""A finished report is checked by its reader's own device: by a session, from a file, and without the farm."""

import json
import random

import pytest
from client import until
from conftest import DESKTOP, PHONE
from radio_farm import ADMINISTRATOR, RadioFarm
from staff_driver import StaffPages
from story_driver import wait_until
from test_accessibility import look


@pytest.fixture
def counted():
    """A farm with a finished stocktake of five tools."""
    farm = RadioFarm({})
    try:
        farm.open_cold_store()
        client = farm.client
        client.make("PUT", "/v1/inventories/tools", {"title": "Tools"})
        for number in range(5):
            client.make("PUT", f"/v1/items/tool-{number}", {"inventory": "tools", "title": f"Tool {number}"})
        client.make("POST", "/v1/inventories/tools/stocktakes", {"stocktake": "autumn", "title": "Autumn"})
        at = client.get("/v1/reporting")["at"]
        client.make("POST", "/v1/stocktakes/autumn/sightings", {"sightings": [
            {"thing": f"item/tool-{number}", "at": at, "how": "picked"} for number in range(4)]})
        client.make("POST", "/v1/stocktakes/autumn/finish", {"accept": True})
        until(lambda: client.call("GET", "/v1/stocktakes/autumn/proof").status == 200, 30, "the proof of the report")
        yield farm
    finally:
        farm.destroy()


def verdict(page) -> str:
    wait_until(page, "document.querySelector('#verdict h2') !== null")
    return page.locator("#verdict h2").inner_text()


def chosen(page, path) -> str:
    """Chooses a file, and returns the verdict about it."""
    page.evaluate("document.querySelector('#verdict').replaceChildren()")
    page.locator("#file").set_input_files(path)
    return verdict(page)


def test_a_report_is_verified_from_the_session_and_from_its_file_also_without_the_farm(
        counted, new_phone, pictures, tmp_path):
    farm = counted
    staff = StaffPages(new_phone(viewport=DESKTOP), farm.url)
    staff.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    staff.go("/stocktakes/autumn")
    with staff.page.context.expect_page() as opened:
        staff.page.get_by_role("link", name="Check the report by the farm’s log").click()
    page = opened.value
    assert verdict(page) == "Verified"
    page.get_by_text("4 found, 1 missing, 0 unexpected.").wait_for()
    look(page, "report-proof", "desk", "light", pictures)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the report with its proof").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    report = json.loads(path.read_text())
    assert path.name == "autumn-with-proof.json" and len(report["lines"]) == 5

    # The office of taxes has no account: it chooses the file.
    office = new_phone(viewport=PHONE)
    other = office.new_page()
    other.goto(f"{farm.url}/check-report?stocktake=autumn")
    assert verdict(other) == "Not checked"
    other.goto(f"{farm.url}/check-report")
    assert chosen(other, path) == "Verified"
    other.locator("#checks summary").click()
    look(other, "report-proof", "phone", "dark", pictures)
    results = other.locator("#checks [data-result=passed]").count()
    assert results >= 4

    # Each change of the file is noticed: of a line, of the proof, of the event, of the name.
    chance = random.Random(11)
    refused = 0
    for number, changed in enumerate(changes(report, chance)):
        (tmp_path / "changed.json").write_text(json.dumps(changed))
        assert chosen(other, tmp_path / "changed.json") == "Not verified", (number, changed)
        assert "Tool 0" not in other.inner_text("body")
        refused += 1
    (tmp_path / "other.json").write_text("[1, 2]")
    assert chosen(other, tmp_path / "other.json") == "Not a report"
    # Without the farm the keys that the device has serve.
    other.evaluate("navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)"
                   ".then(() => true)")
    wait_until(other, "caches.match('/assets/report.html').then((page) => page !== undefined)")
    farm.server.stop()
    other.reload()
    assert chosen(other, path) == "Verified"
    print(f"the report of 5 lines is verified 3 times, once without the farm; {refused} changed files are refused")
    assert refused >= 60 and staff.problems == []


def changes(report: dict, chance: random.Random):
    """The report with one thing changed, in many ways."""
    def with_bundle(**more) -> dict:
        return report | {"bundle": report["bundle"] | more}

    lines = report["lines"]
    for number, line in enumerate(lines):
        yield report | {"lines": [*lines[:number], line.replace("Tool", "Took"), *lines[number + 1:]]}
        yield report | {"lines": lines[:number] + lines[number + 1:]}
        yield report | {"lines": [*lines, line]}
    yield report | {"lines": list(reversed(lines))}
    yield report | {"lines": ["\n".join(lines)]}
    yield report | {"stocktake": "spring"}
    for name in ("entry", "salt", "bytes", "checkpoint"):
        text = report["bundle"][name]
        for _ in range(10):
            place = chance.randrange(len(text) - 4)
            letter = "A" if text[place] != "A" else "B"
            yield with_bundle(**{name: text[:place] + letter + text[place + 1:]})
    yield with_bundle(index=report["bundle"]["index"] + 1)
    yield with_bundle(size=report["bundle"]["size"] + 1)
    yield with_bundle(hub="other.example/hub")
    for number in range(len(report["bundle"]["proof"])):
        proof = report["bundle"]["proof"]
        yield with_bundle(proof=[*proof[:number], "A" * 43 + "=", *proof[number + 1:]])
    yield with_bundle(proof=[])
