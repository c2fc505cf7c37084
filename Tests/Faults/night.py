"""The steps of a nightly fault run, one after another. Each result is stored as its step ends; at the end they are
printed as a table.

    deploy/faults --nightly [--list] [WORD...]     every step, or those whose names contain one of the words

A stopped night (Ctrl-C, SIGTERM, a power cut) resumes with its current step. Earlier results are reused only for the
same commit without later changes. Exit 1 if a step failed.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "Fuzz"))

from run import MUTANT, READERS

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("FURROW_PROGRAMS", ROOT / ".build" / "release")).resolve()
BOOK = ROOT / ".build" / "night.jsonl"
LOGS = ROOT / ".build" / "night"

KILLS = 1_000
INPUTS = 10_000_000
DAYS, DAYS_A_STEP = 100_000, 1_000
#: The interval of progress messages, in seconds.
TELLING = 60
#: The usual seconds of a step on two idle cores, if it is more than a minute.
USUAL = {
    "every_kill": 1_200, "through_every_cut": 1_000, "clock_that_jumps": 140, "at_once": 290, "below_its_limit": 170,
    "disk_fails": 600, "cannot_write_or_sync": 360, "stands_still": 100, "is_killed": 160, "bad_network": 120,
    "fuzz segments": 1_100, "fuzz captures": 650, "fuzz requests": 550, "fuzz": 150, "days": 450,
}


@dataclass(frozen=True)
class Step:
    """A command that exits with 0 if everything passed, and a pattern of the lines with its counts."""

    name: str
    command: list[str]
    told: str
    #: Steps of the same kind share one line of the table.
    kind: str
    times: int | None = None

    @property
    def usual(self) -> float:
        return next((seconds for name, seconds in USUAL.items() if name in self.name), 60)


@dataclass
class Ended:
    """The result of a step."""

    commit: str | None
    name: str
    held: bool
    seconds: float
    told: list[str] = field(default_factory=list)


def steps() -> list[Step]:
    pytest = [sys.executable, "-m", "pytest", "--quiet", "--showlocals", "-p", "no:cacheprovider"]

    def collected(place: str) -> list[str]:
        done = subprocess.run([*pytest, "--collect-only", place], cwd=ROOT, capture_output=True, text=True)
        names = [line for line in done.stdout.splitlines() if "::" in line]
        assert done.returncode == 0 and names, done.stdout + done.stderr
        return names

    kills, faults = collected("Tests/Pipeline/test_kill.py"), collected("Tests/Faults")
    return [
        *(Step(name, [*pytest, name], r"^F\d\d|^\d+ passed", name.split("::test_")[1].replace("_", " "))
          for name in faults),
        *(Step(name, [*pytest, name], r"\d+ kills,", f"kill {name.split('[')[1].split('/')[0]}", KILLS)
          for name in kills),
        *(Step(f"fuzz {name}", ["deploy/fuzz", "--runs", str(INPUTS), name], rf"^\| {name} ", f"fuzz {name}", INPUTS)
          for name in READERS),
        Step(f"fuzz {MUTANT}", ["deploy/fuzz", MUTANT], rf"^\| {MUTANT} ", f"fuzz {MUTANT}"),
        *(Step(f"days {first}", [str(PROGRAMS / "simulation"), "--from", str(first), "--seeds", str(DAYS_A_STEP)],
               "days in|BROKEN|TOO SELDOM", "simulated days", DAYS_A_STEP)
          for first in range(1, DAYS + 1, DAYS_A_STEP)),
    ]


class Book:
    """The results of this commit, read back after a stop."""

    def __init__(self):
        def git(*words: str) -> str:
            return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()

        # Uncommitted changes have no state to come back to.
        self.commit = None if git("status", "--porcelain") else git("rev-parse", "HEAD")
        self.ended: dict[str, Ended] = {}
        if BOOK.is_file() and self.commit:
            for line in BOOK.read_text().splitlines():
                ended = Ended(**json.loads(line))
                if ended.commit == self.commit:
                    self.ended[ended.name] = ended
        BOOK.parent.mkdir(exist_ok=True)
        BOOK.write_text("")
        for ended in self.ended.values():
            self.write(ended)

    def write(self, ended: Ended) -> None:
        self.ended[ended.name] = ended
        with open(BOOK, "a") as book:
            book.write(json.dumps(asdict(ended)) + "\n")
            book.flush()
            os.fsync(book.fileno())

    def holds(self, step: Step) -> bool:
        return step.name in self.ended and self.ended[step.name].held


class Night:
    """Runs the steps that have not passed yet."""

    def __init__(self, wanted: list[Step]):
        self.book = Book()
        self.wanted = wanted
        self.open = [step for step in wanted if not self.book.holds(step)]
        #: The seconds that the finished steps took, and those that they usually take.
        self.took = self.usual = 0.0

    def run(self) -> bool:
        if len(self.open) < len(self.wanted):
            print(f"{len(self.wanted) - len(self.open)} steps have passed on this commit already.")
        while self.open:
            step = self.open[0]
            print(f"{time.strftime('%H:%M')} {step.name}; {len(self.open)} steps in about {spoken(self.left())}",
                  flush=True)
            ended = self.live(step)
            self.book.write(ended)
            self.open.pop(0)
            self.took += ended.seconds
            self.usual += step.usual
            print("\n".join(f"      {line}" for line in ended.told) or "      no counts", flush=True)
        return all(self.book.holds(step) for step in self.wanted)

    def left(self, running: float = 0) -> float:
        """Returns the expected seconds until the end, scaled by the duration of finished steps."""
        slowness = self.took / self.usual if self.usual else 1
        return max(0, sum(step.usual for step in self.open) * slowness - running)

    def live(self, step: Step) -> Ended:
        LOGS.mkdir(parents=True, exist_ok=True)
        log = LOGS / (re.sub(r"\W+", "-", step.name) + ".log")
        began = time.monotonic()
        with open(log, "wb") as file:
            child = subprocess.Popen(step.command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                     env=os.environ | {"FURROW_FAULTS": "nightly", "FURROW_KILLS": str(KILLS)})
            try:
                while True:
                    try:
                        child.wait(TELLING)
                        break
                    except subprocess.TimeoutExpired:
                        running = time.monotonic() - began
                        print(f"      {spoken(running)} of usually {spoken(step.usual)}; "
                              f"everything in about {spoken(self.left(running))}", flush=True)
            except KeyboardInterrupt:
                # A test cleans up after SIGINT.
                child.send_signal(signal.SIGINT)
                child.wait()
                raise
        text = log.read_text(errors="replace")
        told = [line.strip() for line in text.splitlines() if re.search(step.told, line)]
        held = child.returncode == 0 and told != []
        if not held:
            print(text[-4000:])
            print(f"FAILED (exit {child.returncode}): {step.name}; its output is in {log}", flush=True)
        return Ended(self.book.commit, step.name, held, time.monotonic() - began, told)

    def table(self) -> Iterator[str]:
        yield f"{'result':<10}{'s':>7}{'times':>12}  what was done"
        kinds: dict[str, list[Step]] = {}
        for step in self.wanted:
            if step.name in self.book.ended:
                kinds.setdefault(step.kind, []).append(step)
        for kind, some in kinds.items():
            ended = [self.book.ended[step.name] for step in some]
            count = sum(step.times or 0 for step in some)
            result = "held" if all(one.held for one in ended) else "BROKEN"
            yield f"{result:<10}{sum(one.seconds for one in ended):>7.0f}{f'{count:,}' if count else '':>12}  {kind}"
            # Of many similar steps only the last one is shown, if none failed.
            yield from (f"{'':>31}{line}" for one in ended if one is ended[-1] or not one.held for line in one.told)


def spoken(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--list", action="store_true", help="names the steps, and runs none")
    words.add_argument("words", nargs="*", metavar="WORD")
    asked = words.parse_args()
    wanted = [step for step in steps() if not asked.words or any(word in step.name for word in asked.words)]
    if not wanted:
        words.error("no step has such a name; --list names them")
    if asked.list:
        print("\n".join(f"{step.times or '':>10}  {step.name}" for step in wanted))
        return 0
    # Either signal stops it, even if the shell ignored it, as it does for background processes.
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.default_int_handler)
    night = Night(wanted)
    try:
        held = night.run()
    except KeyboardInterrupt:
        held = False
        print(f"Stopped with {len(night.open)} steps to go; the same command resumes here.")
    print("\n".join(night.table()))
    if held and not asked.words:
        # A complete night that passed is over; the next one starts from the beginning.
        BOOK.unlink()
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
