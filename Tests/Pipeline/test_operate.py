"""The operator's commands for a farm server that runs, has a problem, or is stopped."""

import json
import os
import signal
import subprocess
import uuid

from client import Client, until
from farm import ADMINISTRATOR, PROGRAMS, demoted


def test_status_doctor_and_logs_show_the_state_and_advice(own_farm):
    farm = own_farm(makes_cluster=True).start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    until(lambda: json.loads(farm.furrow("status", "--json").stdout)["hub"] > 0, 20, "the hub to have events")
    status = json.loads(farm.furrow("status", "--json").stdout)
    assert status["ok"] and status["parked"] == status["waiting"] == 0 and status["diskFree"] > 0 and status["backup"] == {}
    assert {one["state"] for one in status["services"].values()} == {"ok"} and len(status["services"]) >= 3
    until(lambda: behind(farm) == 0, 20, "everything to arrive")
    said = farm.furrow("status").stdout.decode()
    assert "never; make one with: furrow backup" in said and farm.run_file["http"] in said

    # A farm without a backup needs one at once; with one it is well.
    code, checks = doctor(farm)
    assert code == 1 and checks["backup"]["state"] == "act" and "furrow backup" in checks["backup"]["advice"]
    assert {"running", "postgres", "door", "journals", "parked", "certificate", "address", "disk", "backup", "clock",
            "permissions"} <= set(checks), sorted(checks)
    assert [name for name, one in checks.items() if one["state"] == "act"] == ["backup"]
    farm.furrow("backup")
    code, checks = doctor(farm)
    assert code == 0 and checks["backup"]["state"] == "mind" and "same disk" in checks["backup"]["said"]
    assert "ago" in farm.furrow("status").stdout.decode()

    # The page for administrators shows the same.
    page = client.get("/v1/operations")
    assert page["backup"]["path"].startswith(str(farm.home)) and page["parked"] == 0 and page["hub"] >= status["hub"]
    assert {one["origin"] for one in page["services"]} <= set(status["services"])
    assert {one["state"] for one in page["services"]} == {"ok"}

    # A suspended service is reported by every command, and in time.
    os.kill(farm.pid("trace-ledger/farm-0"), signal.SIGSTOP)
    try:
        code, checks = doctor(farm)
        assert code == 1 and "trace-ledger/farm-0 does not respond" in str(checks["running"])
        assert farm.furrow("status", check=False).returncode == 1
        ill = client.get("/v1/operations")
        states = {one["origin"]: one["state"] for one in ill["services"]}
        assert states["trace-ledger/farm-0"] == "silent" and "hub" not in ill, ill
    finally:
        os.kill(farm.pid("trace-ledger/farm-0"), signal.SIGCONT)
    (farm.home / "logs").chmod(0o755)
    farm.home.chmod(0o755)
    _, checks = doctor(farm)
    assert checks["permissions"]["state"] == "act" and "chmod" in checks["permissions"]["advice"]
    farm.home.chmod(0o700)

    lines = [json.loads(line) for line in farm.furrow("logs", "sync-gateway", "--json").stdout.splitlines()]
    assert any(line["message"] == "ready" for line in lines) and {line["service"] for line in lines} == {"sync-gateway"}
    all_lines = farm.furrow("logs", "--lines", "100000").stdout.decode().splitlines()
    assert {line.split("  ")[1] for line in all_lines} >= {"sync-gateway-0", "trace-ledger-0", "sensor-ingest-0"}
    # The output of initdb has no time, so it comes first.
    times = [line[:19].strip() for line in all_lines if line[:1] != " "]
    assert times == sorted(times) and len(times) >= 5
    assert farm.furrow("logs", "--since", "1s", "--lines", "5").returncode == 0
    unknown = farm.furrow("logs", "nobody", check=False)
    assert unknown.returncode == 3 and b"there is: " in unknown.stderr
    following = subprocess.Popen(
        [*demoted(), PROGRAMS / "furrow", "logs", "sync-gateway", "--follow", "--home", farm.home], cwd="/",
        stdout=subprocess.PIPE)
    assert b"ready" in following.stdout.readline()
    farm.kill("sync-gateway/farm-0")
    assert b"ready" in following.stdout.readline()
    following.kill()
    following.wait()

    farm.stop()
    code, checks = doctor(farm)
    assert code == 1 and "No farm server is running" in checks["running"]["said"] and checks["disk"]["state"] == "ok"
    assert farm.furrow("status", check=False).returncode == 3
    for words in (["doctor", "--nonsense"], ["logs", "--lines", "x"], ["restore"], ["backup", "--to", "here"]):
        assert farm.furrow(*words, check=False).returncode == 2, words
    print(f"{len(checks)} checks, {len(all_lines)} lines of logs")


def test_a_support_bundle_contains_technical_details_and_no_secret(own_farm):
    mark = uuid.uuid4().hex
    person = {"name": f"Name{mark}", "email": f"mail{mark}@farm.test", "password": f"Pass-{mark}"}
    farm = own_farm(environment={"FURROW_OTHER_SECRET": f"Other{mark}"})
    farm.start()
    setup = farm.setup_token()
    token = farm.claim(person).token
    wrong = Client(farm.port).call("POST", "/v1/sessions", {"email": person["email"], "password": f"Wrong{mark}"})
    assert wrong.status == 401
    # Secrets that should never be logged, in lines of the database, of a crash, and of a foreign program.
    with open(farm.home / "logs" / "sync-gateway-0.log", "a") as log:
        log.write(f'{{"time":"2099-01-01T00:00:00.000Z","level":"error","message":"x","token":"{token}"}}\n')
        log.write(f"crashed with password={person['password']} of {person['email']} at /setup#{setup}\n")
        log.write(f"Authorization: Bearer {token}\n")
    done = subprocess.run(
        [*demoted(), PROGRAMS / "furrow", "support-bundle", "--json", "--home", farm.home], capture_output=True,
        timeout=120, cwd="/", env=os.environ | {"FURROW_OTHER_SECRET": f"Other{mark}"})
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    text = open(told["file"], encoding="utf-8").read()
    assert os.stat(told["file"]).st_mode & 0o077 == 0 and len(text.encode()) == told["bytes"] >= 5000
    canaries = [mark, setup, token, person["email"], person["password"], person["name"]]
    found = [canary for canary in canaries if canary.lower() in text.lower()]
    assert not found, f"{len(found)} of {len(canaries)} secrets are in the bundle"
    for part in ("== Doctor", "== Services", "== Log of sync-gateway-0", "== Log of postgres", "furrow_journal_head",
                 "trace-ledger/farm-0", "FURROW_OTHER_SECRET=", "crashed with", "PRETTY_NAME"):
        assert part in text, part
    print(f"{len(canaries)} canaries, none in {told['bytes']} bytes with {text.count(chr(10))} lines")


def behind(farm) -> int:
    services = json.loads(farm.furrow("status", "--json").stdout)["services"].values()
    return sum(one.get("lag", 0) + one.get("notInHub", 0) for one in services)


def doctor(farm) -> tuple[int, dict[str, dict]]:
    """Returns the exit code, and the findings by check; the worst one of each."""
    done = farm.furrow("doctor", "--json", check=False)
    assert done.stdout, done.stderr
    checks: dict[str, dict] = {}
    for one in json.loads(done.stdout)["checks"]:
        if one["check"] not in checks or one["state"] != "ok":
            checks[one["check"]] = one
        assert one["state"] == "ok" or one["advice"], one
    assert ADMINISTRATOR["email"] not in done.stdout.decode()
    return done.returncode, checks
