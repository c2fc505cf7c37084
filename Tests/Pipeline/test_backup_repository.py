"""Encrypted copies of backups in a repository of restic, and a restore from it on another machine."""

import json
import os
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from client import until
from farm import IS_ROOT, demoted
from load import prepare
from test_backup import backed_up
from test_photographs import jpeg

RESTIC = "/usr/bin/restic"
CANARY = "Rosalind Canary"
ROSALIND = {"name": CANARY, "email": "rosalind@farm.test", "password": "battery staple 9"}

pytestmark = pytest.mark.skipif(not Path(RESTIC).exists(), reason="SKIPPED: restic is not installed")


@pytest.fixture
def grower(own_farm, monkeypatch, tmp_path):
    farm = own_farm().start()
    prepare(farm)
    farm.client(farm.token).make("POST", "/v1/accounts", ROSALIND | {"role": "grower"})
    assert farm.client(farm.token).call("POST", "/v1/media", jpeg(400, 300)).status == 201
    repository = Path(tmp_path) / "repository"
    repository.mkdir()
    owner = farm.home.stat()
    for folder in (tmp_path, repository):
        os.chown(folder, owner.st_uid, owner.st_gid) if IS_ROOT else None
    monkeypatch.setenv("FURROW_BACKUP_REPOSITORY", str(repository))
    said = farm.furrow("backup", "--create-repository").stdout.decode()
    assert "Write it on paper" in said, said
    password = (farm.home / "backup-password").read_text().strip()
    assert password in said and len(password) == 39 and (farm.home / "backup-password").stat().st_mode & 0o077 == 0
    farm.repository, farm.password = repository, password
    return farm


def record(farm) -> dict:
    return json.loads((farm.home / "backup.json").read_text())


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def snapshots(farm, tag: str) -> list[dict]:
    """As restic itself lists them."""
    out = subprocess.run(
        [RESTIC, "--no-cache", "snapshots", "--json", "--tag", tag], check=True, capture_output=True,
        env=os.environ | {"RESTIC_REPOSITORY": str(farm.repository), "RESTIC_PASSWORD": farm.password})
    return json.loads(out.stdout)


def test_backups_are_copied_encrypted_and_restored_on_another_machine(grower, own_farm, tmp_path):
    first = backed_up(grower)
    once = size(grower.repository)
    second = backed_up(grower)
    added = size(grower.repository) - once
    assert len(snapshots(grower, "vault")) == 2, "secrets remain for 29 days"
    facts = [one["paths"][0] for one in snapshots(grower, "facts")]
    assert facts == [second["set"]], "of one day, the last backup remains"
    assert added < second["bytes"] - second["newBytes"] / 2, "what is the same is stored once"
    assert record(grower)["copied"] and "copyFault" not in record(grower)
    assert b"copied into the repository" in grower.furrow("status").stdout
    read = 0
    for path in grower.repository.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            read += len(content)
            assert CANARY.encode() not in content and b"sonnhof" not in content, path
    assert read > 30_000
    # The other machine has the repository and the paper.
    paper = Path(tmp_path) / "paper"
    paper.write_text(grower.password + "\n")
    paper.chmod(0o644)
    heads = {event["id"] for event in grower.replay()}
    grower.stop()
    other = own_farm()
    done = other.furrow("restore", "latest", "--repository", str(grower.repository), "--password-file", str(paper),
                        seconds=300)
    assert done.returncode == 0, done
    assert not (other.home / "fetched").exists()
    other.start()
    assert heads <= {event["id"] for event in other.replay()}
    assert other.sign_in(ROSALIND).get("/v1/me")["name"] == CANARY
    print(f"{len(heads)} events restored; {read} bytes in the repository, of which the second backup added {added}; "
          f"the first set has {first['bytes']} bytes")


def test_secrets_of_more_than_29_days_ago_are_removed_with_their_data(grower, tmp_path):
    old = Path(tmp_path) / "old"
    old.mkdir(mode=0o755)
    (old / "canary").write_bytes(os.urandom(200_000))
    os.chmod(old / "canary", 0o644)
    for days, tag in ((40, "vault"), (10, "vault")):
        then = (datetime.now() - timedelta(days=days)).strftime("%Y-%m-%d %H:%M:%S")
        subprocess.run(
            [*demoted(), RESTIC, "--no-cache", "backup", "--host", "furrow", "--tag", tag, "--time", then,
             *([str(old)] if days == 40 else [RESTIC])], check=True, capture_output=True,
            env=os.environ | {"RESTIC_REPOSITORY": str(grower.repository), "RESTIC_PASSWORD": grower.password})
    before = size(grower.repository)
    backed_up(grower)
    days = sorted(datetime.fromisoformat(one["time"][:19]).date() for one in snapshots(grower, "vault"))
    assert len(days) == 2 and (datetime.now().date() - days[0]).days in (9, 10, 11), days
    gone = before - size(grower.repository)
    print(f"{gone} bytes less after the new backup; the file of 40 days ago had 200000")
    assert gone > 100_000


def test_a_copy_that_was_killed_does_not_hinder_the_next_one(grower):
    backed_up(grower)
    killed = subprocess.Popen(
        [*demoted(), RESTIC, "--no-cache", "backup", "--stdin"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        env=os.environ | {"RESTIC_REPOSITORY": str(grower.repository), "RESTIC_PASSWORD": grower.password})
    until(lambda: list((grower.repository / "locks").iterdir()), 30, "the lock")
    killed.kill()
    killed.wait()
    assert list((grower.repository / "locks").iterdir()), "it left its lock"
    backed_up(grower)
    assert "copyFault" not in record(grower)
    assert not list((grower.repository / "locks").iterdir())


def test_a_copy_that_fails_is_reported_and_the_backup_stays(grower):
    backed_up(grower)
    (grower.repository / "config").rename(grower.repository / "config.away")
    failed = grower.furrow("backup", check=False)
    assert failed.returncode == 1 and b"could not be copied into the repository: restic " in failed.stderr
    assert str(grower.repository).encode() not in failed.stderr
    assert "copyFault" in record(grower) and Path(record(grower)["path"]).is_dir()
    findings = json.loads(grower.furrow("doctor", "--json", check=False).stdout)["checks"]
    assert any("could not be copied" in one["said"] for one in findings if one["check"] == "backup"), findings
    (grower.repository / "config.away").rename(grower.repository / "config")
    backed_up(grower)
    assert "copyFault" not in record(grower)
