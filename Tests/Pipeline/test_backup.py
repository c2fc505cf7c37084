"""A backup is made while everything runs, checked byte by byte before use, and restored into a home."""

import copy
import json
import os
import shutil
import sqlite3
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from client import Client, until
from farm import ADMINISTRATOR, IS_ROOT, PROGRAMS, USER, demoted
from load import Load, check_hub, prepare

SEED = int(os.environ.get("FURROW_SEED", "20261121"))
#: A map that the operator added.
MAP = '{"type":"FeatureCollection","features":[]}'
DAMAGES = int(os.environ.get("FURROW_DAMAGES", "100"))


def test_a_backup_under_load_restores_everything_acknowledged_before_it(own_farm):
    farm = own_farm(ingest=2).start()
    prepare(farm)
    load = Load(farm, gateways=2, growers=2).start()
    sets = []
    for _ in range(3):
        before = load.count
        until(lambda: load.count >= before + 150 or load.failures, 90, "150 more acknowledged")
        with load.lock:
            acknowledged = copy.deepcopy(load.acknowledged)
        sets.append((backed_up(farm), acknowledged))
    load.stop()
    load.check()
    intakes = sum(fits(made) for made, _ in sets)
    assert intakes >= 30, f"only {intakes} checkpoint events were checked against the hubs they name"
    made, acknowledged = sets[-1]
    assert made["hub"] > sets[0][0]["hub"] and len(made["journals"]) >= 3, made

    other = own_farm(ingest=2)
    other.prepare()
    done = restored(made["set"], other.home)
    assert done.returncode == 0, done.stderr
    again = restored(made["set"], other.home)
    assert again.returncode == 3 and b"not empty" in again.stderr, again
    other.start()
    other.token = farm.token
    counts = check_hub(other, acknowledged)
    found = other.audited()
    heads = {journal["origin"]: journal["head"] for journal in found["journals"]}
    for journal in made["journals"]:
        assert heads[journal["origin"]] > journal["head"], f"{journal} began no new epoch: {heads}"

    # Existing users can sign in, and work continues.
    client = other.sign_in(ADMINISTRATOR)
    assert client.get("/v1/me")["email"] == ADMINISTRATOR["email"]
    for turn in range(50):
        work = {"kind": "weeding", "amount": turn, "unit": "m2"}
        acknowledged.activities.append(client.make("POST", "/v1/plots/p1/activities", work)["activity"])
    lot = client.make("POST", "/v1/lots", {"lot": "AFTER-1", "product": "Beans", "plot": "p1", "grams": 1000})
    acknowledged.lots.append(lot["lot"])
    check_hub(other, acknowledged)
    other.audited()
    print(f"{len(sets)} backups under load, {made['bytes']} bytes in {made['seconds']:.1f} s; "
          f"restored, in the hub once: {counts}")


def test_every_single_damaged_byte_is_refused_with_file_and_offset_and_nothing_is_touched(own_farm):
    farm = own_farm().start()
    prepare(farm)
    load = Load(farm, gateways=1, growers=1).start()
    until(lambda: load.count >= 200 or load.failures, 60, "200 acknowledged")
    load.stop()
    made = backed_up(farm)
    farm.stop()
    files = []
    for folder in (made["set"], made["vault"]):
        for name, _, inside in os.walk(folder):
            files += [(folder, os.path.join(name, file)) for file in inside]
    sizes = [os.path.getsize(path) for _, path in files]
    target = own_farm()
    target.prepare()
    untouched = state(target.home)
    chance = SplitMix64(SEED)
    hit = set()
    print(f"seed {SEED}: {len(files)} files, {sum(sizes)} bytes")
    for turn in range(DAMAGES):
        # Every other time any file, however small; otherwise any byte.
        if turn % 2:
            number = chance.below(len(files))
            offset = chance.below(max(1, sizes[number]))
        else:
            offset = chance.below(sum(sizes))
            number = 0
            while offset >= sizes[number]:
                offset -= sizes[number]
                number += 1
        folder, path = files[number]
        if sizes[number] == 0:
            continue
        with open(path, "r+b") as file:
            file.seek(offset)
            was = file.read(1)[0]
            file.seek(offset)
            file.write(bytes([was ^ (1 + chance.below(255))]))
        try:
            done = restored(made["set"], target.home, "--json")
        finally:
            with open(path, "r+b") as file:
                file.seek(offset)
                file.write(bytes([was]))
        where = f"{path} at {offset}"
        assert done.returncode == 1, f"{where}: {done.returncode} {done.stderr}"
        told = json.loads(done.stdout)
        assert (told["ok"], told["set"], told["file"], told["offset"]) == (
            False, folder, os.path.relpath(path, folder), offset), f"{where}: {told}"
        assert f"{told['file']}, byte {offset}:".encode() in done.stderr, done.stderr
        assert state(target.home) == untouched, where
        hit.add(path)
    print(f"{DAMAGES} bytes in {len(hit)} files damaged, each refused with its file and offset")
    assert len(hit) >= 10
    whole = restored(made["set"], target.home, "--check")
    assert whole.returncode == 0 and state(target.home) == untouched, whole.stderr
    # A missing part is reported, too, and the facts alone can be restored on request.
    os.rename(made["vault"], made["vault"] + ".away")
    missing = restored(made["set"], target.home)
    assert missing.returncode == 3 and b"--without-vault" in missing.stderr, missing.stderr
    assert restored(made["set"], target.home, "--without-vault").returncode == 0
    target.start()
    target.audited()


