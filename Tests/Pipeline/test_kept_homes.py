"""Homes of older builds: this build opens each, finds every byte, proves the same log, and continues."""

import hashlib
import json
import sqlite3
import subprocess
from contextlib import closing

import pytest
from client import Client
from farm import Farm, hand_over, new_home
from keep_home import HOMES
from verify import verify_checkpoint, verify_label, verify_passport

KEPT = sorted(path.name.removesuffix(".tar.xz") for path in HOMES.glob("*.tar.xz"))


def test_there_is_a_home_of_the_first_build_with_a_whole_story():
    print(f"homes kept: {', '.join(KEPT)}")
    assert "first" in KEPT


@pytest.mark.parametrize("name", KEPT)
def test_a_home_of_an_older_build_is_opened_with_all_that_is_in_it(name, own_farm):
    told = json.loads((HOMES / f"{name}.json").read_text())
    farm: Farm = own_farm(home=unpacked(name))
    farm.start()
    farm.audited()
    hub = b"".join(farm.furrow("replay", "--origin", "hub", "--to", str(told["events"])).stdout.splitlines(True))
    assert hub.count(b"\n") == told["events"] and hashlib.sha256(hub).hexdigest() == told["sha256"]

    buyer = Client(farm.port)
    keys = buyer.get("/ledger/keys")
    labels = {verify_label(url, keys)[2] for url in told["labels"]}
    earlier = verify_checkpoint(told["checkpoint"], told["keys"])
    _, checkpoint = verify_passport(
        buyer.get("/v1/lots/TOM-1A/passport", since=earlier.size), keys, earlier)
    assert len(labels) == 24 and checkpoint.size >= earlier.size >= 0.9 * told["events"]

    grower = farm.sign_in()
    grower.make("POST", "/v1/plots/p1/activities", {"kind": "weeding", "happened": "2026-01-02T03:04:05Z"})
    farm.stop()
    farm.start()
    found = farm.audited()
    grown = sum(journal["events"] for journal in found["journals"] if journal["origin"] == "hub")
    print(f"{name}: {told['events']} events read back, {len(labels)} labels verified, {grown} in the hub now")
    assert grown > told["events"]


def test_a_home_of_a_newer_build_is_refused_with_the_reason(own_farm):
    home = unpacked("first")
    with closing(sqlite3.connect(home / "sensor-ingest" / "0" / "journal.db")) as database:
        database.execute("PRAGMA user_version = 999")
    farm: Farm = own_farm(home=home)
    with pytest.raises(AssertionError):
        farm.start()
    said = farm.said.read_text()
    assert farm.process.wait(20) == 3 and "a newer Furrow wrote it (format 999" in said, said


def unpacked(name: str):
    home = new_home()
    subprocess.run(["tar", "-C", home, "-xJf", HOMES / f"{name}.tar.xz"], check=True)
    hand_over(home)
    return home
