"""Views are rebuilt beside those in use while everything runs: killed and resumed, paused, compared, switched, and
reverted. The journals and the farm's output show that a rebuild has no side effects.
"""

import json
import os
import signal
import sqlite3
import subprocess
import threading
from contextlib import closing

import pytest
from client import Client, until
from farm import PROGRAMS, Farm, demoted
from load import prepare
from market import Crowd, Market
from tags import Tag
from test_seals import is_sealed, segments

SERVICES = ["sensor-ingest", "trace-ledger", "catalog-orders", "recommender", "sync-gateway"]
#: The minimum number of events in the journal that is rebuilt repeatedly.
EVENTS = int(os.environ.get("FURROW_REBUILD_EVENTS", "40000"))
BATCH = 500


def rebuild(farm, *words: str, code: int = 0) -> dict:
    done = farm.furrow("rebuild", *words, "--json", check=False)
    assert done.returncode == code, f"{words}: {done.returncode} {done.stdout.decode()} {done.stderr.decode()}"
    return json.loads(done.stdout)


def heads(farm) -> dict[str, int]:
    """Returns the end of every journal, as an audit reads it."""
    return {journal["origin"]: journal["head"] for journal in farm.audited(300)["journals"]}


def fill(farm, events: int) -> None:
    """Sends many reports, all new, from two gateways at once."""
    def send(number: int) -> None:
        client = farm.client()
        tags = [Tag(number * 1000 + index) for index in range(20)]
        for turn in range(events // 2 // BATCH):
            adverts = [tags[index % 20].advert(temperature=20 + (turn % 40) / 10) for index in range(BATCH)]
            answer = client.settle("POST", "/v1/adverts", {"adverts": adverts, "source": f"gateway/{number}"})
            assert answer.status == 200 and len(answer.json["accepted"]) == BATCH, str(answer)[:300]

    threads = [threading.Thread(target=send, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def everything_is_read(farm) -> bool:
    told = json.loads(farm.furrow("status", "--json", check=False).stdout)
    return all(not service.get("lag") and not service.get("notInHub") for service in told["services"].values())


@pytest.fixture(scope="module")
def busy():
    """A farm with a long journal that stays in use."""
    farm = Farm()
    try:
        farm.start()
        prepare(farm)
        fill(farm, EVENTS)
        until(lambda: everything_is_read(farm), 300, "every service to have read the hub", pause=1)
        # Most of the projected entries are in segments by then.
        until(lambda: is_sealed(farm), 120, "all complete runs to be sealed", pause=1)
        assert len(segments(farm)) >= EVENTS // 4096 - 1
        yield farm
    finally:
        farm.destroy()


def begun(farm, service: str, *, is_ended: bool = False) -> int:
    """Returns the position of an unfinished rebuild, from its file or schema; its file may be incomplete while it runs.
    """
    if service == "trace-ledger":
        if farm.psql("SELECT to_regclass('views_next.view_position') IS NOT NULL") != "t":
            return 0
        return int(farm.psql("SELECT position FROM views_next.view_position") or 0)
    path = farm.home / service / "0" / "views.next.db"
    # A reader that runs as root would create the WAL index as root's, and the rebuild could not open it.
    if not path.exists() or not is_ended and not path.with_name(f"{path.name}-shm").exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return database.execute("SELECT position FROM view_position").fetchone()[0]
    except sqlite3.OperationalError:
        if is_ended:
            raise
        return 0


@pytest.mark.parametrize("service", ["sensor-ingest", "trace-ledger", "sync-gateway"])
def test_a_rebuild_that_is_killed_resumes_where_it_was(busy, service):
    before = heads(busy)
    kills, reached, said = 0, [0], []
    while kills < 3:
        with subprocess.Popen(
                [*demoted(), PROGRAMS / "furrow", "rebuild", service, "--home", busy.home], cwd="/",
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
            until(lambda: begun(busy, service) > reached[-1] or process.poll() is not None, 60, "progress",
                  pause=0.001)
            process.send_signal(signal.SIGKILL if kills else signal.SIGINT)
            said.append((process.communicate(timeout=30)[0][-300:], process.returncode))
        kills += 1
        try:
            reached.append(begun(busy, service, is_ended=True))
        except sqlite3.OperationalError as error:
            raise AssertionError(f"{error}: {reached}, {said}") from error
    found = rebuild(busy, service)
    assert found["state"] == "compared" and found["tables"]
    assert all(table["verdict"] == "equal" for table in found["tables"]), found
    # No event was projected twice, and the journals are unchanged.
    assert found["events"] <= found["position"] - reached[-1]
    assert reached == sorted(reached) and 0 < reached[1] < found["position"], (reached, said)
    after = heads(busy)
    assert after == before
    print(f"{service}: paused and killed at {reached[1:]} of {found['position']}, "
          f"{len(found['tables'])} tables equal, 0 entries more in {len(after)} journals")
    rebuild(busy, service, "--drop")


def test_every_service_is_rebuilt_equal_and_switched_while_people_work(busy):
    grower = busy.client()
    told = {}
    for service in SERVICES:
        told[service] = rebuild(busy, service, "--switch")
        assert told[service]["state"] == "ready", told[service]
        grower.make("POST", "/v1/plots/p1/activities", {"kind": "weeding", "happened": "2026-01-02T03:04:05Z"})
    assert places(busy) == {service: {"ready"} for service in SERVICES}
    assert "wait for its next start" in busy.furrow("doctor", check=False).stdout.decode()
    for service in SERVICES:
        busy.kill(f"{service}/farm-0")
        assert switches(busy, service) == 1, log_of(busy, service)[-2000:]
    assert places(busy) == {service: {"previous"} for service in SERVICES}
    until(lambda: everything_is_read(busy), 60, "every service to have read the hub", pause=0.2)
    found = busy.audited(300)
    for service, one in told.items():
        count = one["events"] + one["foreign"]
        print(f"{service}: {count} events projected, {one['foreign']} of them of others, in {one['seconds']:.1f} s, "
              f"{count / max(one['seconds'], 0.001):.0f}/s, at most {one['peakRSSBytes'] >> 20} MiB")
    print(f"switched: {len(SERVICES)} services, {len(found['views'])} tables equal afterwards")
    assert sum(len(one["tables"]) for one in told.values()) == len(found["views"]) >= 36


def test_a_switch_is_reverted_at_the_next_start_or_undone_before_it(busy):
    for service in ("sync-gateway", "trace-ledger"):
        rebuild(busy, service, "--switch")
        assert "Nothing is switched" in rebuild(busy, service, "--back")["said"]
        rebuild(busy, service, "--drop")
        rebuild(busy, service, "--switch")
        earlier = switches(busy, service)
        busy.kill(f"{service}/farm-0")
        assert switches(busy, service) == earlier + 1 and places(busy)[service] == {"previous"}
        assert "goes back" in rebuild(busy, service, "--back")["said"]
        busy.kill(f"{service}/farm-0")
        assert switches(busy, service) == earlier + 2
        rebuild(busy, service, "--drop")
        assert service not in places(busy)
        assert busy.furrow("rebuild", service, "--back", check=False).returncode == 1
    busy.audited(300)


def test_manually_changed_views_are_reported_and_only_replaced_on_request(busy):
    path = busy.home / "sensor-ingest" / "0" / "views.db"
    with closing(sqlite3.connect(path, timeout=20)) as database, database:
        assert database.execute("DELETE FROM device WHERE key = (SELECT max(key) FROM device)").rowcount == 1
    for words in ((), ("--switch",)):
        found = rebuild(busy, "sensor-ingest", *words, code=1)
        assert [table["table"] for table in found["tables"] if table["verdict"] != "equal"] == ["device"], found
        assert "ready" not in places(busy)["sensor-ingest"]
    assert rebuild(busy, "sensor-ingest", "--switch", "--anyway")["state"] == "ready"
    busy.kill("sensor-ingest/farm-0")
    busy.audited(300)
    rebuild(busy, "sensor-ingest", "--drop")


def test_messages_to_a_provider_are_not_sent_again(own_farm):
    market = Market(own_farm("--sandbox-pay").start(), 6, 2)
    farm = market.farm
    buyers = [Client(farm.port, session) for session in market.buyers]
    orders = [buyers[number % 2].make("POST", "/v1/orders", Crowd.wish() | {"payment": "sandbox"})["order"]
              for number in range(6)]

    def said() -> list[str]:
        return [event["data"]["message"] for event in farm.replay("sync-gateway/farm-0")
                if event["type"] == "farm.furrow.sync.message-sent.v1"]

    until(lambda: len(said()) == len(orders), 30, "every payment to be requested")
    before = sorted(said())
    for service in ("catalog-orders", "sync-gateway"):
        rebuild(farm, service, "--switch")
        farm.kill(f"{service}/farm-0")
        assert switches(farm, service) == 1
    farm.audited()
    assert sorted(said()) == before and len(set(before)) == len(orders)
    print(f"{len(before)} messages sent before, 0 more after two rebuilds, switches and starts")


def test_views_of_a_stopped_farm_server_are_rebuilt(own_farm):
    farm = own_farm().start()
    farm.claim()
    farm.stop()
    for service in ("trace-ledger", "sync-gateway"):
        assert rebuild(farm, service, "--switch")["state"] == "ready"
    farm.start()
    assert all(switches(farm, service) == 1 for service in ("trace-ledger", "sync-gateway"))
    farm.audited()


def test_in_a_compose_stack_a_rebuild_is_rejected_with_a_reason():
    done = subprocess.run(
        [PROGRAMS / "furrow", "rebuild", "sync-gateway"], env=os.environ | {"FURROW_BUS_PORT": "7100"}, cwd="/",
        capture_output=True, timeout=20)
    assert done.returncode == 3 and "when it starts" in done.stderr.decode(), done


def places(farm) -> dict[str, set[str]]:
    """Returns the views beside those in use."""
    found: dict[str, set[str]] = {}
    for one in json.loads(farm.furrow("rebuild", "--json").stdout)["beside"]:
        found.setdefault(one["service"], set()).add(one["place"])
    return found


def switches(farm, service: str) -> int:
    return log_of(farm, service).count("views switched")


def log_of(farm, service: str) -> str:
    return "".join(path.read_text(errors="replace") for path in sorted((farm.home / "logs").glob(f"{service}*.log")))
