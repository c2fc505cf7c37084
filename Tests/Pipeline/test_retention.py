"""Reports of years ago leave a journal and the hub; what is in a lot's story stays, and everything still checks."""

from datetime import datetime, timedelta

from client import until
from farm import Farm
from load import MEASURED
from old_reports import ORIGIN, REPORTS, clock, long_ago, pruned, report, text, years_later
from tags import Tag
from test_backup import backed_up, restored
from test_seals import is_sealed, segments
from verify import verify_passport

#: How long before its harvest the lot was sown.
SEASON = timedelta(hours=3)


def test_old_reports_are_pruned_except_for_those_in_a_story(own_farm):
    then = long_ago()
    farm = own_farm(*clock(then)).start()
    grow(farm, then)
    until(lambda: is_sealed(farm), 60, "everything sealed that is complete")
    until(lambda: measured(farm, then) == REPORTS / 2, 60, "all reports of the plot in the ledger")
    before = farm.replay()
    story = told(farm)
    assert story["readings"], story
    whole = segments(farm)[0].stat().st_size
    bodies = mirrored(farm)

    years_later(farm)
    event = pruned(farm)[0]["data"]
    after = farm.replay()
    left = {one["id"]: one for one in after}
    gone = [one for one in before if one["id"] not in left]
    assert all(left[one["id"]] == one for one in before if one["id"] in left)
    # The tag of the plot without a lot has lost all that is in the run; the other one what lies an hour and more
    # before its sowing.
    ours, other = Tag(1).device, Tag(2).device
    run = [one for one in before if one["source"] == f"/{ORIGIN}" and int(one["originpos"]) <= 4096]
    sown = (then - SEASON).replace(minute=0, second=0) - timedelta(hours=1)
    expected = {one["id"] for one in run if one["type"] == MEASURED and (
        one["data"]["device"] == other or datetime.fromisoformat(one["time"]) < sown)}
    assert {one["id"] for one in gone} == expected and len(expected) > 1000, (len(gone), len(expected))
    kept = [one for one in run if one["type"] == MEASURED and one["id"] in left]
    assert kept and {one["data"]["device"] for one in kept} == {ours}, len(kept)

    # The story is what it was, and whoever reads everything finds it in order.
    assert told(farm) == story
    journals = {one["origin"]: one for one in farm.audited()["journals"]}
    assert journals[ORIGIN]["letGo"] == len(gone) and journals[ORIGIN]["seals"] == 1, journals
    now = segments(farm)[0].stat().st_size
    lighter = bodies - mirrored(farm)
    assert now < whole and lighter > 0
    farm.stop()
    farm.start()
    assert farm.audited()["ok"] and len(pruned(farm)) == 1
    # So is what is made of a backup of it.
    made = backed_up(farm)
    other_farm = own_farm()
    other_farm.prepare()
    done = restored(made["set"], other_farm.home)
    assert done.returncode == 0, done.stderr
    other_farm.start()
    assert other_farm.audited()["ok"]
    print(f"{len(gone)} of {len(run)} events of a run let go, {len(kept)} reports kept; "
          f"an event of its segment has {whole / len(run):.0f} bytes and then {now / len(run):.0f}, one let go is "
          f"{lighter / len(gone):.0f} bytes lighter in the hub; {event['first']}–{event['last']}")


def grow(farm: Farm, then: datetime) -> None:
    """Two plots with a tag each; one is sown and harvested, all in the hours before."""
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    for number in (1, 2):
        client.make("POST", "/v1/plots", {"farm": "sonnhof", "plot": f"p{number}", "title": f"Plot {number}"})
        client.make("PUT", f"/v1/points/point-{number}", {
            "title": f"Point {number}", "place": f"plot/p{number}", "device": Tag(number).device})
    client.make("POST", "/v1/plots/p1/activities", {"kind": "sowing", "happened": text(then - SEASON)})
    report(client, [Tag(1), Tag(2)], then)
    client.make("POST", "/v1/lots", {"lot": "TOM-1", "product": "Tomatoes", "plot": "p1", "grams": 1000})
    client.make("POST", "/v1/lots/TOM-1/packings", {"boxes": 1, "gramsEach": 1000})
    client.make("POST", "/v1/lots/TOM-1/labels", {})


def measured(farm: Farm, then: datetime) -> int:
    """Returns how many temperatures the ledger has of the plot with the lot, of the day before that time."""
    answer = farm.client().get(
        "/v1/readings", quantity="temperature", point="point-1", **{"from": text(then - timedelta(days=1))})
    return sum(hour["count"] for hour in answer["items"])


def told(farm: Farm) -> dict:
    """The lot's passport, verified."""
    client = farm.client()
    event, _ = verify_passport(client.get("/v1/lots/TOM-1/passport"), client.get("/ledger/keys"))
    return event["data"]["passport"]


def mirrored(farm: Farm) -> int:
    """Bytes of all bodies that the hub holds of the slot's run."""
    return int(farm.psql(
        "SELECT sum(octet_length(bytes)) FROM hub.entry JOIN hub.feed USING (origin) "
        f"WHERE name = '{ORIGIN}' AND entry.pos <= 4096"))
