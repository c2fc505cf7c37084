"""What an operator relies on: one farm server a home, clear words when it cannot run, nothing left when it is gone."""

import os
import signal
import subprocess

from client import Client, until
from farm import PROGRAMS, WEB, demoted, is_alive
from load import Load, check_hub, prepare


def refused(*words) -> str:
    """What `furrow run` says when it does not run."""
    done = subprocess.run(
        [*demoted(), PROGRAMS / "furrow", "run", "--web", WEB, *map(str, words)], capture_output=True, text=True,
        timeout=60, cwd="/")
    assert done.returncode == 3, f"{done.returncode} {done.stdout} {done.stderr}"
    return done.stderr.strip()


def test_a_home_in_use_and_a_taken_port_are_reported_in_one_sentence(own_farm):
    farm = own_farm().start()
    other = own_farm()
    other.prepare()
    held = refused("--home", farm.home, "--port", other.port)
    taken = refused("--home", other.home, "--port", farm.port)
    print(f"{held} | {taken}")
    assert str(farm.home) in held and len(held.splitlines()) == 1
    assert f"Port {farm.port} is taken" in taken and len(taken.splitlines()) == 1
    assert all(map(farm.ready, farm.services))


def test_a_new_set_up_link_replaces_the_old_one_until_there_is_an_administrator(own_farm):
    farm = own_farm().start()
    told = farm.said.read_text().splitlines()
    assert len(told) <= 8 and sum("/setup#" in line for line in told) == 1, told
    old = farm.setup_token()
    link = farm.furrow("setup-link").stdout.decode().strip()
    person = {"name": "Ada Acker", "email": "ada@farm.test", "password": "correct horse battery"}
    new = link.split("#")[1]
    stale = Client(farm.port).call("POST", "/v1/setup", {"token": old} | person)
    made = Client(farm.port).call("POST", "/v1/setup", {"token": new} | person)
    assert (stale.status, made.status) == (410, 201), f"{stale} {made}"
    print(f"{len(told)} lines said; the old link {stale.status}, the new one {made.status}")
    again = farm.furrow("setup-link", check=False)
    assert again.returncode == 1 and b"administrator" in again.stderr
    assert farm.furrow("status").returncode == 0


def test_a_database_that_is_killed_again_and_again_costs_nothing_acknowledged(own_farm):
    farm = own_farm().start()
    prepare(farm)
    load = Load(farm, gateways=1, growers=2).start()
    kills = 3
    for _ in range(kills):
        before = len(load.acknowledged.activities)
        until(lambda: len(load.acknowledged.activities) >= before + 50 or load.failures, 90, "50 acknowledged")
        load.check()
        pid = farm.run_file["database"]
        os.kill(pid, signal.SIGKILL)
        until(lambda: farm.run_file["database"] != pid, 30, "another database")
    before = len(load.acknowledged.activities)
    until(lambda: len(load.acknowledged.activities) >= before + 50 or load.failures, 90, "50 acknowledged after it")
    acknowledged = load.stop()
    load.check()
    counts = check_hub(farm, acknowledged)
    farm.audited()
    ended = sum("ended" in line for line in farm.said.read_text().splitlines())
    print(f"{kills} kills of the database, {ended} restarts in all; acknowledged and in the hub once: {counts}")
    assert ended <= 2 * kills + 2, farm.said.read_text()


def test_a_home_that_takes_no_new_file_for_a_while_ends_nothing(own_farm):
    """As when its disk is full: what the supervisor itself writes has to wait."""
    farm = own_farm().start()
    pid = farm.run_file["services"]["recommender/farm-0"]["pid"]
    farm.home.chmod(0o500)
    try:
        os.kill(pid, signal.SIGKILL)
        until(lambda: "Could not write" in farm.said.read_text(), 20, "the supervisor to say that it cannot write")
        until(lambda: all(map(farm.ready, farm.services)), 30, "everybody to be ready again")
        assert farm.process.poll() is None and farm.run_file["services"]["recommender/farm-0"]["pid"] == pid
    finally:
        farm.home.chmod(0o700)
    until(lambda: farm.run_file["services"]["recommender/farm-0"]["pid"] != pid, 20, "run.json to be written after all")
    said = farm.said.read_text()
    assert said.count("Could not write") == 1, said


def test_a_killed_supervisor_ends_all_services_and_the_next_start_continues(own_farm):
    farm = own_farm(makes_cluster=True).start()
    prepare(farm)
    load = Load(farm, gateways=1, growers=1).start()
    until(lambda: load.count >= 200 or load.failures, 60, "200 acknowledged")
    farm.note_children()
    farm.process.kill()
    farm.process.wait()
    until(lambda: not any(map(is_alive, farm.children)), 20, "its processes to end")
    farm.start()
    before = load.count
    until(lambda: load.count >= before + 100 or load.failures, 60, "100 more acknowledged")
    acknowledged = load.stop()
    load.check()
    counts = check_hub(farm, acknowledged)
    farm.audited()
    print(f"{len(farm.children)} processes; acknowledged and in the hub once: {counts}")
