"""A stocktake in the browser: two people count at once, one of them without a network, and the report stays."""

import hashlib
import json
import subprocess
import time

import pytest
from conftest import DESKTOP, PHONE
from loma_market import picture
from mail_sink import MailSink
from radio_farm import ADMINISTRATOR, RadioFarm, until
from staff_driver import StaffPages
from test_accessibility import look

GUS = {"name": "Gus", "email": "gus@farm.test", "password": "the shed has four corners"}
TOOLS = ("Chainsaw", "Scythe", "Wheelbarrow", "Broadfork", "Wire cutter")


@pytest.fixture
def tool_shed(tmp_path):
    """A farm with a grower, and a store for tools."""
    farm = RadioFarm({})
    try:
        farm.open_cold_store()
        farm.client.make("POST", "/v1/accounts", GUS | {"role": "grower"})
        yield farm
    finally:
        farm.destroy()


def test_two_people_count_an_inventory_one_of_them_without_a_network(tool_shed, new_phone, pictures):
    farm = tool_shed
    office = StaffPages(new_phone(viewport=DESKTOP), farm.url)
    office.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    # Given an inventory with five tools, entered on the page
    office.go("/inventories")
    office.send("set-inventory", title="Tools")
    office.go("/inventories/tools")
    for number, tool in enumerate(TOOLS):
        office.send("set-item", title=tool, code=f"T-{number}")
    assert "5 items" in office.text("#items").replace("\u00a0", " ")
    look(office.page, "inventory", "desk", "light", pictures)
    office.page.locator("[data-form=start-stocktake] button[type=submit]").click()
    office.page.wait_for_selector("#tally :text('0 of 5')")

    # When one person counts on a phone that loses its network, and another one in the office
    phone = StaffPages(new_phone(viewport=PHONE), farm.url)
    phone.sign_in(GUS["email"], GUS["password"])
    phone.ready()
    path = office.page.url.split("#")[1]
    phone.go(path)
    phone.page.context.set_offline(True)
    for text in ("T-0", "scythe", "T-99"):
        count(phone, text)
    phone.page.wait_for_selector("#tally :text('3 counts not sent yet')")
    phone.page.wait_for_selector("#tally :text('2 of 5')")
    look(phone.page, "stocktake-offline", "phone", "light", pictures)
    count(office, "T-0")
    office.page.get_by_role("button", name="Found: Wheelbarrow").click()
    office.page.wait_for_selector("#tally :text('2 of 5')")
    phone.page.context.set_offline(False)

    # Then both see one count, in which what both saw counts once
    for pages in (office, phone):
        pages.page.wait_for_selector("#tally :text('3 of 5')", timeout=60_000)
        pages.page.wait_for_selector("#undecided :text('Code T-99')")
    look(office.page, "stocktake", "desk", "light", pictures)
    # What one counts is on the other's screen at once.
    began = time.monotonic()
    phone.page.get_by_role("button", name="Found: Broadfork").click()
    office.page.wait_for_selector("#tally :text('4 of 5')")
    print(f"found on a phone, on another screen after {time.monotonic() - began:.2f} s")

    # It asks for what is unresolved
    office.page.locator("[data-form^=finish] button[type=submit]").click()
    office.page.wait_for_selector("[data-form^=finish] .form-problem :text('2 differences are open')")
    office.page.get_by_role("button", name="It is missing: Wire cutter").click()
    office.page.wait_for_selector("#missing :text('Decided: it is missing.')")
    office.page.get_by_role("button", name="Does not belong here: Code T-99").click()
    office.page.wait_for_selector("#undecided :text('Decided: it does not belong here.')")
    office.page.locator("[data-form^=finish] button[type=submit]").click()
    office.page.wait_for_selector(":text('SHA-256 of the report')")
    look(office.page, "stocktake-report", "desk", "light", pictures)

    # And the report is what its digest says, also when the inventory changes.
    (stocktake,) = farm.client.items("/v1/stocktakes")
    lines = farm.client.items(f"/v1/stocktakes/{stocktake['stocktake']}/lines")
    assert hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() == stocktake["digest"]
    assert stocktake["found"] == 4 and stocktake["missing"] == 1 and stocktake["unexpected"] == 1
    seen = {json.loads(line).get("title"): json.loads(line).get("seen") for line in lines}
    assert len(seen["Chainsaw"]["people"]) == 2 and seen["Chainsaw"]["times"] == 2
    office.go("/inventories/tools")
    office.page.get_by_role("button", name="Finds of Wire cutter").click()
    office.page.locator("#finds").get_by_text("decided: missing").wait_for()
    look(office.page, "finds", "desk", "light", pictures)
    office.page.get_by_role("button", name="Close").click()
    farm.client.make("POST", "/v1/items/tools-wire-cutter/removals", {"reason": "Lost"})
    assert farm.client.items(f"/v1/stocktakes/{stocktake['stocktake']}/lines") == lines
    print(f"{len(lines)} lines, counted by 2 people; the digest is that of the lines")
    assert phone.problems == [] and office.problems == []


