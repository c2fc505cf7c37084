"""F31, F37: an orderly stop under load, and a second instance where only one may run."""

import signal
import subprocess
import time

import pytest
from client import Client, until
from desk import Activities, Adverts
from farm import PROGRAMS, demoted, free_port
from table import times
from volume import wait_gone


def stop_and_go(store, asker, signals: int) -> float:
    """Stops the process under load; returns the seconds that it took."""
    before = len(asker.acknowledged)
    asker.start()
    until(lambda: len(asker.acknowledged) >= before + 50 or asker.refused, 20, "50 acknowledged", pause=0.002)
    began = time.monotonic()
    for _ in range(signals):
        store.process.send_signal(signal.SIGTERM)
    code = wait_gone(store.process)
    took = time.monotonic() - began
    assert code == 0, f"ended with {code}: {store.words}"
    asker.stop()
    return took


@pytest.mark.parametrize("signals", [1, 2])
def test_an_ingest_process_that_is_stopped_under_load_loses_nothing(signals, ingest, ending, table):
    store = ingest()
    asker = ending(store.asker(Adverts()))
    stops, slowest = times(10, 100), 0.0
    for _ in range(stops):
        store.start()
        slowest = max(slowest, stop_and_go(store, asker, signals))
    store.start()
    tally, _ = store.tally(asker)
    table.add("F31", f"SIGTERM {'twice' if signals == 2 else 'once'} to sensor-ingest under load", stops, tally,
              f"gone after at most {slowest:.2f} s")
    tally.check()
    assert tally.acknowledged >= 50 * stops, tally
    assert slowest <= 10


def test_a_ledger_that_is_stopped_under_load_loses_nothing(ledger, ending, table):
    store = ledger()
    asker = ending(store.asker(Activities()))
    stops, slowest = times(5, 100), 0.0
    for _ in range(stops):
        store.start_database()
        store.start()
        slowest = max(slowest, stop_and_go(store, asker, 1))
        store.database.send_signal(signal.SIGINT)
        wait_gone(store.database)
    store.start_database()
    store.start()
    tally, _ = store.tally(asker)
    table.add("F31", "SIGTERM to trace-ledger under load", stops, tally, f"gone after at most {slowest:.2f} s")
    tally.check()
    assert tally.acknowledged >= 50 * stops, tally
    assert slowest <= 10


def test_a_second_instance_is_refused_and_the_first_notices_nothing(ingest, own_farm, ending, table):
    store = ingest().start()
    asker = ending(store.asker(Adverts())).start()
    until(lambda: len(asker.acknowledged) >= 50, 20, "50 acknowledged")
    # A second process of a slot waits for the first one, then reports which process holds the slot.
    second = store.begin()
    assert wait_gone(second, 30) == 2, store.words
    assert "held by another process" in store.words
    before = len(asker.acknowledged)
    until(lambda: len(asker.acknowledged) >= before + 50, 20, "the first to continue responding")
    asker.stop()
    tally, _ = store.tally(asker)
    tally.check()
    # The lock ends with the process, however that ended: the next one starts at once.
    store.process.kill()
    store.reap()
    began = time.monotonic()
    store.start()
    took = time.monotonic() - began
    farm = own_farm().start()
    farm.claim()
    began = time.monotonic()
    done = subprocess.run(
        [*demoted(), PROGRAMS / "furrow", "run", "--home", farm.home, "--port", str(free_port())],
        capture_output=True, text=True, timeout=30, cwd="/")
    refused = time.monotonic() - began
    assert done.returncode == 3 and "is running" in done.stderr, (done.returncode, done.stderr)
    assert Client(farm.port, farm.token).call("GET", "/v1/farms").status == 200
    table.add("F37", "a second sensor-ingest on the slot, a second farm server on the home", 2, tally,
              f"farm server refused after {refused:.2f} s; after kill -9 the next is ready in {took:.2f} s")
