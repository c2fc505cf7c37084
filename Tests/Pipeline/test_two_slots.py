"""One advertisement that two gateways forward to two ingest processes: two events, one report."""

from datetime import UTC, datetime, timedelta

from client import until
from farm import Farm
from load import MEASURED
from tags import Tag
from test_replicas import RAISED, slots

TAGS = 8


def stamped(advert: dict, at: datetime) -> dict:
    return advert | {"at": at.isoformat().replace("+00:00", "Z")}


def measured(farm: Farm, tags: list[Tag]) -> list[dict]:
    devices = {tag.device for tag in tags}
    return [event for event in farm.replay() if event["type"] == MEASURED and event["data"]["device"] in devices]


def test_a_report_that_two_slots_record_is_two_events_in_the_hub_and_counts_once(own_farm):
    farm = own_farm().start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    client.make("POST", "/v1/stores", {"farm": "sonnhof", "store": "s1", "title": "Store", "cold": True})
    tags = [Tag(number, family=0xE1) for number in range(TAGS)]
    for number, tag in enumerate(tags):
        client.make("PUT", f"/v1/points/p{number}", {"title": f"P{number}", "place": "store/s1", "device": tag.device})
    client.make("PUT", "/v1/rules/warm", {"place": "store/s1", "quantity": "temperature", "above": 30})

    # A single slot takes all of them; with two, each takes its share of the same ones.
    now = datetime.now(UTC).replace(microsecond=0) - timedelta(seconds=30)
    hot = [stamped(tag.advert(temperature=31), now) for tag in tags]
    cool = [stamped(tag.advert(temperature=20), now + timedelta(seconds=10)) for tag in tags]
    first = client.make("POST", "/v1/adverts", {"adverts": hot + cool, "source": "gateway/north"})
    assert first["measurements"] == 2 * TAGS
    farm.furrow("scale", "--ingest", "2")
    until(lambda: len(slots(farm)) == 2 and all(map(farm.ready, slots(farm))), 20, "two slots ready")

    def shared() -> int:
        """Posts what the second gateway received: each packet once at the same time, and once at a time after the cool
        ones.
        """
        late = [advert | stamped({}, now + timedelta(seconds=15)) for advert in hot]
        return client.make("POST", "/v1/adverts", {"adverts": cool + late, "source": "gateway/south"})["measurements"]

    taken = until(shared, 10, "the share of the second slot")
    assert taken % 2 == 0 and 2 <= taken <= 2 * TAGS
    until(lambda: len(measured(farm, tags)) == 2 * TAGS + taken, 20, "the events of both origins in the hub")
    events = measured(farm, tags)
    origins = {event["source"] for event in events}
    assert origins == {"/sensor-ingest/farm-0", "/sensor-ingest/farm-1"}
    # The same packet at the same time has the same id in both journals.
    names = [event["id"] for event in events]
    assert len(names) - len(set(names)) == taken // 2

    def hours() -> list[dict]:
        return client.items("/v1/readings", place="store/s1", quantity="temperature")

    until(lambda: sum(hour["count"] for hour in hours()) >= 2 * TAGS, 20, "the ledger's hours")
    devices = until(
        lambda: (rows := {row["device"]: row for row in client.items("/v1/devices")})
        and sum(rows[tag.device]["copies"] for tag in tags) == taken and rows, 20, "the copies in slot 0")
    assert [devices[tag.device]["reports"] for tag in tags] == [2] * TAGS
    assert sum(hour["count"] for hour in hours()) == 2 * TAGS
    raised = [event for event in farm.replay() if event["type"] == RAISED]
    assert len(raised) == TAGS, "a copy raised an alarm again"
    farm.audited()
    print(f"{len(events)} events of {len(set(names)) - taken // 2} reports, {taken} of them copies; "
          f"{len(raised)} alarms, hours count {2 * TAGS}")
