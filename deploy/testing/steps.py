"""The steps of a run in order: the cheapest come first."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import static
from changes import affected_tests, changed_files, package_targets
from outcome import CheckFailed, Outcome
from suites import WHOLE, Suite, run_suites, swift_tests
from tools import PROGRAMS, TESTED, has_environment, passes

#: The values of `--only`.
GROUPS = ["static", "unit", "simulation", "pages", "pipeline", "compose", "faults"]
ARCHITECTURE = "ArchitectureTests"
CHECKED = ["--explicit-target-dependency-import-check", "error"]
DEBUG_BUILD = ["swift", "build", "--build-tests", *CHECKED]
#: Programs as they are deployed, but that unit tests can be linked to them: one build for all. Nothing debugs them:
#: without debug information the build takes a tenth less.
TESTED_BUILD = ["swift", "build", "-c", "release", "--scratch-path", TESTED, "-Xswiftc", "-enable-testing",
                "-Xswiftc", "-gnone", *CHECKED]
SIMULATION = PROGRAMS / "simulation"

#: Several files run in parallel. A browser that hangs costs five minutes, not the run.
PAGES = Suite("Tests/Browser", ["--numprocesses", "2", "--dist", "loadfile", "--timeout", "300"], is_in_memory=True)
PIPELINE = Suite("Tests/Pipeline", ["--numprocesses", "3", "--dist", "loadfile"], is_in_memory=True)
DIFFERENTIAL = Suite("Tests/Differential", ["--numprocesses", "2"], is_in_memory=True)
COMPOSE = Suite("Tests/Pipeline/test_compose.py", env={"FURROW_COMPOSE": "1"})
FAULTS = Suite("Tests/Faults")
SUITES = {"pages": PAGES, "pipeline": PIPELINE, "compose": COMPOSE, "faults": FAULTS}
NAMES = {"pages": "pages in a browser", "pipeline": "the whole pipeline", "compose": "the farm server in containers",
         "faults": "faults"}
#: Suites that run side by side. Faults wait for disks and clocks most of the time, so they run beside the pages.
TOGETHER = [["pages", "faults"], ["pipeline"], ["compose"]]


@dataclass(frozen=True)
class Step:
    """One check; `run` throws CheckFailed if it fails."""

    group: str
    name: str
    run: Callable[[Outcome], None]

    @property
    def is_static(self) -> bool:
        return self.group == "static"


def command(*commands: list) -> Callable[[Outcome], None]:
    """Returns a step that runs commands, which must exit with 0."""
    def run(_: Outcome) -> None:
        for words in commands:
            if not passes(words):
                raise CheckFailed(f"exit code of {words[0]}")
    return run


def every_step(groups: set[str], nightly: bool) -> list[Step]:
    """Returns all steps of these groups, and the builds that they need."""
    steps = static_steps(None) if "static" in groups else []
    if "unit" in groups:
        steps.append(Step("unit", "build with tests, dependencies checked", command([*TESTED_BUILD, "--build-tests"])))
    elif groups - {"static"}:
        steps.append(Step("build", "build", command(TESTED_BUILD)))
    steps += [
        Step("unit", "architecture tests", lambda outcome: swift_tests(outcome, {ARCHITECTURE}, WHOLE)),
        Step("unit", "unit tests", lambda outcome: swift_tests(outcome, {ARCHITECTURE}, WHOLE, are_left_out=True)),
        Step("unit", "reference pages of FarmClient", command(["deploy/reference", TESTED / "reference",
                                                                   *TESTED_BUILD[2:]])),
        Step("simulation", "simulated days, and mutants of the system in them",
             command([SIMULATION, "--seeds", "200" if nightly else "20"], [SIMULATION, "--mutant", "all"])),
        Step("pipeline", "formats of sensors, beside other decoders", lambda outcome: run_suites(outcome, DIFFERENTIAL)),
    ]
    steps += nightly_suites() if nightly else [suites(some, groups) for some in TOGETHER if groups & set(some)]
    return [step for step in steps if step.group in groups | {"build"}]


def suites(some: list[str], groups: set[str]) -> Step:
    """Returns a step that runs those of some suites that are in the groups, side by side."""
    chosen = [group for group in some if group in groups]
    return Step(chosen[0], ", and at the same time ".join(NAMES[group] for group in chosen),
                lambda outcome: run_suites(outcome, *(SUITES[group] for group in chosen)))


def nightly_suites() -> list[Step]:
    """Returns the suites, one after another: each has the machine for itself."""
    return [suites([group], {group}) for group in SUITES if group != "faults"] + [
        Step("faults", NAMES["faults"], nightly_faults)]


def nightly_faults(_: Outcome) -> None:
    """Runs every fault as often as for a night, with the simulated days; resumes a stopped run."""
    if not has_environment() or not passes(["deploy/faults", "--nightly"],
                                           os.environ | {"FURROW_PROGRAMS": str(PROGRAMS)}):
        raise CheckFailed


def quick_steps(since: str | None) -> list[Step]:
    """Returns the checks that a change of the work tree against the base needs, without a release build."""
    files = changed_files(since)
    tests = affected_tests(files, package_targets()) - {ARCHITECTURE}
    steps = [
        *static_steps(files),
        Step("unit", "incremental debug build", command(DEBUG_BUILD)),
        Step("unit", "architecture tests", lambda outcome: swift_tests(outcome, {ARCHITECTURE})),
    ]
    if tests:
        names = ", ".join(sorted(tests))
        steps.append(Step("unit", f"unit tests: {names}", lambda outcome: swift_tests(outcome, tests)))
    return steps


def static_steps(files: list[str] | None) -> list[Step]:
    """Returns the static checks of these files, or of all."""
    def step(check: static.Check) -> Step:
        def run(_: Outcome) -> None:
            if check.from_pypi and not has_environment():
                raise CheckFailed("the requirements could not be installed")
            if not all(passes(words) for words in check.commands):
                raise CheckFailed
        return Step("static", check.name, run)
    return [step(check) for check in static.checks(files)]
