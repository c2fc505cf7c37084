"""Alarms that reach people: from a radio report to an e-mail, whose link opens the page that acknowledges."""

import re
import time

import pytest
from conftest import DESKTOP, PHONE
from mail_sink import MailSink
from radio_farm import ADMINISTRATOR, RadioFarm, until
from staff_driver import StaffPages
from test_accessibility import look

REQUESTED = "farm.furrow.sensors.alarm-notification-requested.v1"
ACKNOWLEDGED = "farm.furrow.sensors.alarm-acknowledged.v1"
SHELVED = "farm.furrow.sensors.alarm-shelved.v1"
GUS = {"name": "Gus", "email": "gus@farm.test", "password": "warm stores ring at night"}


@pytest.fixture
def cold_store(tmp_path):
    """A farm with a mail server that refuses the first delivery, a cold store with a limit, and one sensor in it."""
    mail = MailSink(tmp_path, put_off=1)
    farm = RadioFarm({"FURROW_SMTP": mail.url, "FURROW_MAIL_FROM": "farm@horse-creek.test"})
    try:
        node = farm.open_cold_store()
        farm.client.make("POST", "/v1/accounts", GUS | {"role": "grower"})
        yield farm, mail, node
    finally:
        mail.close()
        farm.destroy()


def test_an_alarm_reaches_a_phone_by_e_mail_and_is_acknowledged_there(cold_store, new_phone, pictures):
    farm, mail, node = cold_store
    office = StaffPages(new_phone(viewport=DESKTOP), farm.url)
    office.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    office.go("/alarms")
    assert "Nobody is notified of alarms" in office.text("#on-call")
    people = {one["name"]: one["person"] for one in farm.client.items("/v1/accounts")}
    office.send("set-on-call", **{people["Gus"]: "0", people[ADMINISTRATOR["name"]]: "15"})
    assert re.search(r"Gus at once", office.text("#on-call").replace("\u00a0", " "))
    office.send("set-on-call", **{"from": "21:00", "to": "07:00"})
    assert "From 21:00 to 07:00 only of alarms that cannot wait." in office.text("#on-call")

    began = time.monotonic()
    farm.radio.report(node, temperature=9.25, humidity=80, voltage=3)
    (letter,) = until(lambda: mail.to(GUS["email"]), 30, "the e-mail", pause=0.05)
    print(f"the e-mail arrived {time.monotonic() - began:.1f} s after the report, one delivery of which was refused")
    assert mail.to(ADMINISTRATOR["email"]) == []
    assert letter.letter["Subject"] == "Alarm: Top shelf: temperature 9.3 °C, above the limit of 8 °C"
    link = re.search(r"\S+/staff#/alarms", letter.text)
    assert link, letter.text

    # Opening the link changes nothing: mail scanners follow links.
    phone = StaffPages(new_phone(viewport=PHONE), farm.url)
    phone.sign_in(GUS["email"], GUS["password"])
    phone.go("/alarms")
    assert [e for e in farm.server.replay() if e["type"] == ACKNOWLEDGED] == []
    phone.page.screenshot(path=pictures / "alarms-390.png", full_page=True)
    office.page.screenshot(path=pictures / "alarms-1280.png", full_page=True)
    phone.press("acknowledge")
    assert "Acknowledged by you" in phone.text("#alarms")
    office.page.wait_for_selector("text=Acknowledged by a colleague")
    (event,) = [e for e in farm.server.replay() if e["type"] == ACKNOWLEDGED]
    assert event["actor"] == f"person/{people['Gus']}"

    # Swings and a return: the same incident, no second e-mail.
    for value in (5, 9.5, 4.5, 10):
        farm.radio.report(node, temperature=value, humidity=80, voltage=3)
    until(lambda: len(farm.client.items("/v1/alarms/history", point="shelf")) == 3, 20, "three alarms in the history")
    office.go("/alarms/shelf")
    office.page.screenshot(path=pictures / "alarm-history-1280.png", full_page=True)
    assert office.page.locator("ol.rows > li").count() == 3
    assert len([e for e in farm.server.replay() if e["type"] == REQUESTED]) == 1
    assert len(mail.to(GUS["email"])) == 1
    assert phone.problems == [] and office.problems == []


