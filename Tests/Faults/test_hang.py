"""F41: a service hangs. Its watchdog ends it, its parent ends one that is stopped as a whole, and after five such ends
it stays down and reports so. A process that was only suspended continues.
"""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from alone import Alone
from client import Client, until
from desk import Adverts
from farm import PROGRAMS, answers_yes, demoted, free_port, is_alive
from shim import hanging

#: The seconds without progress after which these tests have a process ended; the default is 30.
SECONDS = 4
HUNG = 79
SHORT = {"FURROW_HANG_SECONDS": str(SECONDS)}


@pytest.fixture
def switch(tmp_path_factory) -> Path:
    """Returns the path of a file whose presence makes a process hang."""
    folder = tmp_path_factory.mktemp("hang")
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(0o755)
    return folder / "hangs"


def last_line(store: Alone) -> dict:
    return [json.loads(line) for line in store.log.read_text().splitlines() if line.startswith("{")][-1]


def test_a_service_whose_loop_hangs_ends_itself_and_reports_why(ingest, switch, table):
    store = ingest().start(SHORT | hanging("loop", switch))
    began = time.monotonic()
    switch.touch()
    code = store.process.wait(60)
    took = time.monotonic() - began
    assert code == HUNG, (code, store.words)
    # The last progress that the watchdog has seen is up to a second old.
    assert SECONDS - 1 <= took <= SECONDS + 15
    said = last_line(store)
    assert said["level"] == "error" and said["message"] == "hung: ending" and "its loop made no turn" in said["reason"]
    switch.unlink()
    store.start(SHORT)
    table.add("F41", "a loop that hangs", 1, None, f"ended after {took:.1f} s with status {HUNG}, then started again")


def test_a_slow_sync_is_no_hang_within_its_own_bound(ingest, switch, ending):
    store = ingest().start(SHORT | hanging("sync", switch))
    asker = ending(store.asker(Adverts())).start()
    until(lambda: len(asker.acknowledged) >= 10, 20, "acknowledged reports")
    switch.touch()
    # It hangs in a sync: longer than the limit of a turn, shorter than that of a sync.
    with pytest.raises(subprocess.TimeoutExpired):
        store.process.wait(3 * SECONDS)
    switch.unlink()
    before = len(asker.acknowledged)
    until(lambda: len(asker.acknowledged) > before + 10, 20, "more acknowledged reports")
    asker.stop()
    assert store.process.poll() is None


def test_a_suspended_process_is_not_ended_when_it_continues(ingest):
    store = ingest().start(SHORT)
    for _ in range(3):
        store.process.send_signal(signal.SIGSTOP)
        time.sleep(SECONDS + 2)
        store.process.send_signal(signal.SIGCONT)
        until(store.is_up, 10, "the process to continue")
    time.sleep(SECONDS)
    assert store.is_up() and "hung" not in store.words


def test_a_service_that_is_stopped_as_a_whole_is_started_again(own_farm, table):
    farm = own_farm(environment=SHORT).start()
    market = "catalog-orders/farm-0"
    pid = farm.pid(market)
    began = time.monotonic()
    os.kill(pid, signal.SIGSTOP)
    until(lambda: not is_alive(pid) and farm.pid(market) != pid and farm.ready(market), 60, f"{market} again")
    took = time.monotonic() - began
    # The last heartbeat is up to a second old.
    assert took >= SECONDS - 1.5
    assert f"{market} hung" in farm.said.read_text()
    table.add("F41", "a service that is stopped (SIGSTOP)", 1, None, f"ready again after {took:.1f} s")

    # If the supervisor and all services are suspended together, none is ended.
    pids = [service["pid"] for service in farm.services.values()]
    everything = [farm.process.pid, *pids]
    for one in everything:
        os.kill(one, signal.SIGSTOP)
    time.sleep(15)
    for one in reversed(everything):
        os.kill(one, signal.SIGCONT)
    time.sleep(3)
    assert [service["pid"] for service in farm.services.values()] == pids and all(map(is_alive, pids))
    assert all(farm.ready(origin) for origin in farm.services)