def count(pages: StaffPages, text: str) -> None:
    """Types a code or a name, and waits until it is counted or saved on the device."""
    form = pages.page.locator("[data-form^=count]")
    form.locator("[name=thing]").fill(text)
    form.locator("button[type=submit]").click()
    until(lambda: form.locator("[name=thing]").input_value() == "", 20, "the form to be ready again", pause=0.05)


def test_a_report_with_pictures_is_sent_by_e_mail_and_read_by_another_program(tmp_path, new_phone, pictures):
    mail = MailSink(tmp_path)
    farm = RadioFarm({"FURROW_SMTP": mail.url, "FURROW_MAIL_FROM": "farm@horse-creek.test"})
    try:
        farm.open_cold_store()
        farm.client.make("PUT", "/v1/inventories/tools", {"title": "Tools"})
        (tmp_path / "saw.png").write_bytes(picture(60, 120, 190))
        staff = StaffPages(new_phone(viewport=PHONE), farm.url)
        staff.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
        staff.ready()
        # Given two items with a value, one of them with a picture
        staff.go("/inventories/tools")
        form = staff.fill("set-item", title="Chainsaw", code="T-1", amount="249.5")
        form.locator('input[type="file"]').set_input_files(tmp_path / "saw.png")
        form.locator(".picture-view img").wait_for()
        staff.send("set-item")
        staff.page.locator("[data-item] img").wait_for()
        staff.send("set-item", title="Scythe", amount="80")
        staff.page.locator("[data-item='tools-scythe']").wait_for()
        look(staff.page, "inventory-pictures", "phone", "light", pictures)
        # When a stocktake found one of them, and its report is sent
        staff.page.locator("[data-form=start-stocktake] button[type=submit]").click()
        staff.page.wait_for_selector("#tally :text('0 of 2')")
        count(staff, "T-1")
        staff.page.wait_for_selector("#tally :text('1 of 2')")
        staff.page.locator("#mail-report summary").click()
        staff.page.locator("#mail-report [name=to]").fill("tax@office.test")
        staff.page.locator("#mail-report button[type=submit]").click()
        staff.page.get_by_text("The report was sent to tax@office.test").first.wait_for(timeout=20_000)
        look(staff.page, "stocktake-mailed", "phone", "light", pictures)
        # Then the letter has the report, with the picture
        letter = mail.taken[0]
        assert letter.recipient == "tax@office.test"
        attached = next(letter.letter.iter_attachments())
        assert attached.get_content_type() == "application/pdf"
        (tmp_path / "report.pdf").write_bytes(attached.get_content())
        words = output_of("pdftotext", "-layout", tmp_path / "report.pdf", "-")
        assert "1 of 2 items found, 1 missing" in words and "249.50 EUR" in words
        assert " image      16    10 " in output_of("pdfimages", "-list", tmp_path / "report.pdf")
        body = letter.letter.get_body(("plain",))
        assert body is not None and "1 of 2 items found" in body.get_content()
        # And a report is in the language of the person who reads it
        stocktake = staff.page.url.split("/stocktakes/")[1]
        assert farm.client.call("PUT", "/v1/me/language", {"language": "es"}).status == 204
        (tmp_path / "informe.pdf").write_bytes(farm.client.call("GET", f"/v1/stocktakes/{stocktake}/report.pdf").body)
        words = output_of("pdftotext", "-layout", tmp_path / "informe.pdf", "-")
        assert "1 de 2 artículos encontrados, 1 faltan" in words and "Página 1" in words and "249.50 EUR" in words
        # And an address that the mail server does not take is said on the page
        mail.put_off = 1
        staff.page.locator("#mail-report [name=to]").fill("other@office.test")
        staff.page.locator("#mail-report button[type=submit]").click()
        staff.page.locator("#mail-report").get_by_text("The report was not sent").wait_for(timeout=20_000)
    finally:
        farm.destroy()
        mail.close()


def output_of(*words: object) -> str:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout
