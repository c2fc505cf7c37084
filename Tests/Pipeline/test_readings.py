"""The history of a measuring point: the same buckets as pages of JSON and as one streamed CSV file."""

import csv
import io
import statistics
import time
from datetime import UTC, datetime, timedelta

from client import Client, until
from tags import Tag

HOURS = 99


def reported(client: Client, tags: list[Tag], start: datetime) -> None:
    """Sends one report of each tag every ten minutes."""
    for hour in range(HOURS):
        adverts = []
        for minute in range(0, 60, 10):
            at = (start + timedelta(hours=hour, minutes=minute)).isoformat().replace("+00:00", "Z")
            adverts += [tag.advert(temperature=hour % 20 + number) | {"at": at} for number, tag in enumerate(tags)]
        assert client.make("POST", "/v1/adverts", {"adverts": adverts})["measurements"] == len(adverts)


def test_a_csv_file_has_every_bucket_of_all_pages(own_farm):
    client = own_farm().start().claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    client.make("POST", "/v1/stores", {"farm": "sonnhof", "store": "s1", "title": "Store", "cold": True})
    tags = [Tag(number, family=0xE7) for number in range(16)]
    for number, tag in enumerate(tags):
        client.make("PUT", f"/v1/points/p{number}", {"title": f"P{number}", "place": "store/s1", "device": tag.device})
    client.make("PUT", "/v1/rules/warm", {"place": "store/s1", "quantity": "temperature", "above": 18})
    start = (datetime.now(UTC) - timedelta(hours=HOURS)).replace(minute=0, second=0, microsecond=0)
    reported(client, tags, start)
    since = start.isoformat().replace("+00:00", "Z")

    def read(**query) -> list[dict]:
        return client.items("/v1/readings", quantity="temperature", **{"from": since} | query)

    until(lambda: sum(row["n"] for row in read(point="p0", resolution="1d")) == HOURS * 6, 60, "all reports")
    hours = read(point="p0", resolution="1h")
    assert [row["mean"] for row in hours if row["n"]] == [hour % 20 for hour in range(HOURS)]
    # 19 °C is 1 °C above the limit for each of four hours.
    for resolution in ("1m", "1h", "1d"):
        beyond = sum(row["unitHoursAbove"] for row in read(point="p0", resolution=resolution))
        assert abs(beyond - 4) < 0.01, (resolution, beyond)

    minutes = [row for row in read(place="store/s1", resolution="1m") if row["n"]]
    file = client.call("GET", "/v1/readings", headers={"Accept": "text/csv"}, query={
        "place": "store/s1", "quantity": "temperature", "resolution": "1m", "from": since})
    assert file.status == 200 and file.headers["content-type"].startswith("text/csv")
    assert "content-length" not in file.headers, "the file is streamed"
    rows = [row for row in csv.DictReader(io.StringIO(file.body.decode())) if row["n"] != "0"]
    assert [row["at (UTC)"] for row in rows] == [row["at"] for row in minutes]
    assert [float(row["temperature max (Cel)"]) for row in rows] == [row["max"] for row in minutes]

    took = []
    for _ in range(20):
        began = time.perf_counter()
        client.get("/v1/readings", place="store/s1", quantity="temperature", resolution="1d", **{"from": since})
        took.append((time.perf_counter() - began) * 1000)
    print(f"16 points, {HOURS * 16} hours of samples in one page: p50 {statistics.median(took):.1f} ms")
