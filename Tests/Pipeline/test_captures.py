"""Recorded networks, posted to the running service: every report once, with the values of another decoder."""

import json

import pytest
from client import until
from farm import SHARED_DATA

CAPTURES = SHARED_DATA / "ingest" / "captures"
MEASURED, RAW = "farm.furrow.sensors.measured.v1", "farm.furrow.sensors.raw-reported.v1"

pytestmark = pytest.mark.skipif(not CAPTURES.is_dir(), reason=f"SKIPPED: no captures in {CAPTURES}")


def events_of(farm, name: str) -> list[dict]:
    return [event for event in farm.replay("sensor-ingest/farm-0")
            if event["type"] == name and event["data"]["source"] == "capture"]


def post(shared, name: str) -> dict:
    return shared.administrator.make("POST", "/v1/captures", (CAPTURES / name).read_bytes())


def test_two_captures_give_fifty_measurements_of_seven_tags_with_the_published_values(shared):
    before = len(events_of(shared.farm, MEASURED))
    answers = [post(shared, f"ruuvi-hcidump-{version}.btsnoop") for version in ("2.x", "3.x")]
    events = events_of(shared.farm, MEASURED)[before:]
    print(f"{len(events)} measurements; answered: {[answer['measurements'] for answer in answers]}")
    assert len(events) == 50 == sum(answer["measurements"] for answer in answers)
    assert sorted(event["id"] for event in events) == sorted(
        one["id"] for answer in answers for one in answer["accepted"])
    assert len({event["data"]["device"] for event in events}) == 7

    expected = published()
    compared = 0
    for event in events:
        data = event["data"]
        values = expected[(data["device"], data["counter"])]
        told = {reading["quantity"]: (reading["value"], reading["unit"]) for reading in data["readings"]}
        for quantity, value, unit in (
            ("temperature", values["temperature"], "Cel"), ("humidity", values["humidity"], "%RH"),
            ("pressure", values["pressure"], "hPa"), ("voltage", values["battery"] / 1000, "V"),
        ):
            assert told[quantity][1] == unit and told[quantity][0] == pytest.approx(value, abs=0.006), (data, values)
            compared += 1
    print(f"{compared} values equal")
    assert compared == 200 and len(expected) == 50


def published() -> dict[tuple[str, int], dict]:
    """Returns the values of another decoder, by tag and sequence number, rounded to hundredths."""
    found = {}
    with open(SHARED_DATA / "ingest" / "ble" / "hcidump.jsonl") as lines:
        for line in lines:
            values = json.loads(line)["expected"].get("ruuvi")
            if values:
                found[("ble:" + values["mac"], values["measurement_sequence_number"])] = values
    return found


def test_captures_that_are_posted_again_bring_nothing_new(shared):
    for name in ("ruuvi-hcidump-2.x.btsnoop", "ruuvi-hcidump-3.x.btsnoop"):
        post(shared, name)
    before = len(shared.farm.replay("sensor-ingest/farm-0"))
    answers = [post(shared, f"ruuvi-hcidump-{version}.btsnoop") for version in ("2.x", "3.x")]
    grown = len(shared.farm.replay("sensor-ingest/farm-0")) - before
    known = sum(answer["known"] for answer in answers)
    print(f"{known} known, {grown} new events")
    assert known >= 50 and [answer["measurements"] for answer in answers] == [0, 0] and grown == 0


def test_relayed_reports_of_a_mesh_are_recorded_once(shared):
    before = len(events_of(shared.farm, RAW))
    answer = post(shared, "control4-sample.pcap")
    raws = events_of(shared.farm, RAW)[before:]
    print(f"{len(raws)} raw reports of {len({event['data']['device'] for event in raws})} devices; answered {answer}")
    assert len(raws) == 3 == answer["raw"]
    again = post(shared, "control4-sample.pcap")
    assert (again["raw"], again["known"] >= 3) == (0, True)
    ids = {event["id"] for event in raws}
    until(lambda: ids <= {event["id"] for event in shared.farm.replay()}, 20, "them in the hub", pause=0.2)


def test_a_file_that_is_no_capture_is_rejected_with_the_reason(shared):
    answer = shared.administrator.settle("POST", "/v1/captures", b"no capture at all")
    assert answer.status == 422 and answer.json["title"] == "unreadable-capture", answer
