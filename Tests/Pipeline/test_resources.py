"""The resources of a farm server on a small board when it rests after a load, and those of an audit: measured from
/proc.
"""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from client import until
from farm import PROGRAMS, demoted
from load import Load, prepare
from test_seals import is_sealed

EVENTS = int(os.environ.get("FURROW_EVENTS", "100000"))
#: The seconds of the measurement, and the limits of each service.
WATCHED, MEGABYTES, PERCENT = 60, 40, 1.0
#: The limit of an audit, however long the journals are: it takes half of it today, and one that holds a journal in
#: memory far more.
AUDIT_MEGABYTES = 60


@pytest.mark.nightly
def test_a_resting_service_takes_at_most_forty_megabytes_and_one_percent_of_a_core(own_farm):
    farm = own_farm().start()
    prepare(farm)
    load = Load(farm, gateways=3, growers=1, adverts=200).start()
    until(lambda: load.count >= EVENTS or load.failures, 900, f"{EVENTS} acknowledged", pause=1)
    load.stop()
    load.check()
    busy = {name: memory(service["pid"]) for name, service in farm.services.items()}
    until(lambda: head(farm) >= EVENTS, 120, "all of it in the hub", pause=1)
    # Sealing waits until there is nothing else to do, and is done then.
    until(lambda: is_sealed(farm), 120, "everything sealed that is complete", pause=1)
    # Rest: what is measured is a span of time in which nobody asks.
    rested = span(farm, WATCHED)
    for name, (megabytes, percent) in rested.items():
        print(f"{name}: {megabytes:.1f} MB at rest ({busy[name]:.1f} MB after {EVENTS} events), {percent:.2f} % of a "
              "core")
    assert len(rested) >= 3
    assert all(megabytes <= MEGABYTES for megabytes, _ in rested.values()), rested
    assert all(percent <= PERCENT for _, percent in rested.values()), rested
    events, megabytes = audited(farm)
    print(f"an audit of {events} entries took {megabytes:.1f} MB at most")
    assert events >= 2 * EVENTS and megabytes <= AUDIT_MEGABYTES


def audited(farm) -> tuple[int, float]:
    """How many entries an audit has found nothing wrong with, and the megabytes it took at most."""
    process = subprocess.Popen(
        [*demoted(), PROGRAMS / "furrow", "audit", "--json", "--home", farm.home], stdout=subprocess.PIPE, cwd="/")
    most = 0.0

    def has_ended() -> bool:
        nonlocal most
        most = max(most, memory(process.pid, "VmHWM:"))
        return process.poll() is not None

    until(has_ended, 600, "the audit to end", pause=0.02)
    found = json.loads(process.stdout.read())
    assert process.returncode == 0 and found["ok"], found
    return sum(journal["events"] for journal in found["journals"]), most


def head(farm) -> int:
    """The size of the log that is signed."""
    return int(farm.client().call("GET", "/ledger/checkpoint").body.decode().splitlines()[1])


def span(farm, seconds: float) -> dict[str, tuple[float, float]]:
    """Megabytes at the end and percent of one core over a span of time, of each service."""
    pids = {name: service["pid"] for name, service in farm.services.items()}
    before, began = {name: ticks(pid) for name, pid in pids.items()}, time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - began
    rate = os.sysconf("SC_CLK_TCK")
    return {name: (memory(pid), (ticks(pid) - before[name]) / rate / took * 100) for name, pid in pids.items()}


def memory(pid: int, which: str = "VmRSS:") -> float:
    """Resident megabytes (10^6 bytes): now, or `VmHWM:` at most."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(which):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])
