"""The kill storm: services die at any moment under load, and nothing that was acknowledged is lost or told twice.

`FURROW_KILLS` says how often each service is killed (default: 25); after fifty kills a new farm goes on.
"""

import os
import statistics
from collections import Counter

import pytest
from client import until
from load import Load, check_hub, prepare

KILLS = int(os.environ.get("FURROW_KILLS", "25"))
#: Of one farm: its hub is read back whole, and audited, in little time.
KILLS_OF_A_FARM = 50
#: What is acknowledged between two kills, at least.
BETWEEN = 100


#: Who works, and whose acknowledgements count: those of the service that is killed.
CASES = {
    "sensor-ingest/farm-0": (2, 1, lambda told: len(told.reports)),
    "trace-ledger/farm-0": (1, 4, lambda told: len(told.activities) + len(told.lots)),
    "sync-gateway/farm-0": (2, 2, lambda told: told.count),
}


@pytest.mark.parametrize("origin", CASES)
def test_what_was_acknowledged_survives_every_kill_of(origin, own_farm):
    seconds, told = [], Counter()
    for done in range(0, KILLS, KILLS_OF_A_FARM):
        farm = own_farm()
        kills = min(KILLS_OF_A_FARM, KILLS - done)
        took, counts = storm(farm, origin, kills)
        assert len(took) == kills and sum(counts.values()) >= BETWEEN * (kills + 1)
        farm.destroy()
        seconds += took
        told.update(counts)
    most = sorted(seconds)[len(seconds) * 99 // 100]
    print(f"{origin}: {len(seconds)} kills, ready again after {statistics.median(seconds) * 1000:.0f} ms, "
          f"99 of 100 times within {most * 1000:.0f} ms, at most {max(seconds) * 1000:.0f} ms; "
          f"acknowledged and in the hub once: {dict(told)}")


def storm(farm, origin: str, kills: int) -> tuple[list[float], dict[str, int]]:
    """After how long it was ready again each time, and what was acknowledged and is in the hub once."""
    gateways, growers, counted = CASES[origin]
    farm.start()
    prepare(farm)
    load = Load(farm, gateways=gateways, growers=growers).start()
    seconds, pids = [], {farm.pid(origin)}

    def go_on() -> None:
        before = counted(load.acknowledged)
        until(lambda: counted(load.acknowledged) >= before + BETWEEN or load.failures, 90, f"{BETWEEN} acknowledged")
        load.check()

    for _ in range(kills):
        go_on()
        seconds.append(farm.kill(origin))
        until(lambda: farm.pid(origin) not in pids, 10, "run.json to name the new process")
        pids.add(farm.pid(origin))
    go_on()
    acknowledged = load.stop()
    load.check()
    counts = check_hub(farm, acknowledged)
    farm.audited()
    assert len(pids) == kills + 1
    return seconds, counts
