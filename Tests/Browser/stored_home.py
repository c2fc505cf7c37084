"""Homes of stopped farm servers, built once a run. Each test works on a copy, which takes a fraction of a second."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from farm import Farm, new_home
from loma_farm import LomaFarm, Told
from loma_market import open_market, three_orders

#: Names the folder of the stored homes to the workers of a run.
VARIABLE = "FURROW_STORED_HOMES"


def new_folder() -> Path:
    """Makes the folder that all workers of this run share."""
    folder = Path(tempfile.mkdtemp(prefix="furrow-homes-"))
    folder.chmod(0o755)
    os.environ[VARIABLE] = str(folder)
    return folder


def first_day(farm: Farm) -> Told:
    """A server that nobody has claimed yet."""
    farm.start()
    farm.stop()
    return Told()


def season(farm: Farm) -> Told:
    """The farm near Ronda with its past."""
    return LomaFarm(farm).live()


def lots(farm: Farm) -> Told:
    """The same farm with lots of the last months, three a day, on both plots."""
    told = go_on(farm)
    make, newest = farm.client().make, datetime(2026, 7, 20, 9, 30, tzinfo=UTC)
    make("POST", "/v1/plots", {"farm": "loma", "plot": "north", "title": "North slope"})

    def harvest(number: int) -> None:
        make("POST", "/v1/lots", {
            "lot": f"N-{number:04}", "product": f"Beans {number % 3}" if number != 387 else "Beans of one day",
            "plot": ("north", "well")[number % 2], "grams": 480_000,
            "happened": (newest - timedelta(hours=8 * number)).strftime("%Y-%m-%dT%H:%M:%SZ")})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(harvest, range(400)))
    make("POST", "/v1/lots/N-0387/packings", {"boxes": 2, "gramsEach": 100})
    return told


def market(farm: Farm) -> Told:
    """The same farm in a directory of five, which sell seven products."""
    told = go_on(farm)
    open_market(farm.client())
    return told


def orders(farm: Farm) -> Told:
    """The same market, at which Bea has ordered three times and paid once."""
    told = go_on(farm, "--sandbox-pay")
    told.orders = three_orders(farm)
    return told


def go_on(farm: Farm, *words: str) -> Told:
    """Starts a farm server on a copy of a stored home; its administrator is signed in."""
    told = Told.load(farm.home.parent / "told.json")
    farm.token = told.sessions["administrator"]
    farm.words += words
    farm.start()
    return told


BUILDERS: dict[str, Callable[[Farm], Told]] = {
    "first-day": first_day, "season": season, "lots": lots, "market": market, "orders": orders}
#: The home that a builder goes on from.
BASES = {"lots": "season", "market": "season", "orders": "market"}


def stored(name: str) -> Path:
    """The folder of a stored home; builds it if no worker has done so yet."""
    folder = Path(os.environ[VARIABLE])
    done = folder / name
    with open(folder / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            build(name, done)
    return done


def build(name: str, done: Path) -> None:
    farm = Farm(home=new_copy(BASES[name]) if name in BASES else None)
    try:
        told = BUILDERS[name](farm)
        farm.stop()
        told.save(farm.home.parent / "told.json")
        # The space that services reserve: each start reserves it again.
        for ballast in farm.home.glob("*/*/ballast"):
            ballast.unlink()
        copy(farm.home.parent, done)
    finally:
        farm.destroy()


def copy(source: Path, target: Path) -> None:
    """Copies a folder with its owners; holes in files stay holes."""
    subprocess.run(["cp", "--archive", "--sparse=auto", "--reflink=auto", source, target], check=True)


def new_copy(name: str) -> Path:
    """Returns a home of its own for one farm server; `told.json` beside it has what its builder got to know."""
    source = stored(name)
    home = new_home()
    shutil.rmtree(home)
    copy(source / "home", home)
    # It names the ports of the last run, which other copies would take, too.
    (home / "ports.json").unlink(missing_ok=True)
    shutil.copy(source / "told.json", home.parent)
    return home
