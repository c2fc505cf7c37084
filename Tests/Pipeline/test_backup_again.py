"""A second backup shares what did not change with the first, and a backup is restored for a test."""

import json
import os
import shutil
import uuid
from pathlib import Path

import pytest
from farm import IS_ROOT, run_folder
from load import prepare
from test_backup import backed_up, farm_of
from test_photographs import jpeg

PICTURES, ORDERS, BATCH = 6, 30_000, 200
#: As in `Console/HubTableFiles`.
FILE_BYTES = 8 << 20


@pytest.fixture
def grower(own_farm):
    farm = own_farm().start()
    prepare(farm)
    for number in range(PICTURES):
        answer = farm.client(farm.token).call("POST", "/v1/media", jpeg(400 + number, 300))
        assert answer.status == 201, answer
    return farm


def files(folder: str, pattern: str) -> dict[str, os.stat_result]:
    return {path.name: path.stat() for path in Path(folder).glob(pattern)}


def media(folder: str) -> dict[str, os.stat_result]:
    return files(folder, "media/*/*/*")


def test_a_second_backup_shares_what_did_not_change_and_stands_alone(grower, own_farm):
    first, second = backed_up(grower), backed_up(grower)
    before, after = media(first["set"]), media(second["set"])
    assert len(before) >= PICTURES and before.keys() == after.keys()
    assert all(before[name].st_ino == after[name].st_ino for name in before)
    assert first["newBytes"] == first["bytes"]
    shared = second["bytes"] - second["newBytes"]
    assert shared >= sum(one.st_size for one in before.values())
    # Only the second set remains.
    for folder in (first["set"], first["vault"]):
        shutil.rmtree(folder)
    other = farm_of(second, grower, own_farm)
    found = [one for one in (other.home / "sync-gateway").glob("**/media/*") if one.is_file()]
    assert len(found) >= PICTURES
    print(f"{len(before)} pictures shared; {second['newBytes']} of {second['bytes']} bytes are new")


def test_a_hub_of_several_files_is_shared_but_for_its_last_ones_and_restored(grower, own_farm):
    client = grower.client(grower.token)
    client.make("POST", "/v1/products", {"product": "beans", "farm": "sonnhof", "title": "Beans", "unit": "box"})

    buyers = [str(uuid.uuid5(uuid.NAMESPACE_URL, f"buyer {number}")) for number in range(50)]

    def bring(name: str, count: int) -> None:
        for start in range(0, count, BATCH):
            client.make("POST", "/v1/orders/imports", {"orders": [
                {"order": f"{name}-{number}", "buyer": buyers[number % 50], "placed": "2026-01-01T10:00:00Z",
                 "lines": [{"product": "beans", "quantity": 1}]} for number in range(start, start + BATCH)]})

    bring("old", ORDERS)
    first = backed_up(grower)
    bring("new", BATCH)
    second = backed_up(grower)
    before, after = files(first["set"], "hub/entry*"), files(second["set"], "hub/entry*")
    whole = [name for name, about in before.items() if about.st_size == FILE_BYTES]
    assert len(whole) >= 2, before
    assert all(before[name].st_ino == after[name].st_ino for name in whole)
    assert second["newBytes"] < second["bytes"] - FILE_BYTES
    restarted = farm_of(second, grower, own_farm)
    names = {event["data"]["order"] for event in restarted.replay() if event["type"].endswith(".order-imported.v1")}
    assert len(names) == ORDERS + BATCH
    print(f"{len(whole)} of {len(after)} files of the hub shared; {second['newBytes']} of {second['bytes']} bytes are "
          f"new; {len(names)} orders restored")


def test_a_damaged_file_of_the_backup_before_is_not_taken_over(grower):
    first = backed_up(grower)
    victim = next(Path(first["set"]).glob("media/*/*/*"))
    damaged = bytearray(victim.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    victim.chmod(0o600)
    victim.write_bytes(damaged)
    second = backed_up(grower)
    assert media(first["set"])[victim.name].st_ino != media(second["set"])[victim.name].st_ino
    assert second["newBytes"] == second["bytes"], "after damage, everything is copied"
    assert grower.furrow("restore", second["set"], "--check").returncode == 0


def record(farm) -> dict:
    return json.loads((farm.home / "backup.json").read_text())


def test_a_backup_is_restored_for_a_test_once_a_week(grower):
    done = grower.furrow("backup", "--test-restore", seconds=300)
    events = len(grower.replay())
    said = done.stdout.decode()
    assert "Restored for a test and removed again" in said, done
    counted = int(said.split("removed again: ")[1].split()[0])
    assert 10 <= counted <= events + 1, (said, events)
    first = record(grower)
    assert first["restored"] and "restoreFault" not in first
    assert not (grower.home / "restore-test").exists(), "the scratch home remains"
    # The next night is within the week.
    again = grower.furrow("backup", "--test-restore", seconds=300)
    assert b"Restored for a test" not in again.stdout
    assert record(grower)["restored"] == first["restored"]
    assert b"restored in a test" in grower.furrow("status").stdout
    print(f"{counted} events of the hub read from a scratch home")


@pytest.mark.skipif(not IS_ROOT, reason="SKIPPED: needs root, to close a folder to the farm server's user")
def test_a_restore_that_fails_in_a_test_is_reported_and_tried_again_the_next_night(grower):
    # The scratch database cannot make its socket here.
    closed = run_folder(grower.home / "restore-test")
    closed.mkdir(mode=0o700)
    try:
        done = grower.furrow("backup", "--test-restore", seconds=300, check=False)
    finally:
        closed.rmdir()
    assert done.returncode == 1 and b"could not be restored in a test" in done.stderr, done
    failed = record(grower)
    assert failed["restoreFault"] and "restored" not in failed and "why" not in failed
    (finding,) = [one for one in json.loads(grower.furrow("doctor", "--json", check=False).stdout)["checks"]
                  if one["check"] == "backup"]
    assert finding["state"] == "act" and "could not be restored in a test" in finding["said"], finding
    grower.furrow("backup", "--test-restore", seconds=300)
    assert record(grower)["restored"] and "restoreFault" not in record(grower)
