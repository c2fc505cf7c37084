"""The check of the kill storm detects errors: lists with one wrong entry, and services whose files were changed between
their death and their next start, so that they forget data.
"""

import copy
import json
import os
import re
import signal
import sqlite3
from contextlib import closing

import pytest
from client import until
from farm import Farm, hand_over, is_alive
from intake import INTAKE, chain, faults, read, taken_in
from trade import NAMED, Trade, fact
from trade import faults as faults_of_trade
from window import Window

MARKET, RECOMMENDER = "catalog-orders/farm-0", "recommender/farm-0"
#: A service's journal before the load.
EARLIER = "earlier.db"


@pytest.fixture(scope="module")
def traded():
    """The acknowledged and the stored facts after some trade without kills."""
    farm = Farm().start()
    try:
        trade = Trade(farm).start()
        until(lambda: {name for name, _ in list(trade.told)} == set(NAMED) or trade.failures, 60, "every fact once")
        trade.stop()
        trade.check()
        taken_in(farm, MARKET)
        trade.tally()
        yield trade.told, farm.replay(), farm.replay(MARKET), read(farm, "hub")
    finally:
        farm.destroy()


def test_a_lost_doubled_or_oversold_fact_is_named(traded):
    told, events, _, _ = traded
    assert faults_of_trade(told, events) == {}
    for name in NAMED:
        place = next(place for place, event in enumerate(events) if fact(event) == name)
        assert faults_of_trade(told, events[:place] + events[place + 1:])["lost"], name
        assert faults_of_trade(told, [*events[:place], events[place], *events[place:]])["doubled"], name
    first = next(place for place, event in enumerate(events) if fact(event) == "order-placed")
    fewer = copy.deepcopy(events)
    fewer[first]["data"]["lines"][0]["boxes"] = 1_000_000
    assert list(faults_of_trade(told, fewer)) == ["oversold"]


def test_an_event_that_is_skipped_or_consumed_twice_is_named(traded):
    _, _, own, lines = traded
    assert faults(MARKET, own, "hub", lines) == []
    places = [place for place, event in enumerate(own) if event["type"] == INTAKE]
    middle = places[len(places) // 2]
    other = json.loads(lines[0]) | {"id": "another"}
    for wrong, feed, said in (
        (own[:middle] + own[middle + 1:], lines, "was taken in after"),
        ([*own[:middle], own[middle], *own[middle:]], lines, "was taken in after"),
        (own[:places[-1]] + own[places[-1] + 1:], lines, "are left"),
        (own, [json.dumps(other).encode(), *lines[1:]], "other events"),
    ):
        assert any(said in found for found in faults(MARKET, wrong, "hub", feed)), said


def keep_journal(folder) -> None:
    """Copies a running service's journal as it is now."""
    with closing(sqlite3.connect(folder / "journal.db")) as journal, closing(sqlite3.connect(folder / EARLIER)) as copy:
        journal.backup(copy)
    hand_over(folder / EARLIER)


def forget_the_end(folder, _) -> None:
    """Returns the journal to what it was before the load, as if nothing since had reached the disk."""
    for name in ("journal.db-wal", "journal.db-shm", "views.db", "views.db-wal", "views.db-shm"):
        (folder / name).unlink(missing_ok=True)
    (folder / EARLIER).replace(folder / "journal.db")


def forget_answers(folder, _) -> None:
    assert change(folder / "journal.db", "DELETE FROM answer") > 20


def pass_over(folder, farm) -> None:
    """Makes the service skip what the hub has received since: at least one product."""
    staff = farm.client()
    staff.make("POST", "/v1/products", {"product": "plums", "farm": "sonnhof", "title": "Plums", "unit": "box"})
    until(lambda: any(b'"plums"' in line for line in read(farm, "hub")), 20, "the hub to have it")
    lines = read(farm, "hub")
    with closing(sqlite3.connect(folder / "views.db")) as database:
        [(epoch,)] = database.execute("SELECT epoch FROM intake WHERE key = 'hub'").fetchall()
    place = "UPDATE intake SET position = ?, hash = ? WHERE key = 'hub'"
    assert change(folder / "views.db", place, len(lines), chain("hub", epoch, lines)[-1].hex()) == 1


def forget_an_order(folder, _) -> None:
    assert change(folder / "views.db", "DELETE FROM purchase") > 20


def change(path, statement: str, *values) -> int:
    with closing(sqlite3.connect(path)) as database, database:
        return database.execute(statement, values).rowcount


@pytest.mark.parametrize(("origin", "work", "forget", "said"), [
    # Acknowledged data is unknown to the next request.
    (MARKET, Trade, forget_the_end, "'lost'|unknown-(pickup|offer)|no stock"),
    # A repeated request is executed again, or rejected as done already.
    (MARKET, Trade, forget_answers, r"'doubled'|under \w+: 201"),
    # If its last checkpoint event was not projected yet, the order that it names is missing.
    (RECOMMENDER, Window, pass_over, "was taken in after|on the shelf"),
    (RECOMMENDER, Window, forget_an_order, "and now at None"),
], ids=["market-forgets-its-end", "market-forgets-answers", "recommender-passes-over", "recommender-forgets-an-order"])
def test_a_service_that_forgets_across_a_kill_is_detected(origin, work, forget, said, own_farm):
    farm = own_farm().start()
    load = work(farm)
    keep_journal(folder_of(farm, origin))
    load.start()
    load.patience = 5
    until(lambda: load.count >= 60 or load.failures, 60, "60 acknowledged")
    load.check()
    # Answers are missed only by a command whose response was on its way when the service was killed.
    for _ in range(10 if forget is forget_answers else 1):
        die(farm, origin, forget)
        before = load.count
        until(lambda: load.count >= before + 60 or load.failures, 60, "60 more, or a failure")
        if load.failures:
            break
    load.stop()
    found = list(load.failures)
    for count in (lambda: taken_in(farm, origin, 5), load.tally):
        try:
            count()
        except AssertionError as error:
            found.append(str(error))
    named = [one for one in found if re.search(said, one)]
    assert named, found
    print(f"{forget.__name__.replace('_', ' ')}: {named[0][:160]}")


def folder_of(farm, origin: str):
    return farm.home / origin.split("/")[0] / "0"


def die(farm, origin: str, meanwhile) -> None:
    """Kills a service, and changes its files before its supervisor can start another process."""
    pid = farm.pid(origin)
    os.kill(farm.process.pid, signal.SIGSTOP)
    try:
        os.kill(pid, signal.SIGKILL)
        until(lambda: not is_alive(pid), 5, f"{origin} to be dead", pause=0.001)
        meanwhile(folder_of(farm, origin), farm)
    finally:
        os.kill(farm.process.pid, signal.SIGCONT)
    until(lambda: farm.pid(origin) != pid and farm.ready(origin), 30, f"{origin} to be ready again")
