"""F45: journals in a cluster. Leaders are killed, paused and cut off, the power of all machines fails, and a writer is
replaced while it is stopped. Everything acknowledged is there once, and in order.
"""

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from contextlib import contextmanager

import pytest
from alone import Alone
from client import until
from desk import Adverts
from farm import PROGRAMS, demoted, new_home
from jetstream import SERVER, Cluster, Node, own
from machines import Machines, has_namespaces, inside
from old_reports import ORIGIN, that_let_go
from table import times
from volume import Volume, send, wait_gone, why_not

STREAM = "journal_sensor-ingest_farm-0"
#: Seconds in which a cluster that lost a machine must acknowledge again: after that the service ends. An election takes
#: 4 to 9 s, and is repeated if two servers stand at once.
LONGEST = 20


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


@pytest.mark.skipif(not has_namespaces(), reason="needs network namespaces")
def test_the_settings_that_the_command_prints_make_a_cluster(ingest, ending):
    machines = ending(Machines("a", "b", "c", "farm"))
    peers = ",".join(machines.address(name) for name in "abc")
    store = ingest()
    asker = ending(store.asker(Adverts()))
    servers = [ending(Printed(machines, name, peers)) for name in "abc"]
    addresses = [f"nats://furrow:{PASSWORD}@{machines.address(name)}:4222" for name in "abc"]
    settings = {"FURROW_CLUSTER": ",".join(addresses), "FURROW_CLUSTER_KEY": "7f" * 32}
    with inside(machines.space("farm")):
        store.start(settings, seconds=60)
        asker.start()
        more(asker)
        # The other two go on, which only a cluster does.
        servers[0].destroy()
        more(asker)
        asker.stop()
        tally = store.tally(asker)[0]
    tally.check(store.words)
    assert tally.acknowledged >= 100


PASSWORD = "3ecret"


class Printed:
    """A server of a cluster with the settings that `furrow cluster node` prints."""

    def __init__(self, machines: Machines, name: str, peers: str):
        home = new_home()
        printed = subprocess.run(
            [PROGRAMS / "furrow", "cluster", "node", "--name", name, "--at", machines.address(name), "--peers", peers,
             "--store", home / "jetstream"], capture_output=True, check=True,
            env=os.environ | {"FURROW_CLUSTER_PASSWORD": PASSWORD})
        (home / "nats.conf").write_bytes(printed.stdout)
        with open(home / "log.txt", "ab") as log:
            self.process = subprocess.Popen(
                [*machines.within(name), SERVER, "-c", home / "nats.conf"], stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True)

    def destroy(self) -> None:
        self.process.kill()
        wait_gone(self.process)


# MARK: Power cuts


def cut_all(volumes: list[Volume], pids: list[int]) -> None:
    """Cuts the power of several disks and their processes at one moment."""
    for pid in pids:
        send(pid, signal.SIGSTOP)
    for index, disk in enumerate(volumes):
        disk.cut(pids if index == 0 else [])


def cuts_of_power(ingest, ending, volume, cycles: int, synced: bool):
    """Cuts the power of three servers and of the service, again and again. Returns the tally."""
    disks = [volume(512) for _ in range(4)]
    cluster = ending(Cluster.here([own(disk.home) for disk in disks[:3]], synced))
    store = ingest(disks[3].home)
    asker = ending(store.asker(Adverts()))
    for _ in range(cycles):
        cluster.start()
        store.start(cluster.settings, seconds=90)
        asker.start()
        more(asker, 200)
        cut_all(disks, cluster.pids + store.pids)
        asker.stop()
        store.reap()
        for node in cluster.nodes:
            wait_gone(node.process)
    cluster.start()
    store.start(cluster.settings, seconds=90)
    return store.tally(asker)[0]


@pytest.mark.skipif(why_not() is not None, reason=f"power cuts: {why_not()}")
def test_a_cluster_keeps_what_it_acknowledged_when_the_power_of_all_machines_fails(ingest, ending, volume, table):
    cycles = times(4, 100)
    tally = cuts_of_power(ingest, ending, volume, cycles, synced=True)
    table.add("F45", "power cut of all three machines and of the service", cycles, tally)
    tally.check()
    assert tally.acknowledged >= 200 * cycles


