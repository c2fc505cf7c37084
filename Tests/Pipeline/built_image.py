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
    """Writes a folder that `docker build` can use: the Dockerfile, the programs, Swift's libraries, the pages."""
    programs, libraries = folder / "programs", folder / "libraries"
    programs.mkdir(parents=True)
    libraries.mkdir()
    for name in product_names():
        subprocess.run(["strip", "-o", programs / name, PROGRAMS / name], check=True)
        for library in swift_libraries(PROGRAMS / name):
            shutil.copy(library, libraries)
    shutil.copytree(ROOT / "Services/SyncGateway/Web", folder / "Services/SyncGateway/Web")
    (folder / "Dockerfile").write_text(without_compilation((ROOT / "deploy/Dockerfile").read_text()))


def swift_libraries(program: Path) -> list[Path]:
    """Returns the toolchain's libraries that a program loads; none if they are part of it, as the Dockerfile wants."""
    loaded = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    paths = [Path(path) for path in re.findall(r"=> (\S+) ", loaded)]
    folders = {path.parent for path in paths if path.name == "libswiftCore.so"}
    return [path for path in paths if path.parent in folders]


def product_names() -> list[str]:
    found = PRODUCTS.findall((ROOT / "Package.swift").read_text())
    names = [service or program for service, program in found]
    assert {"furrow", "sync-gateway", "sensor-ingest"} <= set(names), f"Package.swift is not understood: {names}"
    return names


def without_compilation(dockerfile: str) -> str:
    shorter, count = COMPILATION.subn("FROM debian:bookworm-slim AS build\nCOPY programs /programs\n", dockerfile)
    assert count == 1, "deploy/Dockerfile has no compilation that ends with its comment"
    return shorter + "COPY libraries/ /usr/lib/\n"