def test_people_take_turns_and_a_point_has_a_limit_of_its_change(cold_store, new_phone, pictures):
    farm, mail, node = cold_store
    office = StaffPages(new_phone(viewport=DESKTOP), farm.url)
    office.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    people = {one["name"]: one["person"] for one in farm.client.items("/v1/accounts")}
    office.go("/alarms")
    office.page.click("#weeks summary")
    office.send("set-on-call-weeks", turn1=people["Gus"], turn2=people[ADMINISTRATOR["name"]])
    assert "The person on call at once" in office.text("#on-call")
    assert office.text("#on-call-weeks").startswith("Gus ")
    weeks = farm.client.get("/v1/on-call")["upcoming"]
    assert [one["person"] for one in weeks[:2]] == [people["Gus"], people[ADMINISTRATOR["name"]]]
    office.page.click("#weeks summary")
    office.send("swap-on-call", week=weeks[1]["begins"], person=people["Gus"])
    assert [one["person"] for one in farm.client.get("/v1/on-call")["upcoming"][:3]] == [people["Gus"]] * 3
    look(office.page, "on-call", "desk", "light", pictures)

    office.go("/sensors")
    office.send("set-rule", place="point/shelf", quantity="temperature", above="3", overMinutes="15", share="2/3")
    text = office.text("main")
    assert "Top shelf temperature rises by more than 3 °C within 15 minutes in 2 of the last 3 reports" in text
    for value in (2, 6.5, 6.75):
        farm.radio.report(node, temperature=value, humidity=80, voltage=3)
    (letter,) = until(lambda: mail.to(GUS["email"]), 30, "the e-mail", pause=0.05)
    assert letter.letter["Subject"] == "Alarm: Top shelf: temperature rose by 4.8 °C within 15 minutes, more than 3 °C"
    assert mail.to(ADMINISTRATOR["email"]) == []
    office.go("/alarms")
    assert "temperature rose by 4.8 °C within 15 minutes, more than 3 °C" in office.text("#alarms")
    phone = StaffPages(new_phone(viewport=PHONE), farm.url)
    phone.sign_in(GUS["email"], GUS["password"])
    phone.go("/alarms")
    assert "You" in phone.text("#on-call-weeks")
    look(phone.page, "on-call", "phone", "dark", pictures)
    assert phone.problems == [] and office.problems == []


def test_the_page_of_a_store_shows_what_is_wrong_there_and_who_was_notified(cold_store, new_phone, pictures):
    farm, mail, node = cold_store
    gus = next(one["person"] for one in farm.client.items("/v1/accounts") if one["name"] == "Gus")
    farm.client.make("PUT", "/v1/on-call", {"steps": [{"afterMinutes": 0, "people": [gus]}]})
    farm.client.make("POST", "/v1/stores", {"farm": "creek", "store": "barn", "title": "Barn", "cold": False})
    phone = StaffPages(new_phone(viewport=PHONE), farm.url)
    phone.sign_in(GUS["email"], GUS["password"])
    phone.go("/stores/cold")
    assert "No alarm here." in phone.text("#alarms")
    # It appears while the page is open.
    farm.radio.report(node, temperature=9.25, humidity=80, voltage=3)
    phone.page.wait_for_selector("#alarms li.alarm")
    until(lambda: mail.to(GUS["email"]), 30, "the e-mail", pause=0.05)
    phone.go("/stores/barn")
    assert "No alarm here." in phone.text("#alarms") and "No notification" in phone.text("#notifications")
    phone.go("/stores/cold")
    assert "You by e-mail" in phone.text("#notifications")
    phone.press("acknowledge")
    assert "Acknowledged by you" in phone.text("#alarms")
    look(phone.page, "store-alarm", "phone", "light", pictures)
    phone.page.set_viewport_size({"width": 1280, "height": 900})
    look(phone.page, "store-alarm", "desk", "dark", pictures)
    assert phone.problems == []


def test_an_e_mail_that_cannot_be_delivered_is_listed(cold_store):
    farm, mail, node = cold_store
    client = farm.client
    client.make("PUT", "/v1/on-call", {"steps": [{"afterMinutes": 0, "people": ["nobody-of-that-name"]}]})
    farm.radio.report(node, temperature=9, humidity=80, voltage=3)
    (failed,) = until(lambda: client.items("/v1/messages/given-up"), 30, "the failed message")
    assert failed["about"] == "alarm" and "order" not in failed and failed["to"] == "mail"
    assert mail.taken == []


