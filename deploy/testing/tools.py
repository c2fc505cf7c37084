"""Commands and the Python environment that the steps share."""

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
VENV = BUILD / "venv"
PYTHON = VENV / "bin" / "python"
#: The PyPI requirements of the Python tests, and of the tools that check them.
REQUIREMENTS = [ROOT / "Tests" / place / "requirements.txt" for place in ("Browser", "Pipeline", "Faults", "Static")]


class Interrupted(Exception):
    """Ctrl-C reached a command."""


def passes(command: Sequence[str | Path], env: dict[str, str] | None = None) -> bool:
    """Runs a command whose output goes to the screen; returns whether it exited with 0."""
    sys.stdout.flush()
    try:
        return subprocess.run([str(word) for word in command], cwd=ROOT, env=env, check=False).returncode == 0
    except KeyboardInterrupt:
        raise Interrupted(command[0]) from None


def output(command: Sequence[str | Path]) -> str:
    """Returns the standard output of a command. Throws CalledProcessError if it fails."""
    return subprocess.run([str(word) for word in command], cwd=ROOT, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def has_environment() -> bool:
    """Creates .build/venv and installs the requirements; does nothing if they are those of the last time."""
    stamp = VENV / "requirements.sha256"
    wanted = hashlib.sha256(b"\n".join(file.read_bytes() for file in REQUIREMENTS)).hexdigest()
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted:
        return True
    install = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for file in REQUIREMENTS:
        install += ["--requirement", file]
    if not passes([sys.executable, "-m", "venv", VENV]) or not passes(install):
        return False
    stamp.write_text(wanted)
    return True
