"""A journal that was restored from an older copy: the ledger stops, reports why, and continues once that is accepted.
"""

import json
import shutil
from pathlib import Path

from client import Client, until
from farm import Farm
from load import MEASURED, prepare
from tags import Tag

ORIGIN = "sensor-ingest/farm-0"
ACCEPTED = "farm.furrow.journal.follow-accepted.v1"


def journal(farm: Farm) -> list[Path]:
    folder = farm.home / "sensor-ingest" / "0"
    return [folder / name for name in ("journal.db", "journal.db-wal", "journal.db-shm")]


def send(farm: Farm, tag: Tag, count: int, temperature: float) -> None:
    for turn in range(count):
        farm.client().make("POST", "/v1/adverts", {"adverts": [tag.advert(temperature=temperature + turn / 10)]})


def reports(farm: Farm) -> list[int]:
    return [event["data"]["counter"] for event in farm.replay() if event["type"] == MEASURED]


def check(farm: Farm) -> dict:
    """Returns the feed's check of the ledger's /readyz."""
    port = int(farm.services["trace-ledger/farm-0"]["ops"].rsplit(":", 1)[1])
    return Client(port).call("GET", "/readyz", timeout=5).json["checks"].get(
        f"feed:{ORIGIN}", {"status": "not met yet"})


def test_a_restored_journal_is_followed_again_once_the_operator_accepts_it(own_farm):
    farm = own_farm().start()
    prepare(farm)
    client = farm.client()
    client.make("POST", "/v1/stores", {"farm": "sonnhof", "store": "s1", "title": "Store"})
    tag = Tag(9, family=0xE2)
    client.make("PUT", "/v1/points/door", {"title": "Door", "place": "store/s1", "device": tag.device})
    send(farm, tag, 20, 10)
    until(lambda: len(reports(farm)) == 20, 20, "the hub has 20 reports")
    farm.stop()
    copies = [(path, path.with_suffix(path.suffix + ".copy")) for path in journal(farm) if path.exists()]
    for path, copy in copies:
        shutil.copy2(path, copy)

    farm.start()
    send(farm, tag, 15, 20)
    until(lambda: len(reports(farm)) == 35, 20, "the hub has 35 reports")
    assert farm.furrow("follow", "accept", ORIGIN, check=False).returncode == 1, "there was nothing to accept"
    farm.stop()
    for path in journal(farm):
        path.unlink(missing_ok=True)
    for path, copy in copies:
        shutil.copy2(copy, path)
        shutil.chown(path, farm.home.owner(), farm.home.group())

    farm.start()
    send(farm, tag, 5, 30)
    degraded = until(lambda: (found := check(farm))["status"] == "degraded" and found, 20, "the reason of the stop")
    assert len(reports(farm)) == 35, "it continued by itself"
    code, found = farm.audit()
    assert code == 1 and not found["ok"]

    accepted = json.loads(farm.furrow("follow", "accept", ORIGIN, "--json").stdout)
    assert accepted["ok"] and accepted["left"] >= 15 and accepted["fresh"] >= 5
    until(lambda: len(reports(farm)) == 40, 20, "the journal to be consumed again")
    assert check(farm)["status"] == "ok"
    assert reports(farm) == list(range(1, 41))
    assert farm.furrow("follow", "accept", ORIGIN, check=False).returncode == 1
    send(farm, tag, 3, 12)
    until(lambda: len(reports(farm)) == 43, 20, "further reports")

    def lives() -> int:
        found = farm.audited()
        return next(journal for journal in found["journals"] if journal["origin"] == ORIGIN)["left"]

    assert lives() == accepted["left"]
    facts = [event for event in farm.replay("trace-ledger/farm-0") if event["type"] == ACCEPTED]
    assert [fact["data"]["left"] for fact in facts] == [accepted["left"]]
    # Rebuilt views contain both histories as they were consumed.
    farm.stop()
    assert farm.wipe_views() >= 3
    farm.start()
    assert lives() == accepted["left"]
    print(f"stopped: {degraded}; accepted from {accepted['keptTo']}, {accepted['left']} events in the hub only, "
          f"{len(reports(farm))} reports in the hub")


def test_nothing_is_parked_on_a_healthy_farm(shared):
    found = json.loads(shared.farm.furrow("parked", "list", "--json").stdout)
    assert found == {"items": [], "missing": []}
    done = shared.farm.furrow("parked", "show", "sync-gateway/farm-0", "hub", "1", check=False)
    assert done.returncode == 1 and b"waits here" in done.stderr
    assert shared.farm.furrow("parked", "skip", "sync-gateway/farm-0", "hub", "1", check=False).returncode == 2