def test_a_stopped_home_is_backed_up_and_a_killed_restore_starts_again(own_farm):
    farm = own_farm().start()
    prepare(farm)
    farm.stop()
    (farm.home / "maps").mkdir()
    (farm.home / "maps" / "own.geojson").write_text(MAP)
    (farm.home / "maps" / "notes.txt").write_text("Nothing of this is a map.")
    made = backed_up(farm)
    assert not (farm.home / "run.json").exists()
    target = own_farm()
    target.prepare()
    # There is nothing to back up yet, and nothing is left behind; the record of a failed backup is no farm either.
    failed = subprocess.run(
        [*demoted(), PROGRAMS / "furrow", "backup", "--home", target.home, "--to", target.home.parent / "none"], cwd="/",
        capture_output=True, timeout=60)
    assert failed.returncode == 3 and b"nothing to back up" in failed.stderr and os.listdir(target.home) == [], failed
    (target.home / "backup.json").write_text("{}")
    process = subprocess.Popen(
        [*demoted(), PROGRAMS / "furrow", "restore", made["set"], "--home", target.home], cwd="/",
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until((target.home / "restoring").exists, 30, "the restore to begin", pause=0.001)
    process.kill()
    process.wait()
    refused = subprocess.run(
        [*demoted(), PROGRAMS / "furrow", "run", "--home", target.home, "--port", str(target.port)], cwd="/",
        capture_output=True, timeout=30)
    assert refused.returncode == 3 and b"not finished" in refused.stderr, refused.stderr
    assert restored(made["set"], target.home).returncode == 0
    target.start()
    target.audited()
    assert Client(target.port).call("GET", "/assets/maps/own/own.geojson").body.decode() == MAP
    assert not (target.home / "backup.json").exists() and not (target.home / "maps" / "notes.txt").exists()
    status = json.loads((farm.home / "backup.json").read_text())
    assert status["path"] == made["set"] and status["bytes"] == made["bytes"]


@pytest.mark.skipif(not IS_ROOT, reason="SKIPPED root's own calls: this is not root")
def test_root_leaves_no_file_of_its_own_in_a_home(own_farm):
    farm = own_farm().start()
    prepare(farm)
    owner = farm.home.stat().st_uid
    done = subprocess.run([PROGRAMS / "furrow", "backup", "--json", "--home", farm.home], capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    target = own_farm(home=farm.home.parent / "another")
    # In the folder of backups, a set can be named by its name alone.
    backups, name = os.path.split(made["set"])
    restored_by_root = subprocess.run(
        [PROGRAMS / "furrow", "restore", name, "--home", target.home], cwd=backups, capture_output=True, timeout=300)
    assert restored_by_root.returncode == 0, restored_by_root.stderr
    looked = 0
    for home in (farm.home, target.home):
        assert home.stat().st_mode & 0o777 == 0o700
        for name, folders, files in os.walk(home):
            for inside in folders + files:
                looked += 1
                assert os.lstat(os.path.join(name, inside)).st_uid == owner, os.path.join(name, inside)
    farm.stop()
    target.start()
    target.audited()
    # Before the first one's folder is removed, in which it lives.
    target.stop()
    print(f"{looked} files and folders, all of them the farm's own user's")
    assert looked >= 1000


@pytest.mark.skipif(not IS_ROOT, reason="SKIPPED a disk's own folder: only root can make one")
def test_a_home_on_its_own_disk_is_backed_up_and_restored_and_failures_are_recorded(own_farm):
    farm, target = own_farm(), own_farm()
    for home in (farm.home, target.home):
        # As mkfs creates it: only root may enter.
        (home / "lost+found").mkdir(mode=0o700)
    program = shutil.copy(PROGRAMS / "furrow", farm.home.parent / "furrow")
    # As the farm's user, without read access elsewhere.
    as_user = [
        "setpriv", "--reuid", USER, "--regid", USER, "--init-groups", "--inh-caps", "-all", "--bounding-set", "-all"]

    def furrow(*words) -> subprocess.CompletedProcess:
        return subprocess.run([*as_user, program, *words], cwd="/", capture_output=True, timeout=300)

    farm.start()
    farm.claim()
    done = furrow("backup", "--json", "--home", farm.home)
    assert done.returncode == 0, done.stderr
    target.prepare()
    done = furrow("restore", json.loads(done.stdout)["set"], "--home", target.home)
    assert done.returncode == 0, done.stderr
    assert (target.home / "lost+found").is_dir()
    target.start()
    target.audited()
    # Anything else that cannot be read makes the backup fail, and the failure is reported.
    (farm.home / "closed").mkdir(mode=0o700)
    failed = furrow("backup", "--home", farm.home)
    assert failed.returncode == 3 and b"closed" in failed.stderr, failed
    record = json.loads((farm.home / "backup.json").read_text())
    assert record["failed"] and "closed" in record["why"], record


def fits(made: dict) -> int:
    """Checks every checkpoint event of a set's journals against the set's hub; returns their number."""
    lines = [json.loads(line) for line in open(os.path.join(made["set"], "manifest.jsonl"), encoding="utf-8")]
    hub = next(line["position"] for line in lines if "hub" in line)
    count = 0
    for line in lines:
        if "journal" not in line:
            continue
        journal = sqlite3.connect(f"file:{made['set']}/{line['file']}?immutable=1", uri=True)
        for (bytes_,) in journal.execute("SELECT bytes FROM entry"):
            event = json.loads(bytes_)
            if event["type"].endswith(".intake-taken.v1") and event["data"]["feed"] == "hub":
                assert event["data"]["last"] <= hub, f"{line['journal']} names an entry behind the hub's {hub}: {event}"
                count += 1
        journal.close()
    return count


def backed_up(farm) -> dict:
    done = farm.furrow("backup", "--json", seconds=300)
    return json.loads(done.stdout)


def farm_of(made: dict, farm, own_farm, **options):
    """Returns a running farm that was restored from a backup, with the administrator's session of the other one."""
    other = own_farm(**options)
    other.prepare()
    done = restored(made["set"], other.home)
    assert done.returncode == 0, done.stderr
    other.start()
    other.token = farm.token
    return other


def restored(folder: str, home, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [*demoted(), PROGRAMS / "furrow", "restore", folder, "--home", home, *words], capture_output=True, timeout=300,
        cwd="/")


def state(home) -> list:
    """Returns everything below a folder, with attributes that change when it is touched."""
    found = []
    for name, folders, files in os.walk(home):
        about = os.stat(name)
        found.append((name, sorted(folders), sorted(files), about.st_mtime_ns))
    return found


class SplitMix64:
    """The same pseudo-random numbers as the Swift tests' for the same seed."""

    def __init__(self, seed: int):
        self.state = seed & (2**64 - 1)

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & (2**64 - 1)
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        return self.next() % bound


def test_a_missed_night_is_made_up_for_by_the_supervisor_and_by_the_service_of_containers(own_farm):
    farm = own_farm().start()
    prepare(farm)

    def sets() -> list[str]:
        folder = farm.home / "backups"
        return sorted(path.name for path in folder.glob("furrow-*Z"))

    def missed() -> None:
        """The last backup was made yesterday, at noon."""
        record = json.loads((farm.home / "backup.json").read_text())
        yesterday = datetime.now(UTC) - timedelta(hours=27)
        record["made"] = yesterday.strftime("%Y-%m-%dT%H:%M:%S.000000Z")
        (farm.home / "backup.json").write_text(json.dumps(record))

    backed_up(farm)
    assert len(sets()) == 1
    missed()
    until(lambda: len(sets()) == 2, 60, "the supervisor to make up the night")
    until(lambda: "The nightly backup was made." in farm.said.read_text(), 30, "the supervisor to say so")
    # When another program makes them, as in containers
    farm.stop()
    farm.environment["FURROW_NIGHTLY_BACKUP"] = "off"
    farm.start()
    missed()
    nightly = subprocess.Popen([*demoted(), PROGRAMS / "furrow", "backup", "--nightly", "--keep", "2", "--home", farm.home],
                               stdout=subprocess.DEVNULL)
    try:
        newest = sets()[-1]
        until(lambda: len(sets()) == 2 and sets()[-1] > newest, 60, "the third backup, of which two remain")
    finally:
        nightly.terminate()
        assert nightly.wait(20) == 0
    made = json.loads((farm.home / "backup.json").read_text())
    assert made["path"].endswith(sets()[-1]) and "failed" not in made
    print(f"nightly backups: {len(sets())} sets remain of 3")