def test_an_alarm_names_the_lots_whose_goods_need_another_climate(cold_store, new_phone, pictures):
    farm, mail, node = cold_store
    make = farm.client.make
    (gus,) = [one["person"] for one in farm.client.items("/v1/accounts") if one["name"] == "Gus"]
    make("PUT", "/v1/on-call", {"steps": [{"afterMinutes": 0, "people": [gus]}]})
    make("POST", "/v1/plots", {"farm": "creek", "plot": "south", "title": "South field"})
    for lot, product in {"CARROTS-1": "Nantes carrots", "TOMATOES-1": "Cherokee Purple"}.items():
        make("POST", "/v1/lots", {"lot": lot, "product": product, "plot": "south", "grams": 9000})
    make("POST", "/v1/lots/CARROTS-1/storings", {"store": "cold"})

    # Given limits of carrots, which the grower takes from a handbook
    phone = StaffPages(new_phone(viewport=PHONE), farm.url)
    phone.sign_in(GUS["email"], GUS["password"])
    phone.go("/goods")
    assert "1 product without limits: Nantes carrots" in phone.text()
    phone.send("add-goods", recommendation="carrots")
    assert "Carrots, topped: temperature" in phone.text() and "without limits" not in phone.text()
    phone.page.locator("[data-goods=carrots] summary").click()
    phone.page.screenshot(path=pictures / "goods-390.png", full_page=True)
    until(lambda: farm.client.items("/v1/rules"), 10, "the limits of the store")

    # When the store is too warm for them, though within the limit of the store
    farm.radio.report(node, temperature=6, humidity=95, voltage=3)
    (letter,) = until(lambda: mail.to(GUS["email"]), 30, "the e-mail", pause=0.05)
    assert letter.letter["Subject"] == (
        "Alarm: Top shelf: temperature 6 °C, above the limit of 2 °C for Carrots, topped")
    assert "Lots: CARROTS-1" in letter.text
    phone.go("/alarms")
    assert "for Carrots, topped (lot CARROTS-1)" in phone.text("#alarms")

    # When goods are stored there that need more
    phone.go("/goods")
    phone.send("add-goods", recommendation="ripe-tomatoes", products="Cherokee Purple")
    make("POST", "/v1/lots/TOMATOES-1/storings", {"store": "cold"})
    sentence = "Cold store: no climate suits all goods there, Carrots, topped, Tomatoes, ripe"
    phone.go("/alarms")
    phone.page.wait_for_selector(f'#alarms :text("{sentence}")')
    letters = until(lambda: len(mail.to(GUS["email"])) == 2 and mail.to(GUS["email"]), 30, "the second e-mail")
    assert "no climate suits all goods" in letters[1].letter["Subject"]
    office = StaffPages(new_phone(viewport=DESKTOP), farm.url)
    office.sign_in(GUS["email"], GUS["password"])
    for path in ("goods", "sensors"):
        office.go(f"/{path}")
        office.page.screenshot(path=pictures / f"{path}-with-goods-1280.png", full_page=True)
    # Then it is over when the carrots leave.
    make("POST", "/v1/lots/CARROTS-1/handovers", {"to": "The market"})
    phone.page.wait_for_selector("#alarms .alarm", state="detached")
    assert phone.problems == [] and office.problems == []


def test_a_muted_alarm_reaches_nobody_and_is_shown_as_muted(cold_store, new_phone, pictures):
    farm, mail, node = cold_store
    (gus,) = [one["person"] for one in farm.client.items("/v1/accounts") if one["name"] == "Gus"]
    farm.client.make("PUT", "/v1/on-call", {"steps": [{"afterMinutes": 0, "people": [gus]}]})
    farm.radio.report(node, temperature=9.25, humidity=80, voltage=3)
    until(lambda: mail.to(GUS["email"]), 30, "the e-mail", pause=0.05)
    phone = StaffPages(new_phone(viewport=PHONE), farm.url)
    phone.sign_in(GUS["email"], GUS["password"])
    phone.go("/alarms")
    office = StaffPages(new_phone(viewport=DESKTOP), farm.url)
    office.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    office.go("/")

    phone.page.locator("#alarms .muting summary").click()
    look(phone.page, "muting", "phone", "light", pictures)
    phone.page.get_by_role("button", name="Mute For an hour").click()
    phone.page.wait_for_selector('#alarms :text("Muted by you until")')
    office.page.wait_for_selector('#alarms :text("Muted by a colleague until")')
    look(office.page, "muted", "desk", "light", pictures)
    phone.page.screenshot(path=pictures / "muted-390.png", full_page=True)
    (event,) = [one for one in farm.server.replay() if one["type"] == SHELVED]
    assert event["actor"] == f"person/{gus}"

    # Raised again in the meantime it is shown, and it reaches nobody.
    for value in (5, 11):
        farm.radio.report(node, temperature=value, humidity=80, voltage=3)
    phone.page.wait_for_selector('#alarms :text("temperature 11")')
    phone.page.wait_for_selector('#alarms :text("Muted by you until")')
    assert len([one for one in farm.server.replay() if one["type"] == REQUESTED]) == 1

    # Ended at once, people are notified again, as the alarm is still on.
    office.page.get_by_role("button", name="Notify again").click()
    phone.page.wait_for_selector("#alarms .muting summary")
    until(lambda: len(mail.to(GUS["email"])) == 2, 30, "the second e-mail", pause=0.05)
    # An acknowledged alarm offers no muting: nobody is notified of it anyway.
    phone.press("acknowledge")
    assert phone.page.locator("#alarms .muting").count() == 0
    assert phone.problems == [] and office.problems == []
