#!/usr/bin/env python3
"""Compares Furrow's journal with its peers, on the same machine, disk and events, at the same time.

Tests/Benchmarks/table.py [--rounds N] [--only WORD] [--disk DIR] [--programs DIR]
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile

from peers import HERE, Missing, Peers, free_port, quiet

ROOT = HERE.parent.parent
#: Events in a journal that is read back; about 60 MB.
READ = 100_000
#: Events in the journal of a service that is started; filling it takes about ten seconds.
STARTED = 200_000


class Bench:
    def __init__(self, options, disk):
        self.options = options
        self.disk = disk
        self.furrow = str(pathlib.Path(options.programs) / "furrow")
        self.peers = Peers(options.cache, disk)
        self.events = disk / "events.jsonl"
        self.events.write_text(quiet(self.furrow, "bench", "events", "--events", "36864"))
        self.event = self.events.read_text().splitlines()[4711]
        self.made = {}

    def once(self, name, make):
        """Creates something that all rounds share; raises the first failure again."""
        if name not in self.made:
            try:
                self.made[name] = make()
            except Missing as missing:
                self.made[name] = missing
        if isinstance(self.made[name], Missing):
            raise self.made[name]
        return self.made[name]

    def own(self, *words, environment=None):
        return json.loads(quiet(
            self.furrow, "bench", *words, "--json", "--home", str(self.disk), env=os.environ | (environment or {})))

    def append(self, *words):
        """Measures appends with a client as light as the peers': one without libzmq."""
        program = self.once("desk_load", lambda: self.peers.compiled("desk_load"))
        return self.own("append", "--load", program, *words)

    # MARK: Peers

    def redis_add(self, count, clients, *more):
        port = self.once("redis", self.peers.redis)
        program = str(self.peers.root / "usr/bin/redis-benchmark")
        said = quiet(
            program, "-p", str(port), "-n", str(count), "-c", str(clients), "--csv", *more, "XADD", "s", "*", "d",
            self.event, env=self.peers.environment)
        # The command itself comes first, and an event contains commas.
        speed, _, _, half, *_ = said.strip().splitlines()[-1].strip('"').split('","')[-7:]
        self.redis_empty(port)
        return {"perSecond": float(speed), "p50us": float(half) * 1000}

    def redis_empty(self, port):
        program = str(self.peers.root / "usr/bin/redis-cli")
        quiet(program, "-p", str(port), "DEL", "s", env=self.peers.environment)

    def redis_read(self):
        port = self.once("redis", self.peers.redis)
        program = self.once("redis_stream", lambda: self.peers.compiled("redis_stream", "hiredis"))
        quiet(program, "fill", str(port), str(self.events), str(READ), env=self.peers.environment)
        speed = float(quiet(program, "read", str(port), env=self.peers.environment))
        self.redis_empty(port)
        return {"perSecond": speed}

    def nats(self, reads, count):
        url = self.once("nats", self.peers.nats)
        program = self.once("nats_stream", lambda: self.peers.compiled("nats_stream", "nats"))
        speed = float(quiet(program, "fill", url, str(self.events), str(count), env=self.peers.environment))
        if reads:
            speed = float(quiet(program, "read", url, str(count), env=self.peers.environment))
        return {"perSecond": speed}

    def cluster(self, name, count, batch):
        """Measures ours against three servers of a cluster."""
        key = {"FURROW_CLUSTER": self.once("cluster", self.peers.cluster), "FURROW_CLUSTER_KEY": "7f" * 32}
        return self.own(name, "--events", str(count), "--batch", str(batch), environment=key)

    def cluster_by_c(self, reads, count, batch):
        """Measures a C client on the same cluster."""
        url = self.once("cluster", self.peers.cluster).split(",")[0]
        program = self.once("nats_stream", lambda: self.peers.compiled("nats_stream", "nats"))
        speed = quiet(program, "batch", url, str(self.events), str(count), str(batch), env=self.peers.environment)
        if reads:
            speed = quiet(program, "read", url, str(count), env=self.peers.environment)
        return {"perSecond": float(speed)}

    def raw(self):
        program = self.once("raw_append", lambda: self.peers.compiled("raw_append"))
        return {"perSecond": float(quiet(program, str(self.disk / "raw"), str(self.events), "100096"))}

    def python_rebuild(self):
        python = self.once("eventsourcing", lambda: self.peers.venv("eventsourcing"))
        with tempfile.TemporaryDirectory(dir=self.disk) as folder:
            return {
                "perSecond": float(
                    quiet(python, str(HERE / "eventsourcing_rebuild.py"), folder, str(self.events), str(READ)))
            }

    # MARK: Rows

    def rows(self):
        """Returns the comparisons: title, ours, peer, the compared member, and the ratio to reach (ours to the peer's).

        Without a peer, our value alone has to reach it.
        """
        many = ("--clients", "64")
        return [
            ("append ipc 64×1 : Redis always -c 64", lambda: self.append(*many, "--events", "60000"),
             lambda: self.redis_add(60_000, 64), "perSecond", "≥ 0.75"),
            ("append tcp 64×1 : Redis always -c 64",
             lambda: self.append(*many, "--events", "60000", "--transport", "tcp"),
             lambda: self.redis_add(60_000, 64), "perSecond", "≥ 0.5"),
            ("append ipc 64×1, views folded : Redis always -c 64",
             lambda: self.append(*many, "--events", "60000", "--views"),
             lambda: self.redis_add(60_000, 64), "perSecond", ""),
            ("append ipc 64×16 : Redis always -c 64 -P 16",
             lambda: self.append(*many, "--inflight", "16", "--events", "100000"),
             lambda: self.redis_add(100_000, 64, "-P", "16"), "perSecond", "≥ 0.5"),
            ("append ipc 64×16 : NATS sync always, 1024 in flight",
             lambda: self.append(*many, "--inflight", "16", "--events", "100000"),
             lambda: self.nats(False, 5_000), "perSecond", "≥ 10"),
            ("append ipc 1×1, p50 µs : Redis always -c 1",
             lambda: self.append("--clients", "1", "--events", "5000"),
             lambda: self.redis_add(5_000, 1), "p50us", "≤ 2.3"),
            ("append ipc 64×1, p99 µs, four readers : no reader",
             lambda: self.append(*many, "--events", "60000", "--readers", "4"),
             lambda: self.append(*many, "--events", "60000"), "p99us", "≤ 1.2"),
            ("append curve 64×1 : without CURVE, tcp",
             lambda: self.own("append", *many, "--events", "60000", "--transport", "curve"),
             lambda: self.own("append", *many, "--events", "60000", "--transport", "tcp"), "perSecond", "≥ 0.75"),
            ("append curve 64×16 : without CURVE, tcp",
             lambda: self.own("append", *many, "--inflight", "16", "--events", "100000", "--transport", "curve"),
             lambda: self.own("append", *many, "--inflight", "16", "--events", "100000", "--transport", "tcp"),
             "perSecond", "≥ 0.5"),
            ("replay curve : without CURVE, tcp",
             lambda: self.own("replay", "--events", str(READ), "--transport", "curve"),
             lambda: self.own("replay", "--events", str(READ), "--transport", "tcp"), "perSecond", "≥ 0.6"),
            ("append-local 256 a sync : raw file 256 a sync", lambda: self.own("append-local", "--events", "100096"),
             self.raw, "perSecond", "≥ 0.06"),
            ("replay : Redis XRANGE by hiredis", lambda: self.own("replay", "--events", str(READ)),
             self.redis_read, "perSecond", "≥ 2"),
            ("replay : NATS ordered consumer", lambda: self.own("replay", "--events", str(READ)),
             lambda: self.nats(True, 20_000), "perSecond", "≥ 2.5"),
            ("append-cluster, 256 a commit : C client", lambda: self.cluster("append-cluster", 50_000, 256),
             lambda: self.cluster_by_c(False, 50_000, 256), "perSecond", "≥ 0.8"),
            ("append-cluster, 1 a commit : C client", lambda: self.cluster("append-cluster", 2_000, 1),
             lambda: self.cluster_by_c(False, 2_000, 1), "perSecond", "≥ 0.8"),
            ("replay-cluster, into a file : C client, ordered consumer",
             lambda: self.cluster("replay-cluster", 100_000, 256),
             lambda: self.cluster_by_c(True, 100_000, 256), "perSecond", ""),
            ("replay of a replica : C client, ordered consumer", lambda: self.own("replay", "--events", str(READ)),
             lambda: self.cluster_by_c(True, 100_000, 256), "perSecond", "≥ 0.8"),
            ("rebuild : Python eventsourcing, batched", lambda: self.own("rebuild", "--events", str(READ)),
             self.python_rebuild, "perSecond", "≥ 20"),
            (f"start with {STARTED:,} events, s",
             lambda: self.own("start", "--views", "--events", str(STARTED)), None, "seconds", "≤ 2"),
            (f"start after a kill with {STARTED:,} events, s",
             lambda: self.own("start", "--views", "--events", str(STARTED)), None, "secondsAfterKill", "≤ 2"),
        ]

    def measure(self):
        rows = [row for row in self.rows() if self.options.only in row[0]]
        found = {row[0]: ([], []) for row in rows}
        skipped = {}
        for round in range(self.options.rounds):
            for title, ours, peer, member, _ in rows:
                print(f"round {round + 1} of {self.options.rounds}: {title}", file=sys.stderr)
                found[title][0].append(ours())
                try:
                    if peer and title not in skipped:
                        found[title][1].append(peer()[member])
                except Missing as missing:
                    skipped[title] = str(missing)
        for title, _, peer, member, reach in rows:
            own = statistics.median(result[member] for result in found[title][0])
            left = f"{title:<52} ours {own:>9,.{0 if peer else 2}f}"
            if not peer:
                print(f"{left}   {reach}")
                details(found[title][0])
                continue
            if title in skipped:
                print(f"{left}   SKIPPED the peer: {skipped[title]}")
                continue
            other = statistics.median(found[title][1])
            print(f"{left}   peer {other:>9,.0f}   ratio {own / other:5.2f}   {reach}")
            details(found[title][0])
        return not skipped

    def bounds(self):
        """Prints the cost of each step of an event's processing, which bounds our rows."""
        runs = [self.own("parts", "--events", "200000") for _ in range(self.options.rounds)]
        print("one event on an otherwise idle thread, µs:")
        for part in runs[0]["secondsOfParts"]:
            each = statistics.median(run["secondsOfParts"][part] / run["events"] for run in runs)
            print(f"    {part:<8}{each * 1e6:6.2f}   at most {1 / each:,.0f} a second")
        print("libzmq alone: the same events to a thread that responds with 64 bytes and stores nothing, a second:")
        for title, endpoint, inflight, count in [
            ("ipc 64×1", f"ipc://{self.disk}/echo", 1, 60_000), ("tcp 64×1", None, 1, 60_000),
            ("ipc 64×16", f"ipc://{self.disk}/echo", 16, 200_000),
        ]:
            echoes = [self.echo(endpoint or f"tcp://127.0.0.1:{free_port()}", inflight, count)
                      for _ in range(self.options.rounds)]
            print(f"    {title:<11}{statistics.median(echoes):,.0f}")

    def echo(self, endpoint, inflight, count):
        program = self.once("zmq_echo", lambda: self.peers.compiled("zmq_echo", "zmq"))
        return float(quiet(program, endpoint, str(self.events), "64", str(inflight), str(count)))


