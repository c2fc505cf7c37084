"""F15 to F18: a reader that is slow, late, restarted or behind a bad network receives every event once and in order.

Throughout, an ingest process receives commands, and the ledger reads it.
"""

import signal
import time
from collections import Counter
from pathlib import Path

import zmq
from alone import Ledger, Tally
from bad_network import CLEAR, BadNetwork, Weather
from client import until
from desk import ASKED, Adverts, Wanted
from table import times

#: The seconds after a fault within which the reader has every event.
HEALING = 30

WEATHERS = [
    Weather("50 ms late", latency=0.05), Weather("200 ms late", latency=0.2), Weather("1 s late", latency=1.0),
    Weather("64 kbit/s", rate=8_000), Weather("in single bytes", slice=1),
    Weather("reset after every twentieth piece", resets=0.05), Weather("silent, half open", silent=True),
    Weather("one direction dead", deaf=True), Weather("down", down=True),
]


class Reading:
    """A ledger that reads from an ingest process."""

    def __init__(self, ingest, ledger, ending, over: BadNetwork | None = None, pause: float = 0):
        self.ledger = ledger
        self.ingest = ingest
        self.over = over
        self.asker = ending(ingest.asker(Adverts(), inflight=4, pause=pause))

    def start(self) -> "Reading":
        self.ledger.start_database()
        self.ledger.start()
        door = self.over.path if self.over else self.ledger.run / "trace-ledger-0.origins"
        self.ingest.start({"FURROW_ORIGINS_TRACE_LEDGER": f"ipc://{door}"})
        return self

    def wait_for(self, more: int, seconds: float = 120) -> None:
        before = len(self.asker.acknowledged)
        until(lambda: len(self.asker.acknowledged) >= before + more or self.asker.refused, seconds,
              f"{more} acknowledged", pause=0.005)

    def head(self) -> int:
        """Returns the position that the ledger reports."""
        return int(self.ledger.metric("furrow_hub_origin_position", f'of="{self.ingest.feed}"'))

    def caught_up(self, seconds: float = HEALING) -> float:
        """Returns the seconds until the ledger has everything that the ingest process has."""
        began = time.monotonic()
        goal = len(self.ingest.replay())
        until(lambda: self.head() >= goal, seconds, f"the ledger to have {goal}", pause=0.02)
        took = time.monotonic() - began
        assert len(self.mirrored()) >= goal, f"the ledger reports {goal} but lacks entries"
        return took

    def mirrored(self) -> list[dict]:
        source = "/" + self.ingest.feed
        return [event for event in self.ledger.replay(feed="hub") if event["source"] == source]

    def tally(self) -> Tally:
        """Compares the hub with the acknowledged commands, and checks the order of the origin's events."""
        self.ingest.seen = Counter()
        mirrored = self.mirrored()
        there = Counter(name for event in mirrored for name in self.ingest.names(event))
        must = [name for wanted, answer in self.asker.acknowledged for name in self.ingest.found(wanted, answer)]
        positions = [int(event["originpos"]) for event in mirrored]
        assert self.asker.refused == [], self.asker.refused[:3]
        return Tally(
            len(self.asker.acknowledged), sum(1 for name in must if there[name] == 0),
            sum(1 for count in there.values() if count > 1),
            sum(1 for place, position in enumerate(positions, 1) if place != position))


def memory(pid: int) -> int:
    """Returns the memory in use, in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) >> 10
    return 0


def test_a_reader_that_stands_still_blocks_no_writer_and_catches_up(ingest, ledger, ending, table):
    reading = Reading(ingest(), ledger(), ending).start()
    reading.asker.start()
    reading.wait_for(200)
    before = memory(reading.ingest.process.pid)
    reading.ledger.process.send_signal(signal.SIGSTOP)
    told = times(2_000, 60_000)
    reading.wait_for(told, 900)
    grown = memory(reading.ingest.process.pid) - before
    reading.ledger.process.send_signal(signal.SIGCONT)
    reading.asker.stop()
    took = reading.caught_up(60)
    tally = reading.tally()
    table.add("F15", f"the ledger stands still for {told} commands to ingest", 1, tally,
              f"ingest grew by {grown} MiB; caught up in {took:.1f} s")
    tally.check()
    assert grown <= 32


def test_a_reader_that_comes_late_or_is_killed_reads_everything(ingest, ledger, ending, table):
    # The process is killed while reading, so few commands are sent in that time.
    reading = Reading(ingest(), ledger(), ending, pause=0.005)
    reading.ingest.start({"FURROW_ORIGINS_TRACE_LEDGER": f"ipc://{reading.ledger.run}/trace-ledger-0.origins"})
    reading.asker.start()
    reading.wait_for(1_000)
    reading.ledger.start_database()
    reading.ledger.start()
    reading.caught_up()
    kills = times(5, 100)
    for _ in range(kills):
        reading.wait_for(100)
        reading.ledger.process.kill()
        Ledger.__mro__[1].reap(reading.ledger)
        reading.wait_for(100)
        reading.ledger.start()
    reading.asker.stop()
    took = reading.caught_up()
    tally = reading.tally()
    table.add("F16", "the ledger comes after a thousand commands, and is killed and comes again", kills, tally,
              f"caught up in {took:.1f} s")
    tally.check()


def test_two_hundred_reconnecting_clients_at_once_block_no_response(ingest, ending, table):
    store = ingest().start()
    asker = ending(store.asker(Adverts(), pause=0.002)).start()
    storms, dealers = times(3, 100), 200
    context = zmq.Context()
    context.set(zmq.MAX_SOCKETS, 2 * dealers)
    body = Wanted("devices", b"{}")
    for _ in range(storms):
        before = len(asker.acknowledged)
        sockets = []
        for number in range(dealers):
            one = context.socket(zmq.DEALER)
            one.setsockopt(zmq.LINGER, 0)
            one.connect(store.endpoint)
            one.send_multipart(body.frames(number + 1))
            sockets.append(one)
        # Half of the clients wait for a response, the others disconnect without one.
        for one in sockets[::2]:
            assert one.poll(20_000), "a client in the storm got no response"
        for one in sockets:
            one.close()
        until(lambda: len(asker.acknowledged) >= before + 20, 20, "the client to get responses in the storm")
    context.destroy(0)
    asker.stop()
    tally, _ = store.tally(asker)
    table.add("F17", f"{dealers} askers connect at once, ask, and half go away unheard", storms, tally)
    tally.check()
    assert ASKED


def test_a_bad_network_costs_time_and_nothing_else(ingest, ledger, ending, table):
    store, hub = ingest(), ledger()
    network = ending(BadNetwork(store.run / "bad", hub.run / "trace-ledger-0.origins"))
    reading = Reading(store, hub, ending, over=network).start()
    reading.asker.start()
    reading.wait_for(100)
    reading.asker.stop()
    slowest = 0.0
    weathers = WEATHERS * (times(9, 63) // len(WEATHERS))
    for weather in weathers:
        network.set(weather)
        reading.asker.start()
        reading.wait_for(200)
        reading.asker.stop()
        network.set(CLEAR)
        slowest = max(slowest, reading.caught_up())
    tally = reading.tally()
    table.add("F18", "a network late, slow, in bytes, resetting, silent, one-way, down", len(weathers), tally,
              f"{network.resets} resets; whole again {slowest:.1f} s after the end at most")
    tally.check()
    assert network.carried > 100_000 and network.resets >= 5
