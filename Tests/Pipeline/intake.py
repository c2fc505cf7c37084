"""Checks what a service has consumed of its feeds: each event once, in order, none skipped."""

import hashlib
import json

from client import until
from farm import Farm

INTAKE = "farm.furrow.journal.intake-taken.v1"


def taken_in(farm: Farm, origin: str, seconds: float = 60) -> tuple[int, int]:
    """Waits until everything relevant is consumed; returns the number of consumed events and of checkpoint events."""
    found: dict[str, list[str]] = {}

    def is_whole() -> bool:
        nonlocal found
        own = farm.replay(origin)
        feeds = {event["data"]["feed"] for event in own if event["type"] == INTAKE}
        found = {feed: faults(origin, own, feed, read(farm, feed)) for feed in feeds}
        return found != {} and not any(found.values())

    try:
        until(is_whole, seconds, "everything to be consumed", pause=0.2)
    except AssertionError as error:
        raise AssertionError(f"{origin} has not consumed everything once and in order: {found}") from error
    intakes = [event["data"] for event in farm.replay(origin) if event["type"] == INTAKE]
    return sum(one["last"] - one["first"] + 1 for one in intakes), len(intakes)


def read(farm: Farm, feed: str) -> list[bytes]:
    return farm.furrow("replay", "--origin", feed).stdout.splitlines()


def faults(origin: str, own: list[dict], feed: str, lines: list[bytes]) -> list[str]:
    """Returns the errors in how the events of a feed (its bytes, from the first on) were consumed."""
    intakes = [event["data"] for event in own if event["type"] == INTAKE and event["data"]["feed"] == feed]
    hashes = chain(feed, intakes[0]["epoch"], lines) if intakes else []
    wrong, reached = [], 0
    for one in intakes:
        if one["first"] != reached + 1:
            wrong.append(f"{one['first']} to {one['last']} was taken in after {reached}")
        reached = one["last"]
        if reached >= len(hashes) or one["hash"] != hashes[reached].hex():
            wrong.append(f"other events than those of {feed} were taken in up to {reached}")
        wrong += [f"{parked['position']} is parked: {parked['reason']}" for parked in one.get("parked", [])]
    left = [place for place, line in enumerate(lines, 1) if place > reached and is_news(origin, json.loads(line))]
    return wrong + ([f"{len(left)} events of {feed} from {left[0]} on are left"] if left else [])


def chain(feed: str, epoch: str, lines: list[bytes]) -> list[bytes]:
    """Returns the chain's hashes: before the first event, and at each."""
    hashes = [hashlib.sha256(feed.encode() + epoch.encode()).digest()]
    for line in lines:
        hashes.append(hashlib.sha256(hashes[-1] + line).digest())
    return hashes


def is_news(origin: str, event: dict) -> bool:
    """Returns whether an event is consumed: a service skips journal events and its own."""
    return event["source"] != f"/{origin}" and ".journal." not in event["type"]
