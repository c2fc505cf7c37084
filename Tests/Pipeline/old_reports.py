"""A farm of two and a half years ago, and the same farm today."""

from datetime import UTC, datetime, timedelta

from client import Client, until
from farm import Farm
from tags import Tag
from test_seals import is_sealed

ORIGIN = "sensor-ingest/farm-0"
PRUNED = "farm.furrow.journal.pruned.v1"
#: One complete run, and entries that stay in the journal's file.
REPORTS = 4096 + 1024 + 400
#: The interval between two reports of one tag; earlier ones may count as repeats.
STEP = timedelta(seconds=12)


def long_ago() -> datetime:
    return datetime.now(UTC).replace(microsecond=0) - timedelta(days=900)


def clock(then: datetime) -> list[str]:
    """Returns the options with which a farm's clock begins at that time."""
    return ["--clock", f"{text(then)}*1"]


def report(client: Client, tags: list[Tag], then: datetime) -> None:
    """Sends more reports than a run, in turns, the last of them just before that time."""
    turns = REPORTS // len(tags)
    begin = then - STEP * turns
    adverts = [tag.advert(temperature=15 + turn % 50 / 10) | {"at": text(begin + STEP * turn)}
               for turn in range(turns) for tag in tags]
    accepted = [client.make("POST", "/v1/adverts", {"adverts": adverts[first:first + 1000]})["accepted"]
                for first in range(0, len(adverts), 1000)]
    assert sum(map(len, accepted)) == REPORTS


def years_later(farm: Farm) -> None:
    """Restarts the farm with the machine's own clock, and waits until it has pruned old reports."""
    until(lambda: is_sealed(farm), 60, "all complete runs to be sealed")
    farm.stop()
    at = farm.words.index("--clock")
    del farm.words[at:at + 2]
    farm.start()
    until(lambda: pruned(farm), 120, "old reports to be pruned")


def that_let_go(own_farm) -> Farm:
    """Returns a farm with a run of old reports that it has pruned."""
    then = long_ago()
    farm = own_farm(*clock(then)).start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    client.make("POST", "/v1/plots", {"farm": "sonnhof", "plot": "p1", "title": "Plot"})
    client.make("PUT", "/v1/points/point-1", {"title": "Point", "place": "plot/p1", "device": Tag(1).device})
    report(client, [Tag(1)], then)
    years_later(farm)
    return farm


def pruned(farm: Farm) -> list[dict]:
    """Returns the prune events in the hub."""
    return [event for event in farm.replay() if event["type"] == PRUNED]


def text(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")
