"""F13: the machine's clock jumps while a service works. Events stay in order, commands get responses, and delayed work
is done, because waiting uses a clock that does not jump.
"""

import json
import time
from datetime import UTC, datetime

from client import until
from desk import Adverts
from farm import new_home
from load import MEASURED
from old_reports import PRUNED, REPORTS, report
from shim import DAY, ShiftedClock
from table import times
from tags import Tag
from test_seals import is_sealed

#: The offsets of the wall clock in seconds: small steps, months, before 1970, after 2036 and 2038.
JUMPS = [1, -1, 3600, -3600, 30 * DAY, -30 * DAY, -20_000 * DAY, 4_000 * DAY, 5_000 * DAY, 0]


def follows(store, seconds: float) -> bool:
    """Returns whether the service still does what it does about once a second: announce the journal's position."""
    end = time.monotonic() + seconds
    head = len(store.replay())
    while time.monotonic() < end:
        if store.metric("furrow_journal_head") >= head:
            return True
        time.sleep(0.05)
    return False


def jump(store, asker, clock, wall: float, monotonic: float = 0) -> None:
    before = len(asker.acknowledged)
    clock.set(wall, monotonic)
    until(lambda: len(asker.acknowledged) >= before + 40 or asker.refused, 60, f"answers after a jump by {wall} s",
          pause=0.002)


class Steps:
    """The clock jumps that the journal records, read on from the last call."""

    def __init__(self, store):
        self.store, self.read_to, self.seconds = store, 0, []

    def told(self) -> int:
        events = self.store.replay(self.read_to + 1)
        self.read_to += len(events)
        self.seconds += [event["data"]["seconds"] for event in events if event["type"].endswith("clock-stepped.v1")]
        return len(self.seconds)


