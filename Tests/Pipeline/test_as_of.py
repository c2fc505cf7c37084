"""Time travel: a log and its views as of a position, a recorded time, or a time of the events."""

import json
import os
import random
from datetime import UTC, datetime, timedelta

from client import until
from farm import Farm
from tags import Tag


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def of(found: dict, service: str, view: str) -> dict:
    return next(one for one in found["views"] if one["service"].startswith(service) and one["view"] == view)


def test_views_are_rebuilt_as_they_were(own_farm):
    farm: Farm = own_farm().start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    client.make("POST", "/v1/plots", {"farm": "sonnhof", "plot": "p1", "title": "Plot 1"})
    yesterday = (datetime.now(UTC) - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    for number in range(3):
        client.make("POST", "/v1/plots/p1/activities", {"kind": "irrigating", "amount": number, "unit": "l"})
    # Recorded today, dated yesterday.
    client.make("POST", "/v1/plots/p1/activities", {"kind": "irrigating", "happened": yesterday})
    everything = farm.replay()
    activities = [place for place, event in enumerate(everything, 1) if event["type"].endswith("activity-recorded.v1")]
    second = everything[activities[1] - 1]

    def audit(*words: str) -> dict:
        return json.loads(farm.furrow("audit", "--json", *words).stdout)

    now = farm.audited()
    live = {(one["service"], one["view"]): one["rebuilt"] for one in now["views"]}
    assert of(now, "trace-ledger", "activity")["rows"] == 4
    rows = {
        "pos": of(audit("--as-of", f"pos:{activities[1]}"), "trace-ledger", "activity")["rows"],
        "recorded": of(audit("--as-of", f"recorded:{second['recordedtime']}"), "trace-ledger", "activity")["rows"],
        "happened": of(audit("--as-of", f"happened:{yesterday}"), "trace-ledger", "activity")["rows"],
    }
    assert rows == {"pos": 2, "recorded": 2, "happened": 1}, rows
    # As of the end everything is equal; as of the beginning every table is empty.
    later = audit("--as-of", f"pos:{len(everything) + 1000}")
    same = [one for one in later["views"] if live[(one["service"], one["view"])] == one["rebuilt"]]
    assert len(same) == len(later["views"]) >= 15 and not any("equal" in one for one in later["views"])
    assert all(one["rows"] == 0 for one in audit("--as-of", "pos:0")["views"])

    def replay(as_of: str, origin: str = "hub") -> list[dict]:
        lines = farm.furrow("replay", "--origin", origin, "--as-of", as_of).stdout.splitlines()
        return [json.loads(line) for line in lines]

    assert replay(f"pos:{activities[1]}") == everything[:activities[1]]
    # Events that others had recorded by then may reach the hub later.
    until(lambda: replay(f"recorded:{second['recordedtime']}") == [
        event for event in farm.replay() if moment(event["recordedtime"]) <= moment(second["recordedtime"])], 20,
        "the same as of a moment")
    happened = replay(f"happened:{yesterday}")
    assert [event["data"].get("kind") for event in happened] == ["irrigating"], happened
    wrong = farm.furrow("replay", "--origin", "hub", "--as-of", "noon", check=False)
    assert wrong.returncode == 2 and b"--as-of needs" in wrong.stderr
    print(f"as of: {rows} of 4 activities; {len(same)} tables as of the end equal the live ones")


def test_any_moment_of_a_farm_with_sensors_can_be_audited_while_it_measures(own_farm):
    # given a farm whose sensors send more than a page between two entries of the ledger
    farm: Farm = own_farm().start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    client.make("POST", "/v1/plots", {"farm": "sonnhof", "plot": "p1", "title": "Plot 1"})
    tags = [Tag(number) for number in range(100)]

    def measure(rounds: int) -> None:
        for _ in range(rounds):
            client.make("POST", "/v1/adverts", {"adverts": [tag.advert() for tag in tags]})

    for _ in range(4):
        measure(10)
        client.make("POST", "/v1/plots/p1/activities", {"kind": "irrigating", "amount": 1, "unit": "l"})
    log = until(lambda: len(found := farm.replay()) > 4_000 and found, 20, "all reports in the hub")
    # when random positions and times are audited, and more reports come
    seed = int(os.environ.get("FURROW_SEED", random.randrange(10**6)))
    chance, audits = random.Random(seed), int(os.environ.get("FURROW_AS_OF", "9"))
    failed = []
    for number in range(audits):
        event = chance.choice(log)
        moment = [f"pos:{chance.randrange(len(log))}", f"recorded:{event['recordedtime']}", f"happened:{event['time']}"]
        measure(1)
        done = farm.furrow("audit", "--as-of", moment[number % 3], check=False)
        if done.returncode != 0:
            failed.append(f"{moment[number % 3]}: {done.returncode} {done.stdout[-300:]} {done.stderr[-300:]}")
    # then each audit folds every table
    print(f"as of: {audits} moments of {len(log)} events, {len(failed)} failed, seed {seed}")
    assert not failed and audits >= 9, "\n".join(failed)
