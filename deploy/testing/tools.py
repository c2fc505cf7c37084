"""Commands, folders and the Python environment that the steps share."""

import atexit
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
#: Where a run builds, apart from what `deploy/up` and `swift build` make, which need other options.
TESTED = BUILD / "tested"
PROGRAMS = TESTED / "release"
VENV = BUILD / "venv"
PYTHON = VENV / "bin" / "python"
#: The PyPI requirements of the Python tests, and of the tools that check them.
REQUIREMENTS = [ROOT / "Tests" / place / "requirements.txt"
                for place in ("Browser", "Pipeline", "Faults", "Differential", "Static")]


class Interrupted(Exception):
    """Ctrl-C reached a command."""


def passes(command: Sequence[str | Path], env: dict[str, str] | None = None, log: Path | None = None) -> bool:
    """Runs a command whose output goes to the screen, or to the end of a file; returns whether it exited with 0."""
    sys.stdout.flush()
    try:
        with open(log, "a") if log else nullcontext() as file:
            return subprocess.run([str(word) for word in command], cwd=ROOT, env=env, check=False, stdout=file,
                                  stderr=subprocess.STDOUT if file else None).returncode == 0
    except KeyboardInterrupt:
        raise Interrupted(command[0]) from None


def output(command: Sequence[str | Path]) -> str:
    """Returns the standard output of a command. Throws CalledProcessError if it fails."""
    return subprocess.run([str(word) for word in command], cwd=ROOT, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


@functools.cache
def memory() -> dict[str, str]:
    """Returns the variable that makes tests write their files to memory, if there are 4 GB of it.

    For tests that kill programs and not the machine: nothing waits for a disk. The folder goes with this process.
    """
    place = Path("/dev/shm")
    if not os.access(place, os.W_OK) or shutil.disk_usage(place).free < 4 << 30:
        return {}
    folder = Path(tempfile.mkdtemp(prefix="furrow-tests-", dir=place))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # Services have users of their own.
    folder.chmod(0o1777)
    return {"TMPDIR": str(folder)}


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
