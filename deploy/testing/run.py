"""Runs the checks of this repository, cheapest first, and prints what each step took.

A failed static check does not hide the next one; any other failed step ends the run. Exit 0 if every step passed,
1 if one failed, 2 after a wrong option.
"""

import argparse
import os
import sys
import time

from outcome import FLAKY, UNFORGIVEN, CheckFailed, Outcome
from steps import GROUPS, Step, every_step, quick_steps
from tools import BUILD, ROOT, Interrupted

HELP = f"""\
deploy/test [--only GROUP,...] [--nightly]     every check, or those of some groups
deploy/test --quick [--since REF]              what a change needs: its lint, types, build, architecture and unit tests

  --only GROUP    {', '.join(GROUPS)}; repeatable, and several with commas
  --quick         only what the changed files need
  --since REF     changed since this commit, or in the work tree (default: where the branch left origin/main, else HEAD)
  --nightly       FURROW_NIGHTLY=1: checks that are small by default run whole; faults as often as for a night
  --list          prints the steps that would run
"""


def options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="deploy/test", usage=HELP, add_help=False, allow_abbrev=False)
    for name in ("--quick", "--nightly", "--list"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--since", metavar="REF")
    parser.add_argument("--only", action="append", default=[], metavar="GROUP")
    given = parser.parse_args(words)
    given.only = [group for some in given.only for group in some.split(",") if group]
    if unknown := [group for group in given.only if group not in GROUPS]:
        parser.error(f"no group {', '.join(unknown)}")
    if given.quick and (given.only or given.nightly):
        parser.error("--quick goes with --since and --list alone")
    if given.since and not given.quick:
        parser.error("--since goes with --quick")
    return given


def run(steps: list[Step], outcome: Outcome) -> bool:
    """Runs the steps in order and returns whether all passed."""
    failed: list[str] = []
    for step in steps:
        if failed and not step.is_static:
            break
        print(f"\n== {step.name} ({outcome.seconds:.0f} s)", flush=True)
        began = time.monotonic()
        try:
            step.run(outcome)
        except CheckFailed as problem:
            failed.append(step.name)
            print(f"FAILED: {step.name}{f': {problem}' if str(problem) else ''}", flush=True)
        outcome.took.append((step.name, time.monotonic() - began))
    print("\n".join(outcome.summary()), flush=True)
    if unforgiven := outcome.unforgiven():
        print("\nFound once, and failed although the repeated test passed:", *unforgiven, sep="\n")
    if failed or unforgiven:
        print(f"\nFailed after {outcome.seconds:.0f} s: {', '.join(failed) or 'the counts above'}")
        return False
    print(f"\nAll checks passed in {outcome.seconds:.0f} s.")
    return True


def main() -> int:
    given = options(sys.argv[1:])
    if given.help:
        print(HELP, end="")
        return 0
    os.chdir(ROOT)
    if given.nightly:
        os.environ["FURROW_NIGHTLY"] = "1"
    steps = quick_steps(given.since) if given.quick else every_step(set(given.only or GROUPS), given.nightly)
    if given.list:
        print("\n".join(f"{step.group:<12}{step.name}" for step in steps))
        return 0
    BUILD.mkdir(exist_ok=True)
    for record in (FLAKY, UNFORGIVEN):
        record.unlink(missing_ok=True)
    try:
        return 0 if run(steps, Outcome()) else 1
    except Interrupted as signal:
        print(f"\nInterrupted: {signal}")
        return 130


if __name__ == "__main__":
    sys.exit(main())
