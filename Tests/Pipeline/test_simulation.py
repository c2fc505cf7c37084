"""A simulated day that fails, fails again with the same seed: the seed is enough to find the cause."""

import subprocess

import pytest
from farm import PROGRAMS


def lived(*words: str) -> tuple[int, list[str]]:
    """Runs the simulation; returns its exit code, and its output without durations."""
    done = subprocess.run([PROGRAMS / "simulation", "--threads", "1", *words], capture_output=True, text=True, timeout=300)
    assert not done.stderr, done.stderr
    return done.returncode, [line for line in done.stdout.splitlines() if " days in " not in line]


@pytest.mark.parametrize("flaw", [
    "skipsSync", pytest.param("ringsFirst", marks=pytest.mark.nightly), "mirrorsBlindly"])
def test_a_failing_simulated_day_fails_identically_in_another_process(flaw):
    code, first = lived("--mutant", flaw)
    assert code == 0 and "found with seed" in first[0], first
    seed = first[0].split("found with seed ")[1].split(",")[0]
    again = lived("--mutant", flaw, "--from", seed)[1]
    assert again[0].split(" days: ")[1] == first[0].split(" days: ")[1], (first, again)
    print(f"{flaw}: seed {seed} fails identically twice")


def test_the_same_seeds_give_the_same_counts_in_another_process():
    (_, first), (_, again) = (lived("--from", "11", "--seeds", "3") for _ in range(2))
    assert first == again and len(first) > 20, (first, again)
    print(f"3 days with {len(first)} identical counts in both runs")
