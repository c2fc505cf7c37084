"""The fault-injection library for a program's system calls, compiled for the test run."""

import os
import shutil
import struct
import subprocess
import tempfile
from functools import cache
from pathlib import Path

DAY = 86_400


@cache
def library() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="furrow-shim-"))
    folder.chmod(0o755)
    compiler = shutil.which("clang") or shutil.which("cc")
    assert compiler, "no C compiler: the one that comes with Swift is called clang"
    made = folder / "shim.so"
    subprocess.run(
        [compiler, "-O1", "-Wall", "-Werror", "-Wno-unused-parameter", "-fPIC", "-shared", "-o", made,
         Path(__file__).with_name("shim.c"), "-ldl"], check=True)
    return made


def lax(part: str) -> dict[str, str]:
    """Makes syncs of files with `part` in their path do nothing: the harness has to detect such a store."""
    return {"LD_PRELOAD": str(library()), "FURROW_SHIM_LAX": part}


def failing(call: str, part: str, at: int, mark: Path, lies: bool = False) -> dict[str, str]:
    told = f"{call}:{part}:{at}" + (":lie" if lies else "")
    return {"LD_PRELOAD": str(library()), "FURROW_SHIM_FAIL": told, "FURROW_SHIM_MARK": str(mark)}


def crashing(call: str, part: str, at: int, side: str, mark: Path) -> dict[str, str]:
    return {"LD_PRELOAD": str(library()), "FURROW_SHIM_CRASH": f"{call}:{part}:{at}:{side}",
            "FURROW_SHIM_MARK": str(mark)}


def hanging(what: str, file: Path) -> dict[str, str]:
    """Makes the main thread hang while the file exists: in its `loop`, or in a `sync`."""
    return {"LD_PRELOAD": str(library()), "FURROW_SHIM_HANG": f"{what}:{file}"}


class ShiftedClock:
    """The clocks of a process, which a test can shift."""

    def __init__(self, folder: Path):
        self.path = folder / "clock"
        self.set(0)
        os.chmod(self.path, 0o644)

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(library()), "FURROW_SHIM_CLOCK": str(self.path)}

    def set(self, wall: float, monotonic: float = 0) -> None:
        """Sets the seconds that are added from now on."""
        self.path.touch()
        with open(self.path, "r+b") as file:
            file.write(struct.pack("=qq", int(wall * 1_000_000), int(monotonic * 1_000_000)))
