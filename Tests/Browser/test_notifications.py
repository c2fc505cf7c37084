"""Alarms that reach people by webhook and on their devices."""

import json
import shutil

import pytest
from client import Client
from conftest import DESKTOP, PHONE
from notification_sinks import Phone, Receiver, verified
from radio_farm import ADMINISTRATOR, RadioFarm, until
from staff_driver import StaffPages, wait_until

GUS = {"name": "Gus", "email": "gus@farm.test", "password": "warm stores ring at night"}
REQUESTED = "farm.furrow.sensors.alarm-notification-requested.v1"
GATEWAY = "sync-gateway/farm-0"


class NotifiedFarm:
    """A farm without a mail server, whose grower Gus is on call with a webhook and a phone."""

    def __init__(self):
        self.hook = Receiver()
        self.push = Receiver(201)
        self.phone = Phone(self.push, "gus")
        # Only this address: others of the same machine are still refused.
        self.farm = RadioFarm({"FURROW_DELIVERY_NETWORKS": "127.0.0.1", "FURROW_PUSH_NETWORKS": "127.0.0.1"})

    def open(self) -> "NotifiedFarm":
        self.node = self.farm.open_cold_store()
        self.person = self.client.make("POST", "/v1/accounts", GUS | {"role": "grower"})["person"]
        self.client.make("PUT", "/v1/on-call", {"steps": [{"afterMinutes": 0, "people": [self.person]}]})
        self.gus: Client = self.farm.server.sign_in(GUS)
        made = self.client.make(
            "POST", "/v1/webhooks", {"recipient": self.person, "url": self.hook.url + "/alarm", "title": "Siren"})
        self.secret, self.webhook = made["secret"], made["channel"]
        self.device = self.gus.make("POST", "/v1/me/channels", self.phone.subscription)["channel"]
        self.farm_key = self.gus.get("/v1/me/channels")["pushKey"]
        return self

    @property
    def client(self) -> Client:
        return self.farm.client

    def warm(self) -> None:
        self.farm.radio.report(self.node, temperature=9.25, humidity=80, voltage=3)

    def states(self) -> dict[str, str]:
        return {one["to"]: one["state"] for one in self.client.items("/v1/notifications")}

    def close(self) -> None:
        self.hook.close()
        self.push.close()
        self.farm.destroy()


@pytest.fixture(scope="module")
def browser(playwright, launch):
    """The build of Chromium that can show a window: the other has no notifications."""
    executable = shutil.which("chromium")
    assert executable, "Install Debian's package chromium."
    browser = playwright.chromium.launch(**launch | {"executable_path": executable})
    yield browser
    browser.close()


@pytest.fixture
def notified():
    farm = NotifiedFarm()
    try:
        yield farm.open()
    finally:
        farm.close()


def test_a_kill_between_acceptance_and_commit_repeats_the_same_message(notified):
    # Both receivers take the message and do not answer: for the gateway it is in flight.
    notified.hook.status = notified.push.status = 0
    notified.warm()
    until(lambda: notified.hook.taken and notified.push.taken, 30, "the first delivery")
    notified.farm.server.kill(GATEWAY)
    notified.hook.status, notified.push.status = 204, 201
    until(lambda: notified.hook.accepted() and notified.push.accepted(), 60, "the repeated delivery")
    until(lambda: notified.states() == {"webhook": "sent", "push": "sent", "mail": "withdrawn"}, 20, "the outcomes")

    assert len({one.headers["webhook-id"] for one in notified.hook.taken}) == 1
    assert len({one.headers["topic"] for one in notified.push.taken}) == 1
    assert len(notified.hook.accepted()) == len(notified.push.accepted()) == 1
    body = verified(notified.hook.accepted()[0], notified.secret)
    assert body == verified(notified.hook.taken[0], notified.secret)
    assert body["type"] == "alarm.notification"
    data = body["data"]
    assert data["value"] == 9.25 and data["limit"] == 8 and data["place"] == "store/cold" and data["rule"] == "warm"
    assert data["link"].endswith("/staff#/alarms") and data["person"] == notified.person
    (request,) = [one for one in notified.farm.server.replay() if one["type"] == REQUESTED]
    assert body["timestamp"] == request["time"]

    (sent,) = notified.push.accepted()
    message = notified.phone.message(sent, notified.farm_key)
    assert message["body"] == "Top shelf: temperature 9.3 °C, above the limit of 8 °C"
    assert message["tag"] == sent.headers["topic"] and message["link"] == "/staff#/alarms"
    assert sent.headers["urgency"] == "high" and int(sent.headers["ttl"]) > 0
    assert len(sent.body) <= 4096
    # The secret, the address and the keys are in the vault, not in events.
    journal = json.dumps(notified.farm.server.replay())
    assert not any(word in journal for word in (notified.secret[6:], notified.hook.url, notified.phone.path))


