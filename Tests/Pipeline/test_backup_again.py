"""A second backup shares what did not change with the first, and a backup is restored for a test."""

import json
import os
import shutil
from pathlib import Path

import pytest
from load import prepare
from test_backup import backed_up, restored
from test_photographs import jpeg

PICTURES = 6


@pytest.fixture
def grower(own_farm):
    farm = own_farm().start()
    prepare(farm)
    for number in range(PICTURES):
        answer = farm.client(farm.token).call("POST", "/v1/media", jpeg(400 + number, 300))
        assert answer.status == 201, answer
    return farm


def media(folder: str) -> dict[str, os.stat_result]:
    return {path.name: path.stat() for path in Path(folder).glob("media/*/*/*")}


def test_a_second_backup_shares_what_did_not_change_and_stands_alone(grower, own_farm):
    first, second = backed_up(grower), backed_up(grower)
    before, after = media(first["set"]), media(second["set"])
    assert len(before) >= PICTURES and before.keys() == after.keys()
    assert all(before[name].st_ino == after[name].st_ino for name in before)
    assert first["newBytes"] == first["bytes"]
    shared = second["bytes"] - second["newBytes"]
    assert shared >= sum(one.st_size for one in before.values())
    # Only the second set remains.
    for set_ in (first["set"], first["vault"]):
        shutil.rmtree(set_)
    other = own_farm()
    other.prepare()
    done = restored(second["set"], other.home)
    assert done.returncode == 0, done.stderr
    other.start()
    other.token = grower.token
    found = [one for one in (other.home / "sync-gateway").glob("**/media/*") if one.is_file()]
    assert len(found) >= PICTURES
    print(f"{len(before)} pictures shared; {second['newBytes']} of {second['bytes']} bytes are new")


def test_a_damaged_file_of_the_backup_before_is_not_taken_over(grower):
    first = backed_up(grower)
    name, victim = next((path.name, path) for path in Path(first["set"]).glob("media/*/*/*"))
    damaged = bytearray(victim.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    victim.chmod(0o600)
    victim.write_bytes(damaged)
    second = backed_up(grower)
    assert media(first["set"])[name].st_ino != media(second["set"])[name].st_ino
    assert second["newBytes"] == second["bytes"], "after damage, everything is copied"
    assert grower.furrow("restore", second["set"], "--check").returncode == 0


def test_a_backup_is_restored_for_a_test_once_a_week(grower):
    record = grower.home / "backup.json"
    done = grower.furrow("backup", "--test-restore", seconds=300)
    assert b"Restored for a test and removed again" in done.stdout, done
    first = json.loads(record.read_text())
    assert first["restored"] and "restoreFault" not in first
    backups = grower.home / "backups"
    assert not list(backups.glob("furrow-restore*")), "the scratch home remains"
    # The next night is within the week.
    again = grower.furrow("backup", "--test-restore", seconds=300)
    assert b"Restored for a test" not in again.stdout
    assert json.loads(record.read_text())["restored"] == first["restored"]
    status = grower.furrow("status").stdout
    assert b"restored in a test" in status, status
