"""Database clusters for the new homes of tests: `initdb` takes a second of a processor, a copy a tenth."""

import atexit
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path


@functools.cache
def template(*within: str) -> Path:
    """Returns a cluster as `furrow run` creates it, made once by each process that runs tests."""
    folder = Path(tempfile.mkdtemp(prefix="furrow-cluster-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o777)
    subprocess.run(
        [*within, "/usr/lib/postgresql/15/bin/initdb", "-D", folder / "postgres", "--username=furrow", "--auth=trust",
         "--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions"],
        check=True, cwd="/", timeout=120, stdout=subprocess.DEVNULL)
    folder.chmod(0o755)
    return folder / "postgres"


def place(home: Path, *within: str) -> None:
    """Puts a cluster into an empty home; `within` are the words before a command that make it the owner's."""
    subprocess.run(["cp", "--archive", template(*within), home / "postgres"], check=True, cwd="/", timeout=60)
