"""A single service: the program of a farm server, with its own home and sockets."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from client import Client, until
from desk import Asker
from farm import PROGRAMS, demoted, free_port, hand_over
from load import ACTIVITY, MEASURED
from unforgiven import counting
from volume import family, send, wait_gone

POSTGRES = Path("/usr/lib/postgresql/15/bin")


@dataclass
class Tally:
    """The result of comparing acknowledged commands with the stored events."""

    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    #: The number of positions that a reader would have skipped.
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.acknowledged + other.acknowledged, self.lost + other.lost, self.doubled + other.doubled,
                     self.skipped + other.skipped)

    @property
    def is_clean(self) -> bool:
        return self.lost == self.doubled == self.skipped == 0

    def check(self, words: str = "") -> None:
        """Asserts that nothing is lost, doubled or skipped, and records a failure that a repeated test cannot hide."""
        with counting():
            assert self.is_clean, f"{self} {words}"


class Alone:
    """One service without the others."""

    service = "sensor-ingest"
    feed = "sensor-ingest/farm-0"

    def __init__(self, home: Path):
        self.home = home
        self.run = Path(tempfile.mkdtemp(prefix="fr-"))
        hand_over(self.run)
        self.log = self.run / "log.txt"
        self.port = 0
        self.process: subprocess.Popen | None = None
        #: What `tally` has found so far.
        self.seen: Counter = Counter()

    @property
    def endpoint(self) -> str:
        return f"ipc://{self.run}/{self.service}-0.ask"

    @property
    def environment(self) -> dict[str, str]:
        mine = {name: value for name, value in os.environ.items() if not name.startswith("FURROW_")}
        # Small disks are large enough, unless a test sets other limits.
        room = {"FURROW_DISK_FREE_BYTES": "0", "FURROW_DISK_FREE_PERCENT": "0", "FURROW_DISK_BALLAST_BYTES": "0"}
        return mine | room | {"FURROW_HOME": str(self.home), "FURROW_RUN": str(self.run), "FURROW_SLOT": "0"}

    def begin(self, extra: dict[str, str] | None = None, program: str | None = None) -> subprocess.Popen:
        """Starts a process of the service without waiting until it is ready."""
        self.port = free_port()
        words = [f"{name}={value}" for name, value in (extra or {}).items()]
        with open(self.log, "ab") as log:
            return subprocess.Popen(
                [*demoted(), "/usr/bin/env", *words, PROGRAMS / (program or self.service)], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, cwd="/", start_new_session=True,
                env=self.environment | {"FURROW_OPS_PORT": str(self.port)})

    def start(self, extra: dict[str, str] | None = None, seconds: float = 30) -> "Alone":
        self.process = self.begin(extra)
        until(self.is_up, seconds, f"{self.service} to be ready", pause=0.005)
        return self

    def is_up(self) -> bool:
        assert self.process.poll() is None, f"{self.service} ended with {self.process.returncode}:\n{self.words}"
        try:
            return Client(self.port).call("GET", "/readyz", timeout=2).status == 200
        except OSError:
            return False

    @property
    def words(self) -> str:
        return self.log.read_text(errors="replace")[-3000:]

    @property
    def pids(self) -> list[int]:
        return [self.process.pid] if self.process and self.process.poll() is None else []

    def stop(self, by: int = signal.SIGTERM) -> int:
        """Stops the process and returns its exit code."""
        self.process.send_signal(by)
        return wait_gone(self.process)

    def reap(self) -> None:
        """Waits for a process that something else has ended."""
        wait_gone(self.process)

    def metric(self, name: str, label: str = "") -> float:
        text = Client(self.port).call("GET", "/metrics", timeout=10).body.decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                   if line.split("{")[0].split(" ")[0] == name and label in line)

    def asker(self, make, inflight: int = 32, pause: float = 0) -> Asker:
        return Asker(self.endpoint, make, inflight, pause)

    def replay(self, first: int = 1, feed: str | None = None, seconds: float = 60) -> list[dict]:
        """Returns the stored events, read over the service's feed as an auditor does."""
        done = subprocess.run(
            [*demoted(), PROGRAMS / "furrow", "replay", "--origin", feed or self.feed, "--from", str(first), "--home",
             self.home], capture_output=True, timeout=seconds, cwd="/", env=self.environment)
        assert done.returncode == 0, f"replay: {done.returncode} {done.stderr.decode()} {self.words}"
        return [json.loads(line) for line in done.stdout.splitlines()]

    def found(self, wanted, answer: dict) -> list:
        """Returns the names under which an acknowledged command must be found."""
        assert len(answer["accepted"]) == len(wanted.names), answer
        return [one["id"] for one in answer["accepted"]] + wanted.names

    def names(self, event: dict) -> list:
        """Returns the names that identify an event."""
        data = event["data"]
        if event["type"] != MEASURED:
            return []
        return [event["id"], (data["device"], data.get("counter"))]

    def tally(self, asker: Asker, first: int = 1, since: int = 0) -> tuple[Tally, int]:
        """Compares the stored events with the acknowledged commands. Returns the tally and the last position.

        `first` and `since` restrict it to events from a position on and to later acknowledgements.
        """
        events = self.replay(first)
        # A command whose response is late because a process ended in between was written before the events read now.
        there = self.seen if first > 1 else Counter()
        there.update(name for event in events for name in self.names(event))
        self.seen = there
        told = asker.acknowledged[since:]
        must = [name for wanted, answer in told for name in self.found(wanted, answer)]
        positions = [int(event["originpos"]) for event in events]
        assert asker.refused == [], asker.refused[:3]
        tally = Tally(
            acknowledged=len(told), lost=sum(1 for name in must if there[name] == 0),
            doubled=sum(1 for count in there.values() if count > 1),
            skipped=sum(1 for place, position in enumerate(positions, first) if place != position))
        return tally, first + len(positions) - 1

    def destroy(self) -> None:
        for pid in self.pids:
            send(pid, signal.SIGKILL)
        if self.process:
            wait_gone(self.process)
            self.process = None
        shutil.rmtree(self.run, ignore_errors=True)


