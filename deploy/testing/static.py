"""Checks of the source text: formats, lint and types. Their settings are in Tests/Static."""

from dataclasses import dataclass
from pathlib import Path

from tools import ROOT, VENV, output

SETTINGS = Path("Tests/Static")
GATEWAY = "Services/SyncGateway/"
WEB = f"{GATEWAY}Web/"
SWIFT_PLACES = ("Services/", "Shared/", "Tests/")


@dataclass(frozen=True)
class Check:
    """Commands that exit with 0 if the check passes."""

    name: str
    commands: list[list]
    #: Whether the tools come from PyPI, into .build/venv.
    from_pypi: bool = False


def checks(changed: list[str] | None) -> list[Check]:
    """Returns the checks that apply to the changed files, or to every file that Git knows.

    Formats and lint check single files; types are checked as a whole as soon as one file of the language changed.
    """
    is_whole = changed is None or any(path.startswith(f"{SETTINGS}/") for path in changed)
    paths = output(["git", "ls-files", "-z"]).split("\0") if is_whole else changed
    files = [path for path in paths if (ROOT / path).is_file()]
    swift = [path for path in files if path == "Package.swift"
             or path.endswith(".swift") and path.startswith(SWIFT_PLACES)]
    shell = [path for path in files if is_shell(ROOT / path)]
    python = [path for path in files if path.endswith(".py")]
    pages = [path for path in files if path.startswith(WEB) and path.endswith(".js")]
    tools = VENV / "bin"
    found = []
    if swift:
        found.append(Check("Swift format and lint", [
            ["swift", "format", "lint", "--strict", "--parallel", "--configuration", ".swift-format", *swift]]))
        found.append(Check("words of comments", [["python3", "deploy/testing/words.py", "--floor"]]))
    if shell:
        found.append(Check("shell lint", [["shellcheck", "--external-sources", "--source-path=SCRIPTDIR", *shell]]))
    if python:
        found.append(Check("Python lint and types", [
            [tools / "ruff", "check", "--quiet", "--config", SETTINGS / "ruff.toml", *python],
            [tools / "basedpyright", "--project", SETTINGS / "pyrightconfig.json", "--pythonpath", tools / "python"],
        ], from_pypi=True))
    if any(path.startswith(GATEWAY) for path in paths):
        found.append(Check("texts in every language", [["python3", "deploy/testing/languages.py"]]))
    if pages:
        found.append(Check("JavaScript lint", [[tools / "oxlint", "--config", SETTINGS / "oxlint.json", *pages]],
                           from_pypi=True))
        found.append(Check("JavaScript types", [
            ["tsc", "--project", SETTINGS / "pages.json"], ["tsc", "--project", SETTINGS / "worker.json"]]))
    return found


def is_shell(file: Path) -> bool:
    if file.suffix == ".sh":
        return True
    with open(file, "rb") as opened:
        first = opened.readline(80)
    return first.startswith(b"#!") and (b"bash" in first or first.rstrip().endswith(b"sh"))
