"""The results of a run: the seconds of its steps and tests, and the tests that passed only when repeated."""

import heapq
import json
import re
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

from tools import BUILD

#: Tests of the last run that failed and passed when repeated, one a line.
FLAKY = BUILD / "flaky"
#: Events that a check found lost, doubled or skipped; `Tests/Pipeline/unforgiven.py` writes them.
UNFORGIVEN = BUILD / "unforgiven"
SLOWEST = 10


class CheckFailed(Exception):
    """A step failed; the message is empty if the output above has the reason."""


class Outcome:
    """Collects the results of the steps of one run."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.took: list[tuple[str, float]] = []
        self.tests: dict[str, float] = {}
        self.flaky: list[str] = []

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def add_flaky(self, names: list[str]) -> None:
        """Records tests that passed only when repeated, on the disk at once: a later step may end the run."""
        self.flaky += names
        with open(FLAKY, "a") as file:
            file.writelines(f"{name}\n" for name in names)

    def unforgiven(self) -> list[str]:
        """Returns lost, doubled and skipped events: a repetition excuses a timeout, but never these."""
        return UNFORGIVEN.read_text().splitlines() if UNFORGIVEN.exists() else []

    def summary(self) -> Iterator[str]:
        yield "\nSeconds of each step:"
        yield from (f"{seconds:>8.1f}  {name}" for name, seconds in self.took)
        if self.tests:
            yield f"\nThe {SLOWEST} slowest tests, in seconds:"
            slowest = sorted(self.tests.items(), key=lambda test: -test[1])[:SLOWEST]
            yield from (f"{seconds:>8.1f}  {name}" for name, seconds in slowest)
        if self.flaky:
            yield "\nPassed only when repeated:"
            yield from (f"FLAKY {name}" for name in self.flaky)


def read_events(stream: Path, at_a_time: int) -> tuple[dict[str, float], set[str]]:
    """Reads the event stream of `swift test`: the approximate seconds of each test, and the tests that failed.

    The stream reports the start of a test long before it runs. As `at_a_time` tests run in the reported order, each
    one is timed from the moment when a place became free.
    """
    started: dict[str, float] = {}
    ended: dict[str, float] = {}
    failed: set[str] = set()
    for line in stream.read_text().splitlines() if stream.exists() else []:
        event = json.loads(line)["payload"]
        name = short(event.get("testID") or "")
        if "/" not in name:
            continue  # a suite, or the run
        if event["kind"] == "testStarted":
            started[name] = event["instant"]["absolute"]
        elif event["kind"] == "testEnded":
            ended[name] = event["instant"]["absolute"]
        elif event["kind"] == "issueRecorded" and not event["issue"]["isKnown"]:
            failed.add(name)
    free = [0.0] * at_a_time
    seconds: dict[str, float] = {}
    for name in (name for name in started if name in ended):
        place = heapq.heappop(free)
        seconds[name] = max(0, ended[name] - max(place, started[name]))
        heapq.heappush(free, max(place, ended[name]))
    return seconds, failed


def short(test: str) -> str:
    """Returns a test's name without its place in the file: `Module.Suite/function()`."""
    return re.sub(r"/[^/]+\.swift:\d+:\d+$", "", test)


def read_report(report: Path) -> tuple[dict[str, float], set[str]]:
    """Reads a JUnit report of pytest (xunit1 names the files): the seconds of each test, and the tests that failed."""
    seconds: dict[str, float] = {}
    failed: set[str] = set()
    for case in ElementTree.parse(report).iter("testcase") if report.exists() else []:
        name = f"{case.get('file')}::{case.get('name')}"
        seconds[name] = seconds.get(name, 0) + float(case.get("time", 0))
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(name)
    return seconds, failed
