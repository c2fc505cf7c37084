"""More and fewer ingest processes while reports arrive."""

from client import until
from load import MEASURED, Load, check_hub, prepare
from tags import Tag

RAISED = "farm.furrow.sensors.alarm-raised.v1"


def slots(farm) -> list[str]:
    return sorted(name for name in farm.services if name.startswith("sensor-ingest/"))


def grown(load: Load, by: int = 200) -> None:
    before = load.count
    until(lambda: load.count >= before + by or load.failures, 90, f"{by} acknowledged")
    load.check()


def test_one_to_four_to_one_ingest_processes_lose_nothing_and_raise_one_alarm(own_farm):
    farm = own_farm().start()
    prepare(farm)
    client = farm.client()
    client.make("POST", "/v1/stores", {"farm": "sonnhof", "store": "s1", "title": "Store", "cold": True})
    tag = Tag(7, family=0xE0)
    client.make("PUT", "/v1/points/door", {"title": "Door", "place": "store/s1", "device": tag.device})
    client.make("PUT", "/v1/rules/warm", {"place": "store/s1", "quantity": "temperature", "above": 12})
    client.make("POST", "/v1/adverts", {"adverts": [tag.advert(temperature=8)]})

    load = Load(farm, gateways=3, growers=0, adverts=16, takes_over=True).start()
    grown(load)
    farm.furrow("scale", "--ingest", "4")
    until(lambda: len(slots(farm)) == 4 and all(map(farm.ready, slots(farm))), 20, "four slots ready")
    grown(load)
    # Warm from now on: each report is over the limit, whichever process records it.
    for turn in range(12):
        client.make("POST", "/v1/adverts", {"adverts": [tag.advert(temperature=15 + turn / 10)]})
        if turn == 4:
            recovered = farm.kill("sensor-ingest/farm-0")
        grown(load, 30)
    farm.furrow("scale", "--ingest", "1")
    until(lambda: slots(farm) == ["sensor-ingest/farm-0"], 40, "one slot left")
    grown(load)
    for turn in range(3):
        client.make("POST", "/v1/adverts", {"adverts": [tag.advert(temperature=15 + turn / 10)]})
    acknowledged = load.stop()
    load.check()

    counts = check_hub(farm, acknowledged)
    events = farm.replay()
    origins = {event["source"] for event in events if event["type"] == MEASURED}
    raised = [event for event in events if event["type"] == RAISED]
    share = {origin: sum(1 for e in events if e["type"] == MEASURED and e["source"] == origin) for origin in origins}
    print(f"{counts['reports']} reports once in the hub, by {share}; {len(raised)} alarm; "
          f"slot 0 ready again after {recovered * 1000:.0f} ms")
    assert len(raised) == 1 and raised[0]["source"] == "/sensor-ingest/farm-0"
    folders = sorted(path.name for path in (farm.home / "sensor-ingest").iterdir() if path.is_dir())
    assert len(origins) >= 3 and folders == ["0", "1", "2", "3"]
    assert recovered <= 2
    farm.audited()
