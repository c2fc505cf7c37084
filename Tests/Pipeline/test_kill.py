"""The kill storm: services die at any moment under load, and nothing that was acknowledged is lost or told twice.

`FURROW_KILLS` says how often each service is killed (default: 25).
"""

import os
import statistics

import pytest
from client import until
from load import Load, check_hub, prepare

KILLS = int(os.environ.get("FURROW_KILLS", "25"))
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
    gateways, growers, counted = CASES[origin]
    farm = own_farm().start()
    prepare(farm)
    load = Load(farm, gateways=gateways, growers=growers).start()
    seconds, pids = [], {farm.pid(origin)}

    def go_on() -> None:
        before = counted(load.acknowledged)
        until(lambda: counted(load.acknowledged) >= before + BETWEEN or load.failures, 90, f"{BETWEEN} acknowledged")
        load.check()

    for _ in range(KILLS):
        go_on()
        seconds.append(farm.kill(origin))
        until(lambda: farm.pid(origin) not in pids, 10, "run.json to name the new process")
        pids.add(farm.pid(origin))
    go_on()
    acknowledged = load.stop()
    load.check()
    counts = check_hub(farm, acknowledged)
    print(f"{origin}: {KILLS} kills, ready again after {statistics.median(seconds) * 1000:.0f} ms, "
          f"at most {max(seconds) * 1000:.0f} ms; acknowledged and in the hub once: {counts}")
    farm.audited()
    assert len(pids) == KILLS + 1 and sum(counts.values()) >= BETWEEN * (KILLS + 1)
    assert max(seconds) <= 2, f"{sorted(seconds)[-3:]}"
