"""Runs the suites of `swift test` and of pytest.

A test that fails is repeated once, because real radios, kills and browsers share the machine's time with everything
else. The outcome records each test that passed only then.
"""

import json
import os
import re

from outcome import CheckFailed, Outcome, read_events, read_report
from tools import BUILD, PYTHON, ROOT, has_environment, passes

EVENTS = BUILD / "events.jsonl"
REPORTS = BUILD / "reports"
#: Tests that swift test runs at a time: one waits while the others work. Without a limit nobody knows their seconds.
AT_A_TIME = (os.cpu_count() or 1) + 1


def swift_tests(outcome: Outcome, targets: set[str], are_left_out: bool = False) -> None:
    """Runs the built Swift tests of these targets, or of all others. Throws CheckFailed if one fails twice."""
    if swift_test("--skip" if are_left_out else "--filter", f"^({'|'.join(sorted(targets))})[.]"):
        outcome.tests |= read_events(EVENTS, AT_A_TIME)[0]
        return
    seconds, failed = read_events(EVENTS, AT_A_TIME)
    outcome.tests |= seconds
    if not failed:
        raise CheckFailed("the tests ended before the last one")
    print(f"\nFAILED ONCE, repeating: {', '.join(sorted(failed))}", flush=True)
    passed = swift_test("--filter", "|".join(sorted(f"^{re.escape(name)}/" for name in failed)))
    seconds, again = read_events(EVENTS, AT_A_TIME)
    outcome.add_flaky(sorted(name for name in failed if name in seconds and name not in again))
    if not passed:
        raise CheckFailed


def swift_test(option: str, pattern: str) -> bool:
    """Runs the tests whose names match the pattern, or those that do not; prints only what went wrong."""
    EVENTS.unlink(missing_ok=True)
    command = ["swift", "test", "--skip-build", "--disable-xctest", "--quiet", "--event-stream-version", "0",
               "--event-stream-output-path", EVENTS, "--experimental-maximum-parallelization-width", str(AT_A_TIME)]
    return passes([*command, option, pattern])


def pytest_suite(outcome: Outcome, place: str, *words: str, env: dict[str, str] | None = None) -> None:
    """Runs the tests that pytest finds below a place, and repeats the files of those that fail.

    Files are repeated whole: some tests check at the end what all the tests before them have counted.
    """
    if not has_environment():
        raise CheckFailed("the requirements could not be installed")
    environment = os.environ | {"FURROW_PROGRAMS": str(BUILD / "release")} | (env or {})
    report = REPORTS / f"{place.replace('/', '-')}.xml"
    command = [PYTHON, "-m", "pytest", "--quiet", "-p", "no:schemathesis", "--override-ini=junit_family=xunit1",
               f"--junitxml={report}"]
    passed = passes([*command, "--cache-clear", place, *words], environment)
    seconds, failed = read_report(report)
    outcome.tests |= seconds
    if passed:
        return
    files = failed_files()
    if not files:
        raise CheckFailed("the tests ended before the last one")
    print(f"\nFAILED ONCE, repeating their files: {' '.join(files)}", flush=True)
    passed = passes([*command, *files, *words], environment)
    seconds, again = read_report(report)
    outcome.add_flaky(sorted(name for name in failed if name in seconds and name not in again))
    if not passed:
        raise CheckFailed


def failed_files() -> list[str]:
    """The files of the tests that failed in pytest's last run."""
    cache = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"
    return sorted({name.split("::")[0] for name in json.loads(cache.read_text())}) if cache.exists() else []