def test_a_message_that_waits_is_withdrawn_when_the_alarm_is_acknowledged(notified):
    notified.hook.status = 503
    notified.warm()
    until(lambda: len(notified.hook.taken) >= 2, 30, "a second attempt")
    notified.gus.make("POST", "/v1/alarms/warm/shelf/acknowledgements", {})
    until(lambda: notified.states()["webhook"] == "withdrawn", 20, "the withdrawal")
    assert notified.states()["push"] == "sent"
    notified.hook.status = 204
    # A later message shows that the outbox went on without the withdrawn one.
    answer = notified.client.make("POST", f"/v1/webhooks/{notified.webhook}/tests", None)
    assert answer == {"accepted": True, "status": 204, "reason": "the receiver answered with 204"}
    (test,) = notified.hook.accepted()
    assert verified(test, notified.secret)["type"] == "notification.test"


def test_receivers_can_end_their_channels_and_private_addresses_are_refused(notified):
    notified.hook.status, notified.push.status = 410, 410
    notified.warm()
    until(lambda: notified.states().get("webhook") == notified.states().get("push") == "failed", 30, "the failures")
    assert notified.client.items("/v1/webhooks")[0]["state"] == "disabled"
    assert [one["kind"] for one in notified.gus.get("/v1/me/channels")["items"]] == ["webhook"]

    port = notified.hook.port
    before = len(notified.hook.taken)
    refused = 0
    for host in ("127.0.0.2", "[::1]", "[::ffff:127.0.0.3]", "127.2", "10.0.0.1", "169.254.169.254"):
        made = notified.client.make(
            "POST", "/v1/webhooks", {"recipient": notified.person, "url": f"http://{host}:{port}/"})
        answer = notified.client.make("POST", f"/v1/webhooks/{made['channel']}/tests", None)
        assert not answer["accepted"] and "not allowed" in answer["reason"], (host, answer)
        refused += 1
    assert refused == 6 and len(notified.hook.taken) == before


def test_a_push_is_shown_by_the_service_worker_and_opens_the_alarms(notified, new_phone, pictures):
    context = new_phone(viewport=PHONE)
    context.grant_permissions(["notifications"], origin=notified.farm.url)
    pages = StaffPages(context, notified.farm.url)
    pages.sign_in(GUS["email"], GUS["password"])
    pages.page.wait_for_function("navigator.serviceWorker.ready.then(() => true)")
    wait_until(pages.page, "navigator.serviceWorker.controller !== null")

    notified.warm()
    (sent,) = until(notified.push.accepted, 30, "the push")
    payload = notified.phone.message(sent, notified.farm_key)
    session = context.new_cdp_session(pages.page)
    registrations: list[str] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda update: registrations.extend(
        one["registrationId"] for one in update["registrations"]))
    session.send("ServiceWorker.enable")
    until(lambda: pages.page.evaluate("1") and registrations, 20, "the registration")
    shown = """navigator.serviceWorker.ready.then((one) => one.getNotifications())
        .then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))"""

    def deliver() -> list[dict]:
        """Delivers the push: a worker that is being replaced may lose one. One tag is shown once."""
        session.send("ServiceWorker.deliverPushMessage", {
            "origin": notified.farm.url, "registrationId": registrations[0], "data": json.dumps(payload)})
        return pages.page.evaluate(shown)

    (note,) = until(deliver, 20, "the notification", pause=1)
    assert note == {"title": "Alarm", "body": payload["body"], "tag": payload["tag"]}

    # Headless Chromium shows nothing that could be clicked: the worker gets the event that a click causes.
    assert pages.path == "/"
    (worker,) = context.service_workers

    def click() -> bool:
        """Clicks the notification; whether there was none. A push that was delivered twice shows it again."""
        return worker.evaluate("""() => self.registration.getNotifications().then(([notification]) =>
            notification === undefined
            || !self.dispatchEvent(new NotificationEvent("notificationclick", { notification })))""")

    assert not click()
    pages.settle_on("/alarms")
    until(click, 20, "the notification to be closed")
    assert [one for one in notified.client.items("/v1/alarms") if one.get("acknowledged")] == []
    pages.press("acknowledge")
    assert "Acknowledged by you" in pages.text("#alarms")
    assert pages.problems == []


