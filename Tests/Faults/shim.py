"""The library that stands between a program and the machine; compiled for the run of the tests."""

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
    """A store that does not wait for the disk where this is in a file's path: the harness has to catch it."""
    return {"LD_PRELOAD": str(library()), "FURROW_SHIM_LAX": part}


def failing(call: str, part: str, at: int, mark: Path, lies: bool = False) -> dict[str, str]:
    told = f"{call}:{part}:{at}" + (":lie" if lies else "")
    return {"LD_PRELOAD": str(library()), "FURROW_SHIM_FAIL": told, "FURROW_SHIM_MARK": str(mark)}


def crashing(call: str, part: str, at: int, side: str, mark: Path) -> dict[str, str]:
    return {"LD_PRELOAD": str(library()), "FURROW_SHIM_CRASH": f"{call}:{part}:{at}:{side}",
            "FURROW_SHIM_MARK": str(mark)}


def hanging(what: str, file: Path) -> dict[str, str]:
    """The main thread hangs while the file is there: in its `loop`, or in a `sync`."""
    return {"LD_PRELOAD": str(library()), "FURROW_SHIM_HANG": f"{what}:{file}"}


class ShiftedClock:
    """The clocks of a process, which a test can set."""

    def __init__(self, folder: Path):
        self.path = folder / "clock"
        self.set(0)
        os.chmod(self.path, 0o644)

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(library()), "FURROW_SHIM_CLOCK": str(self.path)}

    def set(self, wall: float, monotonic: float = 0) -> None:
        """Seconds that are added from now on."""
        self.path.touch()
        with open(self.path, "r+b") as file:
            file.write(struct.pack("=qq", int(wall * 1_000_000), int(monotonic * 1_000_000)))