@pytest.mark.skipif(why_not() is not None, reason=f"power cuts: {why_not()}")
def test_a_cluster_that_does_not_sync_is_caught(ingest, ending, volume, table):
    try:
        lost = cuts_of_power(ingest, ending, volume, 1, synced=False).lost
    except AssertionError as error:
        # The streams are gone or shorter than the file: the service refuses to go on.
        assert "this machine has" in str(error) or "is not the stream" in str(error), error
        lost = -1
    table.add("F45", "the same cluster, lax (the default sync_interval)", 1, None,
              f"caught: {lost} lost" if lost > 0 else "caught: the service refuses to go on")
    assert lost != 0


# MARK: Writers


def test_a_writer_that_was_stopped_while_another_took_over_appends_nothing(ingest, ending, table):
    cluster = ending(Cluster.here()).start()
    rounds = times(2, 50)
    stores = [ingest() for _ in range(rounds + 1)]
    # One source, so that no two of them send the same report.
    adverts = Adverts()
    askers = [ending(store.asker(adverts)) for store in stores]
    stores[0].start(cluster.settings)
    for turn in range(rounds):
        (old, old_asker), (new, new_asker) = (stores[turn], askers[turn]), (stores[turn + 1], askers[turn + 1])
        old_asker.start()
        more(old_asker)
        send(old.process.pid, signal.SIGSTOP)
        new.start(cluster.settings)
        new_asker.start()
        more(new_asker)
        new_asker.stop()
        send(old.process.pid, signal.SIGCONT)
        assert wait_gone(old.process, 30) == 70, old.words
        assert "another writer has continued" in old.words
        old_asker.stop()
    last = stores[-1]
    tallies = [last.tally(asker)[0] for asker in askers]
    # Each tally counts the events of all; only what was acknowledged differs.
    total = tallies[0]
    for tally in tallies[1:]:
        total.acknowledged += tally.acknowledged
        total.lost += tally.lost
    table.add("F45", "a writer is stopped, replaced, and goes on", rounds, total)
    total.check(last.words)
    assert total.acknowledged >= 100 * rounds
    last.stop()


# MARK: A whole farm server


def moved(farm, cluster: Cluster, direction: str) -> dict[str, str]:
    """Moves all journals of a stopped farm server. Returns where each is."""
    done = subprocess.run(
        [*demoted(), PROGRAMS / "furrow", "cluster", direction, "--home", farm.home, "--json"], capture_output=True,
        timeout=60, cwd="/", env=os.environ | cluster.settings)
    assert done.returncode == 0, done.stderr.decode()
    return {row["origin"]: row["place"] for row in json.loads(done.stdout)["journals"]}


def test_a_farm_server_moves_into_a_cluster_and_back_and_its_audits_hold(own_farm, ending, table):
    cluster = ending(Cluster.here()).start()
    farm = own_farm().start()
    farm.claim()
    farm.stop()
    assert set(moved(farm, cluster, "join").values()) == {"cluster"}
    farm.environment |= cluster.settings
    farm.start()
    farm.furrow("audit")
    farm.stop()
    places = moved(farm, cluster, "leave")
    assert set(places.values()) == {"file"} and len(places) == 4
    for name in cluster.settings:
        del farm.environment[name]
    farm.start()
    farm.furrow("audit")
    table.add("F45", "a farm server moves into a cluster and back", len(places), None, "every audit holds")


def test_old_reports_leave_a_cluster_and_a_machine_without_files_gets_the_rest(own_farm, ending, table):
    cluster = ending(Cluster.here()).start()

    def clustered(*words: str):
        farm = own_farm(*words)
        farm.environment |= cluster.settings
        return farm

    farm = that_let_go(clustered)
    events = farm.replay()
    pruned = {one["origin"]: one for one in farm.audited()["journals"]}[ORIGIN]["letGo"]
    assert pruned > 1000
    farm.stop()
    # What is left is behind the pruned run: the stream has its segment and no event of it.
    names = cluster.subjects(STREAM)
    assert names["segment"] == 1 and 1024 < names["event"] < 4096, names
    for file in (farm.home / "sensor-ingest" / "0").glob("journal.*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    farm.start()
    assert farm.replay() == events
    assert {one["origin"]: one for one in farm.audited()["journals"]}[ORIGIN]["letGo"] == pruned
    table.add("F45", "a machine without files gets a journal with pruned events", 1, None, f"{pruned:,} pruned")