def test_a_subscription_that_the_browser_replaces_is_sent_to_the_farm(notified, new_phone):
    context = new_phone(viewport=PHONE)
    pages = StaffPages(context, notified.farm.url)
    pages.sign_in(GUS["email"], GUS["password"])
    pages.page.wait_for_function("navigator.serviceWorker.ready.then(() => true)")
    (worker,) = context.service_workers
    renewed = Phone(notified.push, "renewed")
    worker.evaluate("""({ endpoint, p256dh, auth }) => new Promise((resolve, reject) => {
        const newSubscription = { toJSON: () => ({ endpoint, keys: { p256dh, auth } }) };
        const waitUntil = (done) => done.then(resolve, reject);
        self.dispatchEvent(Object.assign(new Event("pushsubscriptionchange"), { newSubscription, waitUntil }));
    })""", renewed.subscription)
    notified.warm()
    (sent,) = until(renewed.taken, 30, "the push to the new subscription")
    assert renewed.message(sent, notified.farm_key)["title"] == "Alarm"


#: A browser whose push service is a given one: Chromium itself subscribes only at its maker's service.
SUBSCRIBES = """(subscription) => {
    PushManager.prototype.getSubscription = async () => null;
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
        if (!userVisibleOnly || applicationServerKey.length !== 87) throw new TypeError("wrong options");
        const { endpoint, p256dh, auth } = subscription;
        return { toJSON: () => ({ endpoint, keys: { p256dh, auth } }) };
    };
}"""


def test_people_add_and_remove_devices_and_administrators_webhooks(notified, new_phone, pictures):
    refusing = StaffPages(new_phone(viewport=PHONE), notified.farm.url)
    refusing.sign_in(GUS["email"], GUS["password"])
    refusing.go("/account")
    refusing.page.evaluate("Notification.requestPermission = async () => 'denied'")
    refusing.press("subscribe-device")
    assert "You did not allow notifications" in refusing.text("#device-alarms [role=alert]:visible")

    context = new_phone(viewport=PHONE)
    context.grant_permissions(["notifications"], origin=notified.farm.url)
    pages = StaffPages(context, notified.farm.url)
    pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    pages.page.wait_for_function("navigator.serviceWorker.ready.then(() => true)")
    pages.go("/account")
    pages.page.evaluate(f"({SUBSCRIBES})({json.dumps(Phone(notified.push, 'ada').subscription)})")
    pages.press("subscribe-device")
    assert "(this device)" in pages.text("#device-alarms")
    pages.press("test-device")
    assert "Sent: the test appears" in pages.text("#device-alarms")
    assert notified.push.taken[-1].path == "/push/ada"
    pages.page.screenshot(path=pictures / "account-390.png", full_page=True)
    pages.press("remove-device")
    assert pages.page.locator("#device-alarms li").count() == 0

    office = StaffPages(new_phone(viewport=DESKTOP), notified.farm.url)
    office.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    notified.hook.status = 503
    notified.warm()
    until(lambda: len(notified.hook.taken) >= 2, 30, "a second attempt")
    office.go("/alarms")
    assert "Gus by webhook: waiting" in office.text("#notifications")
    assert "Gus by device: sent" in office.text("#notifications")
    office.send("create-webhook", recipient=notified.person, url=notified.hook.url + "/text", title="Text messages")
    secret = office.text("dialog code")
    office.page.screenshot(path=pictures / "webhook-secret-1280.png")
    office.page.locator("dialog button", has_text="I have copied it").click()
    office.page.wait_for_selector("dialog", state="detached")
    notified.hook.status = 200
    office.page.locator("#webhooks li", has_text="Text messages").locator("[data-action^=test-webhook] button").click()
    office.page.wait_for_selector("#webhooks >> text=The receiver accepted the test.")
    (taken,) = [one for one in notified.hook.taken if one.path == "/text"]
    assert verified(taken, secret)["data"]["person"] == notified.person
    office.page.screenshot(path=pictures / "webhooks-1280.png", full_page=True)
    pages.go("/alarms")
    pages.page.screenshot(path=pictures / "notifications-390.png", full_page=True)
    assert "whsec" not in office.page.content()
    assert pages.problems == [] and office.problems == [] and refusing.problems == []
