"""The tests and mutants of other folders that the table refers to exist, and its counts would detect a fault."""

import copy
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import unforgiven
from alone import Alone, Tally
from client import until
from desk import Adverts
from night import DAYS, INPUTS, KILLS
from table import ELSEWHERE, MUTANTS, ROOT, Kept
from test_kill import CASES

#: Each of these has a line in the printed table.
FAULTS = {f"F{number:02}" for number in (
    1, 3, 4, 5, 6, 7, 8, 9, 10, 13, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 31, 37, 41, 45)}


def test_every_fault_that_the_table_leaves_to_another_test_is_covered():
    missing = [one for one in ELSEWHERE if not one.is_there]
    assert not missing, missing
    here = [fault for file in Path(__file__).parent.glob("test_*.py")
            for fault in re.findall(r'table\.add\(\s*"(F\d\d)"', file.read_text())]
    assert {*here, *(one.fault for one in ELSEWHERE)} == FAULTS
    assert not Kept("F00", "EventBusTests/MalformedMessageTests.swift", "is made up").is_there


def test_every_mutant_of_the_table_is_detected():
    missing = [one for one in MUTANTS if not one.is_there]
    assert not missing, missing
    flaws = re.findall(r"case (\w+)$", (ROOT / "Tests" / "Simulation" / "Mutant.swift").read_text(), re.MULTILINE)
    assert set(flaws) == {one.sentence for one in MUTANTS if one.file == "Simulation/Mutant.swift"}
    assert len({one.fault for one in MUTANTS}) >= 16
    assert not Kept("made up", "Simulation/Mutant.swift", "isMadeUp").is_there


def test_the_documented_numbers_match_the_tests():
    here = Path(__file__).parent
    page = (here / "README.md").read_text()
    told = re.findall(r"^\| F\d\d \|.*\| `(test_\w+\.py)` \| ([\d,]+) \| ([\d,]+) \|$", page, re.MULTILINE)
    made = [(file.name, *numbers) for file in here.glob("test_*.py")
            for numbers in re.findall(r"\btimes\(([\d_]+), ([\d_]+)\)", file.read_text())]
    assert Counter((file, plain(usual), plain(night)) for file, usual, night in told) == Counter(
        (file, plain(usual), plain(night)) for file, usual, night in made)
    assert len(made) >= 14
    for number in (KILLS, INPUTS, DAYS):
        assert f"| {number:,} |" in page, number


def test_every_service_is_killed_under_load():
    services = {page.read_text().splitlines()[0].removeprefix("# ") for page in ROOT.glob("Services/*/README.md")}
    # These have no journal; they are killed by Tests/Pipeline/test_hub.py and test_node.py.
    services -= {"furrow-hub", "furrow-node"}
    assert {origin.split("/")[0] for origin in CASES} == services and len(services) >= 5


def plain(number: str) -> int:
    return int(re.sub(r"[,_]", "", number))


def test_the_tally_finds_lost_doubled_and_skipped_events(ingest, ending):
    store: Alone = ingest().start()
    asker = ending(store.asker(Adverts())).start()
    until(lambda: len(asker.acknowledged) >= 20, 20, "20 acknowledged")
    asker.stop()
    store.tally(asker)[0].check()
    events = store.replay()
    again = copy.deepcopy(events[-1])
    again["id"] = "another"
    for wrong, told in (
        (events[:len(events) // 2], "lost"), (events[:5] + events[6:], "skipped"), ([*events, again], "doubled"),
        ([*events, events[-1]], "doubled"), (events[:4] + [events[5], events[4]] + events[6:], "skipped"),
    ):
        store.replay = lambda first=1, feed=None, seconds=60, wrong=wrong: wrong
        assert getattr(store.tally(asker)[0], told) > 0, told


def test_a_failed_tally_is_recorded_and_never_forgiven(tmp_path, monkeypatch):
    book = tmp_path / ".build" / "unforgiven"
    book.parent.mkdir()
    monkeypatch.setattr(unforgiven, "BOOK", book)
    Tally(acknowledged=7).check()
    assert not book.exists()
    for wrong in (Tally(7, lost=1), Tally(7, doubled=1), Tally(7, skipped=1)):
        with pytest.raises(AssertionError):
            wrong.check("after a test")
    told = book.read_text().splitlines()
    assert len(told) == 3 and all("never_forgiven" in line and "after a test" in line for line in told), told
    # No test treats a tally as clean in a way that is not recorded, and the run checks the record.
    files = {file.name: file.read_text() for file in Path(__file__).parent.glob("test_*.py")}
    assert len(files) >= 10
    assert not [name for name, text in files.items() if re.search(r"assert [\w.]+\.is_clean", text)]
    assert forgives(tmp_path) == (1, told)
    book.unlink()
    assert forgives(tmp_path) == (0, [])


def forgives(root: Path) -> tuple[int, list[str]]:
    """Returns the exit code of `deploy/test` after steps that passed, and the recorded failures that it prints."""
    script = (
        "from pathlib import Path; import outcome, run\n"
        "outcome.UNFORGIVEN = Path('.build/unforgiven')\n"
        "raise SystemExit(0 if run.run([], outcome.Outcome()) else 1)")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, env=os.environ | {"PYTHONPATH": str(ROOT / "deploy" / "testing")},
        capture_output=True, text=True)
    return done.returncode, [line for line in done.stdout.splitlines() if "never_forgiven" in line]
