"""Runs the suites of `swift test` and of pytest.

A test that fails is repeated once, because real radios, kills and browsers share the machine's time with everything
else. The outcome records each test that passed only then.
"""

import json
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from outcome import CheckFailed, Outcome, read_events, read_report
from tools import BUILD, PROGRAMS, PYTHON, TESTED, has_environment, memory, passes

EVENTS = BUILD / "events.jsonl"
REPORTS = BUILD / "reports"
#: Tests that swift test runs at a time: one waits while the others work. Without a limit nobody knows their seconds.
AT_A_TIME = (os.cpu_count() or 1) + 1


#: Options of `swift test` for what a whole run builds.
WHOLE = ["-c", "release", "--scratch-path", TESTED]


def swift_tests(outcome: Outcome, targets: set[str], options: Sequence = (), are_left_out: bool = False) -> None:
    """Runs the built Swift tests of these targets, or of all others. Throws CheckFailed if one fails twice."""
    # The NATS servers of some tests come with the requirements.
    if not has_environment():
        raise CheckFailed("the requirements could not be installed")
    which = "--skip" if are_left_out else "--filter"
    if swift_test(options, which, f"^({'|'.join(sorted(targets))})[.]"):
        outcome.tests |= read_events(EVENTS, AT_A_TIME)[0]
        return
    seconds, failed = read_events(EVENTS, AT_A_TIME)
    outcome.tests |= seconds
    if not failed:
        raise CheckFailed("the tests ended before the last one")
    print(f"\nFAILED ONCE, repeating: {', '.join(sorted(failed))}", flush=True)
    passed = swift_test(options, "--filter", "|".join(sorted(f"^{re.escape(name)}/" for name in failed)))
    seconds, again = read_events(EVENTS, AT_A_TIME)
    outcome.add_flaky(sorted(name for name in failed if name in seconds and name not in again))
    if not passed:
        raise CheckFailed


def swift_test(options: Sequence, which: str, pattern: str) -> bool:
    """Runs the tests whose names match the pattern, or those that do not; prints only what went wrong."""
    EVENTS.unlink(missing_ok=True)
    command = ["swift", "test", "--skip-build", "--disable-xctest", "--quiet", "--event-stream-version", "0",
               "--event-stream-output-path", EVENTS, "--experimental-maximum-parallelization-width", str(AT_A_TIME)]
    return passes([*command, *options, which, pattern], os.environ | memory())


@dataclass(frozen=True)
class Suite:
    """Tests that pytest finds below a place, with the words and the environment that they need."""

    place: str
    words: Sequence[str] = ()
    env: dict[str, str] = field(default_factory=dict)
    #: Whether its files may lie in memory: it never cuts the power, and measures no disk.
    is_in_memory: bool = False

    @property
    def name(self) -> str:
        return self.place.replace("/", "-").removesuffix(".py")

    def run(self, outcome: Outcome, log: Path | None = None) -> None:
        """Runs the tests, and repeats the files of those that fail. Throws CheckFailed if one fails twice.

        Files are repeated whole: some tests check at the end what all the tests before them have counted.
        """
        report, cache = REPORTS / f"{self.name}.xml", REPORTS / f"{self.name}-cache"
        environment = os.environ | (memory() if self.is_in_memory else {}) | {"FURROW_PROGRAMS": str(PROGRAMS)} | self.env
        command = [PYTHON, "-m", "pytest", "--quiet", "-p", "no:schemathesis", "--override-ini=junit_family=xunit1",
                   f"--override-ini=cache_dir={cache}", f"--junitxml={report}"]
        passed = passes([*command, "--cache-clear", self.place, *self.words], environment, log)
        seconds, failed = read_report(report)
        outcome.tests |= seconds
        if passed:
            return
        files = failed_files(cache)
        if not files:
            raise CheckFailed("the tests ended before the last one")
        say(f"\nFAILED ONCE, repeating their files: {' '.join(files)}", log)
        passed = passes([*command, *files, *self.words], environment, log)
        seconds, again = read_report(report)
        outcome.add_flaky(sorted(name for name in failed if name in seconds and name not in again))
        if not passed:
            raise CheckFailed


def run_suites(outcome: Outcome, *suites: Suite) -> None:
    """Runs suites side by side; their output is printed one after the other. Throws CheckFailed if one fails."""
    if not has_environment():
        raise CheckFailed("the requirements could not be installed")
    REPORTS.mkdir(parents=True, exist_ok=True)
    if len(suites) == 1:
        return suites[0].run(outcome)
    failed = []
    with ThreadPoolExecutor(len(suites)) as pool:
        logs = [REPORTS / f"{suite.name}.log" for suite in suites]
        for log in logs:
            log.unlink(missing_ok=True)
        for suite, log, end in [(suite, log, pool.submit(suite.run, outcome, log))
                                for suite, log in zip(suites, logs, strict=True)]:
            problem = end.exception()
            print(f"\n{suite.place}:\n{log.read_text()}", flush=True)
            if isinstance(problem, CheckFailed):
                failed.append(f"{suite.place}: {problem}" if str(problem) else suite.place)
            elif problem:
                raise problem
    if failed:
        raise CheckFailed("; ".join(failed))
    return None


def say(line: str, log: Path | None) -> None:
    """Prints a line, or adds it to a file."""
    if log is None:
        print(line, flush=True)
        return
    with open(log, "a") as file:
        file.write(f"{line}\n")


def failed_files(cache: Path) -> list[str]:
    """The files of the tests that failed in pytest's last run."""
    failed = cache / "v" / "cache" / "lastfailed"
    return sorted({name.split("::")[0] for name in json.loads(failed.read_text())}) if failed.exists() else []
