"""What is wrong with the farm server reaches its administrators: once, in doctor's words, and again when it is over.

Letters and webhooks come to receivers that the test made.
"""

import os
import signal

import pytest
from client import until
from conftest import DESKTOP, PHONE
from farm import ADMINISTRATOR, Farm
from mail_sink import MailSink
from notification_sinks import Receiver, verified
from staff_driver import StaffPages

SERVICE = "recommender/farm-0"
RAISED, CLEARED = "farm.furrow.sync.server-trouble-raised.v1", "farm.furrow.sync.server-trouble-cleared.v1"


class WatchedFarm:
    """A farm whose administrator has a mail address and a webhook; a grower is notified of nothing."""

    def __init__(self, folder):
        self.mail = MailSink(folder)
        self.hook = Receiver()
        self.farm = Farm(environment={
            "FURROW_SMTP": self.mail.url, "FURROW_MAIL_FROM": "farm@farm.test",
            "FURROW_DELIVERY_NETWORKS": "127.0.0.1"})

    def open(self) -> "WatchedFarm":
        self.farm.start()
        self.staff = self.farm.claim()
        (me,) = [one for one in self.staff.items("/v1/accounts") if one["email"] == ADMINISTRATOR["email"]]
        self.staff.make("POST", "/v1/accounts", {
            "name": "Gus", "email": "gus@farm.test", "password": "cold stores sleep at night", "role": "grower"})
        self.secret = self.staff.make(
            "POST", "/v1/webhooks", {"recipient": me["person"], "url": self.hook.url, "title": "Siren"})["secret"]
        return self

    def watch(self) -> None:
        """One check, as the farm server makes one every minute."""
        done = self.farm.furrow("watch", "--once")
        assert done.returncode == 0, done.stderr

    def letters(self) -> list[str]:
        return [one.letter["Subject"] for one in self.mail.to(ADMINISTRATOR["email"])]

    def close(self) -> None:
        self.farm.destroy()
        self.mail.close()
        self.hook.close()


@pytest.fixture
def watched(tmp_path):
    farm = WatchedFarm(tmp_path)
    try:
        yield farm.open()
    finally:
        farm.close()


def test_administrators_are_notified_once_of_a_silent_service_and_again_when_it_responds(watched, new_phone, pictures):
    farm = watched.farm
    process = farm.services[SERVICE]["pid"]
    os.kill(process, signal.SIGSTOP)
    try:
        for _ in range(4):
            watched.watch()
        until(lambda: watched.letters() and watched.hook.accepted(), 30, "a letter and a webhook")
        (trouble,) = watched.staff.get("/v1/operations")["troubles"]
        page = StaffPages(new_phone(viewport=PHONE), f"http://127.0.0.1:{farm.port}")
        page.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
        page.go("/operations")
        page.page.wait_for_selector("[data-trouble]")
        assert f"{SERVICE} does not respond." in page.text("#troubles")
        page.page.screenshot(path=pictures / "server-trouble-390.png")
        wide = StaffPages(new_phone(viewport=DESKTOP), f"http://127.0.0.1:{farm.port}")
        wide.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
        wide.go("/operations")
        wide.page.wait_for_selector("[data-trouble]")
        wide.page.screenshot(path=pictures / "server-trouble-1280.png")
    finally:
        os.kill(process, signal.SIGCONT)
    assert trouble["check"] == f"running {SERVICE}" and "logs" in trouble["advice"]
    assert watched.letters() == [f"Farm server: {SERVICE} does not respond."]
    (taken,) = watched.hook.accepted()
    message = verified(taken, watched.secret)
    assert message["type"] == "server.trouble" and message["data"]["text"] == f"{SERVICE} does not respond."
    until(lambda: farm.ready(SERVICE), 60, "the service")
    for _ in range(3):
        watched.watch()
    until(lambda: len(watched.letters()) == 2 and len(watched.hook.accepted()) == 2, 30, "what is over")
    assert watched.letters()[1] == f"Farm server, well again: {SERVICE} does not respond."
    assert verified(watched.hook.accepted()[1], watched.secret)["type"] == "server.recovered"
    assert watched.staff.get("/v1/operations")["troubles"] == []
    assert watched.mail.to("gus@farm.test") == []
    types = [event["type"] for event in farm.replay(f"sync-gateway/{SERVICE.split('/')[1]}")]
    assert (types.count(RAISED), types.count(CLEARED)) == (1, 1)
    assert page.problems == [] and wide.problems == []