def test_a_clock_that_jumps_puts_nothing_out_of_order(ingest, ending, table):
    store = ingest()
    clock = ShiftedClock(store.run)
    store.start(clock.environment)
    # The journal records a jump within a second; at full speed, a night would be millions of events.
    asker = ending(store.asker(Adverts(), inflight=8, pause=0.01)).start()
    jumps, steps = JUMPS * (times(10, 200) // len(JUMPS)), Steps(store)
    told, before = 0, 0.0
    for wall in jumps:
        jump(store, asker, clock, wall)
        told += abs(wall - before) > 60
        before = wall
        until(lambda: steps.told() >= told, 60, f"the journal to record the jump to {wall} s", pause=0.2)
    asker.stop()
    assert steps.told() == told >= 8
    assert follows(store, 5), "the service no longer does its work of every second"
    tally, _ = store.tally(asker)
    recorded = [event["recordedtime"] for event in store.replay()]
    backwards = sum(1 for one, next_one in zip(recorded, recorded[1:]) if next_one <= one)
    store.stop()
    store.start()
    table.add("F13", "jumps of the wall clock by 1 s to 55 years, both ways", len(jumps), tally,
              f"{backwards} records out of order; {told} jumps over a minute told in the journal")
    tally.check()
    assert backwards == 0, backwards
    assert tally.acknowledged >= 40 * len(jumps)


def test_a_clock_that_was_corrected_while_the_service_was_down_is_recorded(ingest, ending, table):
    """A farm server is stopped, its clock is corrected by a year, and it is started again."""
    store = ingest()
    clock, steps = ShiftedClock(store.run), Steps(store)
    clock.set(365 * DAY)
    store.start(clock.environment)
    asker = ending(store.asker(Adverts(), inflight=8, pause=0.01)).start()
    until(lambda: len(asker.acknowledged) >= 100, 60, "answers a year ahead")
    asker.stop()
    store.stop()
    clock.set(0)
    store.start(clock.environment)
    assert follows(store, 5), "the service does nothing after its clock was corrected"
    assert steps.told() == 0, "a step was recorded although the clock may still synchronise"
    # Ten minutes pass on both clocks.
    clock.set(601, monotonic=601)
    until(lambda: steps.told() >= 1, 60, "the journal to record that the clock was set back", pause=0.2)
    clock.set(1300, monotonic=1300)
    assert follows(store, 5), "the service does nothing twenty minutes on"
    assert steps.told() == 1, steps.seconds
    store.stop()
    store.start(clock.environment)
    clock.set(2000, monotonic=2000)
    assert follows(store, 5), "the service does nothing after another start"
    assert steps.told() == 1, f"recorded again after another start: {steps.seconds}"
    assert abs(steps.seconds[0] + 365 * DAY) < 1300, steps.seconds
    table.add("F13", "a clock a year ahead, put right while the service was down", 1, None,
              "told once in the journal, ten minutes after the start")


def test_a_service_that_waits_by_the_wall_clock_is_caught(ingest, ending, table):
    """Its commits wait for a deadline, too: after the jump it may respond to nothing at all."""
    store = ingest()
    clock = ShiftedClock(store.run)
    store.start(clock.environment)
    asker = ending(store.asker(Adverts(), inflight=8)).start()
    until(lambda: len(asker.acknowledged) >= 40, 60, "responses before the jump")
    clock.set(-DAY, monotonic=-DAY)
    before = len(asker.acknowledged)
    works = follows(store, 3) and len(asker.acknowledged) >= before + 40
    asker.stop()
    clock.set(0)
    table.add("F13", "the same service, its waiting made to jump, too", 1, None, "caught: it waits for ever")
    assert not works


#: The offset of a whole farm server's clock, and its duration in seconds.
AHEAD = [("while it runs", 1100 * DAY, 10), ("while it runs", 18_262 * DAY, 10), ("before a start", 1100 * DAY, 10)]


def kept(farm) -> int:
    """Returns the number of reports whose bytes the hub still has."""
    return sum(event["type"] == MEASURED for event in farm.replay())


def clock_finding(farm) -> dict:
    found = json.loads(farm.furrow("doctor", "--json", check=False).stdout)
    return next(one for one in found["checks"] if one["check"] == "clock")


def test_a_wrong_clock_prunes_no_report_and_is_accepted_once_it_is_right(own_farm, table):
    """Regression: retention pruned 10,736 of 13,392 acknowledged reports while the clock was 1,100 days ahead for ten
    seconds.
    """
    home = new_home()
    clock = ShiftedClock(home.parent)
    farm = own_farm(environment=clock.environment, home=home).start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    report(client, [Tag(1), Tag(2)], datetime.now(UTC))
    until(lambda: is_sealed(farm), 60, "all complete runs to be sealed")
    until(lambda: kept(farm) == REPORTS, 60, f"{REPORTS} reports in the hub")

    for when, ahead, seconds in AHEAD:
        if when == "before a start":
            farm.stop()
            clock.set(ahead)
            farm.start()
        clock.set(ahead)
        end = time.monotonic() + seconds
        # The clock stays ahead for that time, because no event announces that retention has not pruned.
        until(lambda: time.monotonic() >= end, seconds + 5, "the time for which the clock is ahead", pause=0.5)
        if when == "before a start":
            farm.stop()
        clock.set(0)
        if when == "before a start":
            farm.start()
        assert farm.sign_in().call("GET", "/v1/devices").status == 200
    pruned = [event for event in farm.replay() if event["type"] == PRUNED]
    left = kept(farm)
    table.add("F13", "a whole farm's clock 1,100 days and 50 years ahead for 10 s, also before a start", len(AHEAD), None,
              f"{left} of {REPORTS} reports kept, {len(pruned)} runs pruned")
    assert left == REPORTS and not pruned, (left, pruned[:1])

    # Events get times ahead of the clock until the operator accepts it.
    before = clock_finding(farm)
    assert before["state"] != "ok" and "furrow clock accept" in before["advice"], before
    accepted = json.loads(farm.furrow("clock", "accept", "--json").stdout)
    assert accepted["ok"] and len(accepted["journals"]) == len(farm.services), accepted
    farm.sign_in().make("POST", "/v1/plots", {"farm": "sonnhof", "plot": "p9", "title": "Plot 9"})
    until(lambda: clock_finding(farm)["state"] == "ok", 20, "the doctor to find the clock right")
    events = farm.replay()
    last: dict = {}
    epochs: dict = {}
    for event in events:
        place = event["source"], event["originepoch"]
        assert last.get(place, "") < event["recordedtime"], event
        last[place] = event["recordedtime"]
        epochs.setdefault(event["source"], set()).add(event["originepoch"])
    assert len(epochs) >= 5 and all(len(of) == 2 for of in epochs.values()), epochs
    # A read as of now includes everything until now, even what the wrong clock recorded. An earlier one excludes that.
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    asof = farm.furrow("replay", "--origin", "hub", "--as-of", f"recorded:{now}").stdout.splitlines()
    assert len(asof) >= len(events) and any(event["recordedtime"] > now for event in events)
    assert farm.furrow("audit", "--as-of", f"recorded:{now}", "--json").returncode == 0
    code, found = farm.audit()
    assert code == 0 and found["ok"], found
    print(f"clock: {left} of {REPORTS} reports kept through {len(AHEAD)} jumps; {len(epochs)} journals in a new epoch; "
          f"{len(asof)} events as of now, {sum(event['recordedtime'] > now for event in events)} of them recorded ahead")
