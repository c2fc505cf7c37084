"""The context of the services' image, with programs that were built on this machine instead of in the image.

It is the real Dockerfile but for the compilation: the toolchain, the packages for development and the build would
repeat for minutes what the tests' own release build has just done on the same system.
"""

import re
import shutil
import subprocess
from pathlib import Path

from farm import PROGRAMS, ROOT

#: The part of the Dockerfile that compiles, to the last line of its command.
COMPILATION = re.compile(r"^FROM swift:\S+ AS build\n.*?\n(?=# The compilation ends here)", re.DOTALL | re.MULTILINE)
#: The services in Package.swift, and the programs of operators, which have no keys.
PRODUCTS = re.compile(r'runs: "([a-z-]+)"|executableTarget\(\s*name: "(furrow[a-z-]*)"')


def write_context(folder: Path) -> None:
    """Writes a folder that `docker build` can use: the Dockerfile, the programs, the pages.

    Requires release programs with a static Swift library, as `deploy/test` builds them.
    """
    programs = folder / "programs"
    programs.mkdir(parents=True)
    for name in product_names():
        subprocess.run(["strip", "-o", programs / name, PROGRAMS / name], check=True)
    shutil.copytree(ROOT / "Services/SyncGateway/Web", folder / "Services/SyncGateway/Web")
    (folder / "Dockerfile").write_text(without_compilation((ROOT / "deploy/Dockerfile").read_text()))


def product_names() -> list[str]:
    found = PRODUCTS.findall((ROOT / "Package.swift").read_text())
    names = [service or program for service, program in found]
    assert {"furrow", "sync-gateway", "sensor-ingest"} <= set(names), f"Package.swift is not understood: {names}"
    return names


def without_compilation(dockerfile: str) -> str:
    shorter, count = COMPILATION.subn("FROM debian:bookworm-slim AS build\nCOPY programs /programs\n", dockerfile)
    assert count == 1, "deploy/Dockerfile has no compilation that ends with its comment"
    return shorter