class Ledger(Alone):
    """The ledger with its database, whose files are in the home."""

    service = "trace-ledger"
    feed = "trace-ledger/farm-0"

    def __init__(self, home: Path):
        super().__init__(home)
        self.database: subprocess.Popen | None = None
        self.data = home / "postgres"

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {
            "FURROW_POSTGRES": f"host={self.run} port=5432 dbname=furrow user=furrow",
            "FURROW_PUBLIC_URL": "http://127.0.0.1:1"}

    def prepare(self) -> None:
        self.call("initdb", "-D", self.data, "--username=furrow", "--auth=trust", "--encoding=UTF8", "--locale=C",
                  "--data-checksums", "--no-instructions")

    def call(self, program: str, *words) -> None:
        done = subprocess.run([*demoted(), POSTGRES / program, *words], capture_output=True, cwd="/", timeout=60)
        assert done.returncode == 0, f"{program}: {done.stderr.decode()}"

    def start_database(self, extra: dict[str, str] | None = None, *settings: str) -> None:
        """Starts the database with the settings of a farm server."""
        words = [f"{name}={value}" for name, value in (extra or {}).items()]
        told = ["listen_addresses=", "port=5432", "max_connections=40", "shared_buffers=32MB", "wal_level=replica",
                "max_wal_senders=0", "max_wal_size=256MB", "min_wal_size=80MB", "jit=off", *settings]
        with open(self.run / "postgres.txt", "ab") as log:
            self.database = subprocess.Popen(
                [*demoted(), "/usr/bin/env", *words, POSTGRES / "postgres", "-D", self.data, "-k", self.run,
                 *[word for one in told for word in ("-c", one)]],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True)
        until(self.is_awake, 30, "the database to be awake", pause=0.01)

    def is_awake(self) -> bool:
        assert self.database.poll() is None, (self.run / "postgres.txt").read_text()[-2000:]
        return subprocess.run(
            [POSTGRES / "pg_isready", "-q", "-h", self.run, "-p", "5432"], capture_output=True).returncode == 0

    def make_database(self) -> None:
        self.call("createdb", "-h", self.run, "-p", "5432", "-U", "furrow", "furrow")

    @property
    def pids(self) -> list[int]:
        running = super().pids
        if self.database and self.database.poll() is None:
            running += family(self.database.pid)
        return running

    def stop(self, by: int = signal.SIGTERM) -> int:
        code = super().stop(by)
        self.stop_database()
        return code

    def stop_database(self) -> None:
        """Stops the database unless it has ended by itself. PostgreSQL 15 waits for ever for a checkpoint if it is
        asked to stop while it recovers from a crashed process; it is killed then, and recovers at the next start.
        """
        if self.database.poll() is None:
            self.database.send_signal(signal.SIGINT)
            try:
                self.database.wait(10)
            except subprocess.TimeoutExpired:
                self.database.send_signal(signal.SIGQUIT)
        wait_gone(self.database, 30)

    def reap(self) -> None:
        super().reap()
        wait_gone(self.database)

    def found(self, wanted, answer: dict) -> list:
        return [answer["activity"]]

    def names(self, event: dict) -> list:
        return [event["data"]["activity"]] if event["type"] == ACTIVITY else []

    def destroy(self) -> None:
        super().destroy()
        if self.database:
            wait_gone(self.database)
