"""A coordinator that is unplugged in the middle of a frame and returns, with its network not started."""

import shutil
import tempfile
from pathlib import Path

from client import until
from coordinator import FakeCoordinator, incoming
from load import MEASURED


def test_a_coordinator_that_returns_is_started_again(own_farm):
    folder = Path(tempfile.mkdtemp(prefix="furrow-replug-"))
    folder.chmod(0o755)
    line = folder / "ttyUSB0"
    coordinator = FakeCoordinator()
    line.symlink_to(coordinator.path)
    try:
        farm = own_farm(environment={"FURROW_SOURCES": f"znp:{line}"}).start()

        def measured() -> list[float]:
            return [event["data"]["readings"][0]["value"] for event in farm.replay() if event["type"] == MEASURED]

        told = []
        for celsius in range(10, 15):
            assert coordinator.subscribed.wait(20), "the driver never started this coordinator"
            node = coordinator.node(1)
            coordinator.announce(node)
            coordinator.report(node, temperature=celsius)
            told.append(celsius)
            until(lambda: measured() == told, 20, f"{celsius} °C")
            coordinator.write(incoming(node, 1, 240, bytes(12))[:9])
            coordinator.close()
            line.unlink()
            coordinator = FakeCoordinator()
            line.symlink_to(coordinator.path)
        print(f"replug: {len(told)} reports of a coordinator that was unplugged after each")
    finally:
        coordinator.close()
        shutil.rmtree(folder, ignore_errors=True)