def test_a_service_that_hangs_five_times_stays_down_and_reports_so(own_farm, table):
    farm = own_farm(environment=SHORT).start()
    market = "catalog-orders/farm-0"
    for _ in range(5):
        pid = farm.pid(market)
        os.kill(pid, signal.SIGSTOP)
        until(lambda pid=pid: farm.pid(market) != pid and is_alive(farm.pid(market)), 60, f"{market} ended")
    until(lambda: "stays down" in (farm.home / "logs" / "catalog-orders-0.log").read_text(), 20, "the last start")
    port = int(farm.services[market]["ops"].rsplit(":", 1)[1])
    until(lambda: not answers_yes(port), 5, "not ready")
    report = Client(port).call("GET", "/readyz").json
    assert report["checks"]["watchdog"]["status"] == "down" and "hung 5 times" in report["checks"]["watchdog"]["detail"]
    assert f"{market} stays down" in farm.said.read_text()

    status = farm.furrow("status", check=False)
    assert status.returncode == 1
    assert b"watchdog: it hung 5 times within 10 minutes" in status.stdout, status.stdout
    doctor = farm.furrow("doctor", check=False)
    assert doctor.returncode == 1 and f"{market} is not ready".encode() in doctor.stdout, doctor.stdout
    # It stays down: a process that is started after a kill reports the same.
    pid = farm.pid(market)
    os.kill(pid, signal.SIGKILL)
    until(lambda: farm.pid(market) != pid and is_alive(farm.pid(market)), 20, "a new process")
    until(lambda: b"stays down" in farm.furrow("status", check=False).stdout or
          b"hung 5 times" in farm.furrow("status", check=False).stdout, 20, "the same report")
    # The other services continue, and a restart of the farm server starts all of them.
    assert Client(farm.port).call("GET", "/").status == 200
    farm.stop()
    farm.start()
    assert farm.ready(market)
    table.add("F41", "a service that hangs five times in ten minutes", 5, None, "stays down and reports so")


def test_the_first_process_of_a_container_starts_a_service_again_that_hangs(ingest, switch, table):
    store = ingest()
    store.run.chmod(0o700)
    ops = free_port()
    words = [f"{name}={value}" for name, value in (SHORT | hanging("loop", switch)).items()]
    with open(store.log, "ab") as log:
        parent = subprocess.Popen(
            [*demoted(), "/usr/bin/env", *words, PROGRAMS / "furrow", "supervise", "sensor-ingest"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
            env=store.environment | {"FURROW_OPS_PORT": str(ops), "FURROW_HEARTBEAT_FOLDER": str(store.run)})
    store.process = parent

    def child() -> int:
        return int(Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()[0])

    until(lambda: answers_yes(ops), 30, "the service to be ready")
    # First a process that is stopped as a whole.
    first = child()
    os.kill(first, signal.SIGSTOP)
    until(lambda: not is_alive(first) and answers_yes(ops), 60, "a new process")
    assert parent.poll() is None and "sensor-ingest hung" in store.words
    # Any other end of the service ends the container with its status.
    os.kill(child(), signal.SIGKILL)
    assert parent.wait(20) == 128 + signal.SIGKILL
    table.add("F41", "a service in a container that is stopped (SIGSTOP)", 1, None, "started again by its parent")


def test_the_first_process_of_a_container_passes_a_stop_on(ingest):
    store = ingest()
    ops = free_port()
    with open(store.log, "ab") as log:
        store.process = subprocess.Popen(
            [*demoted(), PROGRAMS / "furrow", "supervise", "sensor-ingest"], stdin=subprocess.DEVNULL, stdout=log,
            stderr=log, cwd="/", start_new_session=True,
            env=store.environment | {"FURROW_OPS_PORT": str(ops), "FURROW_HEARTBEAT_FOLDER": str(store.run)})
    until(lambda: answers_yes(ops), 30, "the service to be ready")
    store.process.send_signal(signal.SIGTERM)
    assert store.process.wait(20) == 0
    assert '"stopped"' in store.words
