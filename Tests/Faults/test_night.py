"""A night reuses passed results of the same commit without later changes; every other step is run again."""

import subprocess

import night
import pytest


@pytest.fixture
def repository(tmp_path, monkeypatch):
    for name, place in (("ROOT", ""), ("BOOK", ".build/night.jsonl"), ("LOGS", ".build/night")):
        monkeypatch.setattr(night, name, tmp_path / place)

    def git(*words: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@farm.test")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / ".gitignore").write_text(".build/\n")
    git("add", "--all")
    git("commit", "--message", "first")
    return tmp_path, git


def step(name: str, shell: str) -> night.Step:
    return night.Step(name, ["sh", "-c", f"echo {name} >> .build/ran; {shell}"], "^counted", name)


STEPS = [
    step("holds", "echo counted 7"), step("fails", "echo counted 3; false"), step("counts-nothing", "echo all is well"),
    step("last", "echo counted 1"),
]


def lived(place) -> list[str]:
    """Returns the steps that a night runs now."""
    (place / ".build" / "ran").unlink(missing_ok=True)
    one = night.Night(STEPS)
    held = one.run()
    assert held == all(one.book.holds(step) for step in STEPS)
    ran = place / ".build" / "ran"
    return ran.read_text().split() if ran.exists() else []


def test_a_night_resumes_with_the_steps_that_failed(repository):
    place, git = repository
    every = [one.name for one in STEPS]
    # A failed step does not prevent the others, and one without counts has not passed.
    assert lived(place) == every
    assert lived(place) == ["fails", "counts-nothing"]
    told = list(night.Night(STEPS).table())
    assert [line.split()[0] for line in told if line[0] != " "] == ["result", "held", "BROKEN", "BROKEN", "held"], told
    (place / "changed").write_text("since")
    assert lived(place) == every
    (place / "changed").unlink()
    assert lived(place) == every
    (place / "changed").write_text("since")
    git("add", "--all")
    git("commit", "--message", "second")
    assert lived(place) == every
    assert lived(place) == ["fails", "counts-nothing"]
