"""F45: journals in a cluster whose leaders are killed, paused and cut off. Everything acknowledged is there once, and
in order.
"""

import signal
import threading
import time
from contextlib import contextmanager

import pytest
from alone import Alone
from client import until
from desk import Adverts
from farm import new_home
from jetstream import Cluster, Node
from machines import Machines, has_namespaces, inside
from table import times
from volume import send

STREAM = "journal_sensor-ingest_farm-0"
#: Seconds in which a cluster that lost a machine must acknowledge again.
LONGEST = 10


class Pulse:
    """Measures the longest time without a new acknowledgement."""

    def __init__(self, asker):
        self.asker = asker
        self.longest = 0.0
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        count, since = 0, time.monotonic()
        while not self.ending.wait(0.02):
            now = time.monotonic()
            if len(self.asker.acknowledged) != count:
                count, since = len(self.asker.acknowledged), now
            self.longest = max(self.longest, now - since)

    def end(self) -> float:
        self.ending.set()
        self.thread.join(5)
        return self.longest


def more(asker, count: int = 50, seconds: float = 60) -> None:
    """Waits for new acknowledgements."""
    before = len(asker.acknowledged)
    until(lambda: len(asker.acknowledged) >= before + count or asker.refused, seconds, f"{count} acknowledgements",
          pause=0.005)


@contextmanager
def running(store: Alone, cluster: Cluster, asker):
    """Runs a store in a cluster under load."""
    store.start(cluster.settings)
    asker.start()
    more(asker)
    try:
        yield
    finally:
        asker.stop()


def test_a_cluster_keeps_what_it_acknowledged_while_its_leaders_are_killed(ingest, ending, table):
    cluster = ending(Cluster.here()).start()
    store = ingest()
    asker = ending(store.asker(Adverts()))
    kills = times(3, 100)
    with running(store, cluster, asker):
        pulse = Pulse(asker)
        for _ in range(kills):
            leader = cluster.lead(STREAM)
            leader.kill()
            more(asker)
            leader.start()
            cluster.wait_well()
            more(asker)
        longest = pulse.end()
    tally = store.tally(asker)[0]
    table.add("F45", "SIGKILL of the machine that leads a journal", kills, tally, f"longest wait {longest:.1f} s")
    tally.check(store.words)
    assert tally.acknowledged >= 100 * kills
    assert longest <= LONGEST


def test_a_cluster_keeps_what_it_acknowledged_while_its_leaders_are_paused(ingest, ending, table):
    cluster = ending(Cluster.here()).start()
    store = ingest()
    asker = ending(store.asker(Adverts()))
    pauses = times(2, 50)
    with running(store, cluster, asker):
        pulse = Pulse(asker)
        for _ in range(pauses):
            leader = cluster.lead(STREAM)
            send(leader.pid, signal.SIGSTOP)
            more(asker)
            # It wakes up and believes that it still leads.
            send(leader.pid, signal.SIGCONT)
            more(asker)
            cluster.wait_well()
        longest = pulse.end()
    tally = store.tally(asker)[0]
    table.add("F45", "the machine that leads a journal stops, and goes on", pauses, tally,
              f"longest wait {longest:.1f} s")
    tally.check(store.words)
    assert tally.acknowledged >= 100 * pauses
    assert longest <= LONGEST


@pytest.mark.skipif(not has_namespaces(), reason="needs network namespaces")
def test_a_cluster_keeps_what_it_acknowledged_while_links_are_cut(ingest, ending, table):
    machines = ending(Machines("a", "b", "c", "farm"))
    homes = [new_home() for _ in range(3)]
    cluster = ending(Cluster([
        Node(name, machines.address(name), home, (4222, 6222, 8222), machines.within(name))
        for name, home in zip("abc", homes, strict=True)]))
    store = ingest()
    asker = ending(store.asker(Adverts()))
    cuts = times(2, 50)
    with inside(machines.space("farm")):
        cluster.start()
        with running(store, cluster, asker):
            pulse = Pulse(asker)
            for _ in range(cuts):
                leader = cluster.lead(STREAM)
                machines.pull(leader.name)
                more(asker)
                machines.plug(leader.name)
                cluster.wait_well()
                more(asker)
            longest = pulse.end()
        tally = store.tally(asker)[0]
    table.add("F45", "the cable of the machine that leads a journal is pulled", cuts, tally,
              f"longest wait {longest:.1f} s")
    tally.check(store.words)
    assert tally.acknowledged >= 100 * cuts
    assert longest <= LONGEST
