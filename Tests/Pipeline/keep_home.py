"""Stores the home of this build as a fixture, so that every later build is tested with it: `keep_home.py NAME`.

Writes `Tests/Fixtures/Homes/NAME.tar.xz` (the whole home of a stopped farm server, including its database) and
`NAME.json` (what was known of it from outside). All data in it is fictitious, and its keys are used nowhere else.
"""

import hashlib
import json
import subprocess
import sys

from client import Client
from coordinator import FakeCoordinator
from farm import ROOT, Farm
from market import Crowd, put_up_for_sale, sign_up
from story import Story

HOMES = ROOT / "Tests" / "Fixtures" / "Homes"


def keep(name: str) -> None:
    coordinator = FakeCoordinator()
    farm = Farm(environment={"FURROW_SOURCES": coordinator.source})
    try:
        farm.start()
        story = Story(farm, coordinator, farm.claim()).live()
        sell(farm, story.client)
        story.client.get("/v1/lots/TOM-1A/passport")
        farm.audited()
        hub = farm.furrow("replay", "--origin", "hub").stdout
        told = {
            "events": hub.count(b"\n"), "sha256": hashlib.sha256(hub).hexdigest(),
            "labels": [label["url"] for label in story.told["labels"]["labels"]],
            "keys": story.client.get("/ledger/keys"),
            "checkpoint": story.client.call("GET", "/ledger/checkpoint").body.decode(),
        }
        farm.stop()
        # Logs of a run are not part of its data.
        subprocess.run(
            ["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--exclude=./logs/*",
             "--exclude=ballast", "-C", farm.home,
             "-cf", farm.home.parent / "home.tar", "."], check=True)
        packed = subprocess.run(
            ["xz", "-9e", "--stdout", farm.home.parent / "home.tar"], check=True, stdout=subprocess.PIPE).stdout
        HOMES.mkdir(exist_ok=True)
        (HOMES / f"{name}.tar.xz").write_bytes(packed)
        (HOMES / f"{name}.json").write_text(json.dumps(told, indent=1) + "\n")
        print(f"{told['events']} events in {len(packed)} bytes")
    finally:
        farm.destroy()
        coordinator.close()


def sell(farm: Farm, staff: Client) -> None:
    """Places three orders; one is collected and one cancelled."""
    put_up_for_sale(staff, boxes=5)
    buyer = Client(farm.port, sign_up(farm, 1))
    orders = [buyer.make("POST", "/v1/orders", Crowd.wish())["order"] for _ in range(3)]
    staff.make("POST", f"/v1/sales/{orders[0]}/collections")
    buyer.make("POST", f"/v1/orders/{orders[1]}/cancellations")


if __name__ == "__main__":
    keep(sys.argv[1])