def details(results):
    """Prints the other values of our median round."""
    middle = sorted(results, key=lambda result: result["perSecond"])[len(results) // 2]
    words = [f"{name} {middle[name]:,.0f}" for name in ("p50us", "p99us", "fsyncs", "bytesPerEvent", "bytesRead")
             if name in middle]
    print(f"    {', '.join(words)}, peak {middle['peakRSSBytes'] / 2**20:.0f} MiB")


def prove_syncs(bench):
    """Checks that with one client and one request under way there is a sync for every response, as the kernel counts
    them.
    """
    if not shutil.which("strace"):
        print("syncs before responses: SKIPPED, strace is not installed")
        return False
    events = 300
    report = bench.disk / "strace.txt"
    said = quiet(
        "strace", "-f", "-c", "-e", "trace=fdatasync,fsync", "-o", str(report), bench.furrow, "bench", "append",
        "--clients", "1", "--events", str(events), "--json", "--home", str(bench.disk))
    counted = sum(int(line.split()[3]) for line in report.read_text().splitlines() if re.search(r"f(data)?sync$", line))
    told = json.loads(said)["fsyncs"]
    print(f"syncs before responses: {events} single responses, {told} syncs reported, {counted} seen by strace")
    return counted >= told >= events


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose title holds this word")
    parser.add_argument("--disk", default="/var/tmp", help="a folder on the disk to be measured")
    parser.add_argument("--programs", default=str(ROOT / ".build/release"))
    parser.add_argument("--cache", default=str(ROOT / ".build/benchmarks"), help="where peers are unpacked")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="furrow-table-", dir=options.disk) as disk:
        bench = Bench(options, pathlib.Path(disk))
        try:
            proven = prove_syncs(bench)
            complete = bench.measure()
            if not options.only:
                bench.bounds()
        finally:
            bench.peers.stop()
    return 0 if proven and complete else 1


if __name__ == "__main__":
    sys.exit(main())
