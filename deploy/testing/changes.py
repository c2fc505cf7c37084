"""The files that changed against a base commit, and the Swift test targets that can detect the change."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import PurePosixPath

from tools import ROOT, output


def base_commit(since: str | None) -> str:
    """Returns the commit to compare with: the given one, else where this branch left origin/main, else HEAD."""
    if since:
        return output(["git", "rev-parse", "--verify", f"{since}^{{commit}}"]).strip()
    try:
        return output(["git", "merge-base", "origin/main", "HEAD"]).strip()
    except subprocess.CalledProcessError:
        return output(["git", "rev-parse", "HEAD"]).strip()


def changed_files(since: str | None) -> list[str]:
    """Returns paths that differ between the base and the work tree, including deleted and untracked ones."""
    differ = output(["git", "diff", "--name-only", "--no-renames", "-z", base_commit(since)])
    unknown = output(["git", "ls-files", "--others", "--exclude-standard", "-z"])
    return sorted({path for path in (differ + unknown).split("\0") if path})


@dataclass(frozen=True)
class Target:
    """A target of Package.swift."""

    name: str
    path: PurePosixPath
    excluded: tuple[PurePosixPath, ...]
    needs: frozenset[str]
    is_test: bool

    def compiles(self, file: PurePosixPath) -> bool:
        return not any(file.is_relative_to(place) for place in self.excluded)


def package_targets() -> list[Target]:
    """Returns every target, as `swift package dump-package` describes it."""
    targets = json.loads(output(["swift", "package", "dump-package"]))["targets"]

    def needed(dependency: dict) -> str:
        return next(iter(dependency.values()))[0]

    return [
        Target(
            target["name"], PurePosixPath(target["path"]),
            tuple(PurePosixPath(target["path"], place) for place in target.get("exclude", [])),
            frozenset(needed(dependency) for dependency in target["dependencies"]), target["type"] == "test")
        for target in targets
    ]


def affected_tests(files: list[str], targets: list[Target]) -> set[str]:
    """Returns the test targets that a change of these files can make fail.

    Sources of a target affect its tests and those of every target that depends on it. Other files in a target's folder
    (pages, READMEs) affect its own tests; files outside of all targets affect the tests that name their folder.
    """
    tests = {target.name for target in targets if target.is_test}
    if "Package.swift" in files:
        return tests
    changed: set[str] = set()
    affected: set[str] = set()
    for file in map(PurePosixPath, files):
        owners = [target for target in targets if file.is_relative_to(target.path)]
        owner = max(owners, key=lambda target: len(target.path.parts), default=None)
        if owner is None:
            affected |= {target.name for target in targets if target.is_test and names(target, file)}
        elif owner.compiles(file):
            changed.add(owner.name)
        else:
            affected |= {f"{owner.name}Tests"} & tests
    while dependents := {target.name for target in targets if target.needs & changed} - changed:
        changed |= dependents
    return affected | (changed & tests)


def names(target: Target, file: PurePosixPath) -> bool:
    """Returns whether a source of the target contains the file's folder below Tests, such as `Fixtures/Events`."""
    if file.parts[0] != "Tests" or len(file.parts) < 4:
        return False
    folder = "/".join(file.parts[1:3])
    return any(folder in source.read_text() for source in (ROOT / target.path).rglob("*.swift"))
