"""How many messages leave the farm for traces of reports, with one replica of sensor-ingest and with three: counted by
a mail server and a webhook's receiver."""

from datetime import UTC, datetime, timedelta

import pytest
from client import until
from farm import Farm
from mail_sink import MailSink
from notification_sinks import Receiver

GUS = {"name": "Gus", "email": "gus@farm.test", "password": "warm stores ring at night"}
BATCH = 200
LIMIT = 30

#: Of each trace: its values, the seconds between two, the alarms in its history, and the messages on each channel.
SWING = ([29.9, 30.1] * 30, 10, 1, 1)
WIDE_SWING = ([28, 31] * 30, 10, 30, 1)
SPIKE = ([20] * 20 + [85] + [20] * 20, 10, 1, 1)
SPIKE_OF_THREE = (SPIKE[0], 10, 0, 0)
BACKLOG = ([35 if number % 20 == 10 else 20 for number in range(2016)], 300, 101, 0)
TRACES = {"swing": SWING, "wide": WIDE_SWING, "spike": SPIKE, "three": SPIKE_OF_THREE, "backlog": BACKLOG}


@pytest.fixture(params=[1, 3], ids=["one replica", "three replicas"])
def farm(request, tmp_path):
    mail, hook = MailSink(tmp_path), Receiver()
    farm = Farm(ingest=request.param, environment={
        "FURROW_SMTP": mail.url, "FURROW_MAIL_FROM": "farm@horse-creek.test", "FURROW_DELIVERY_NETWORKS": "127.0.0.1"})
    try:
        farm.start()
        farm.claim()
        yield farm, mail, hook
    finally:
        farm.destroy()
        mail.close()
        hook.close()


def test_traces_cause_exactly_the_messages_that_they_must(farm):
    server, mail, hook = farm
    client = server.client()
    make = client.make
    make("POST", "/v1/farms", {"farm": "creek", "title": "Horse Creek", "zone": "UTC"})
    make("POST", "/v1/stores", {"farm": "creek", "store": "cold", "title": "Cold store", "cold": True})
    make("PUT", "/v1/rules/warm", {"place": "store/cold", "quantity": "temperature", "above": LIMIT})
    gus = make("POST", "/v1/accounts", GUS | {"role": "grower"})["person"]
    make("PUT", "/v1/on-call", {"steps": [{"afterMinutes": 0, "people": [gus]}]})
    make("POST", "/v1/webhooks", {"recipient": gus, "url": hook.url, "title": "Siren"})
    for number, name in enumerate(TRACES):
        make("PUT", f"/v1/points/{name}",
             {"title": name, "place": "store/cold", "device": f"ble:{address(number)}"})
    make("PUT", "/v1/rules/often", {
        "point": "three", "quantity": "temperature", "above": LIMIT, "reports": {"beyond": 2, "of": 3}})

    now = datetime.now(UTC)
    for number, (values, pause, _, _) in enumerate(TRACES.values()):
        end = now - timedelta(hours=1) if pause > 10 else now
        adverts = [
            advert(number, index, value, end - timedelta(seconds=pause * (len(values) - 1 - index)))
            for index, value in enumerate(values)]
        for start in range(0, len(adverts), BATCH):
            make("POST", "/v1/adverts", {"adverts": adverts[start:start + BATCH], "source": "gateway"})

    def history(name: str) -> int:
        return len(client.items("/v1/alarms/history", point=name))

    until(lambda: all(history(name) == alarms for name, (_, _, alarms, _) in TRACES.items()), 60,
          "the alarms in the history", pause=0.2)
    wanted = sorted(name for name, (_, _, _, messages) in TRACES.items() for _ in range(messages))
    until(lambda: len(mail.to(GUS["email"])) >= len(wanted) and len(hook.accepted()) >= len(wanted), 30, "the messages")
    # Nothing is on its way any more: every notification has ended.
    until(lambda: {one["state"] for one in client.items("/v1/notifications")} == {"sent"}, 30, "their outcomes")
    requested = [event["data"]["title"] for event in server.replay()
                 if event["type"] == "farm.furrow.sensors.alarm-notification-requested.v1"]
    subjects = [str(one.letter["Subject"]) for one in mail.to(GUS["email"])]
    total = sum(len(values) for values, *_ in TRACES.values())

    def reports() -> int:
        return sum(event["type"] == "farm.furrow.sensors.measured.v1" for event in server.replay())

    # Messages leave before the hub has mirrored the last reports.
    until(lambda: reports() >= total, 30, "every report in the hub", pause=0.2)
    measured = reports()
    print(f"{len(server.services)} services, {measured} reports: "
          + ", ".join(f"{name} {history(name)} alarms" for name in TRACES)
          + f"; {len(subjects)} e-mails, {len(hook.accepted())} webhooks")
    assert measured == total
    assert sorted(requested) == wanted
    assert sorted(subject.split(": ")[1] for subject in subjects) == wanted
    assert len(hook.accepted()) == len(hook.taken) == len(wanted)


def address(number: int) -> str:
    return f"c0ffee00{number:04x}"


def advert(number: int, index: int, celsius: float, at: datetime) -> dict:
    """A Ruuvi packet (data format 5) of this temperature; the other values are "not available"."""
    raw = round(celsius / 0.005)
    data = f"0201061bff990405{raw:04x}ffffffff800080008000ffffff{index:04x}{address(number)}"
    return {"address": address(number), "hex": data, "rssi": -70, "at": at.isoformat()}
