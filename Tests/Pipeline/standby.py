"""Two machines of one farm: a farm server and its standby, each with an address and a home of its own."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from client import until
from farm import PROGRAMS, Farm, demoted, free_port, hand_over

PRIMARY, STANDBY = "127.0.0.1", "127.0.0.2"


class Standby:
    """The second machine; `promote` makes it the farm server."""

    def __init__(self, first: Farm, second: Farm, folder: Path, addresses: tuple[str, str] = (PRIMARY, STANDBY)):
        """The first farm server runs; the second one was not started."""
        self.addresses = addresses
        self.first, self.second, self.folder = first, second, folder
        self.port = free_port()
        self.process: subprocess.Popen | None = None
        self.said = folder / "standby.txt"

    def set_up(self, *words: str) -> "Standby":
        """Does what the operator does: allow, a restart, join, start."""
        invitation = self.first.home / "invitation.json"
        self.first.furrow("standby", "allow", "--address", self.addresses[0], "--port", str(self.port), "--to",
                          str(invitation), *words)
        self.first.stop()
        self.first.start()
        self.second.prepare()
        carried = self.second.home.parent / "invitation.json"
        carried.write_bytes(invitation.read_bytes())
        hand_over(carried)
        self.second.furrow("standby", "join", str(carried), "--address", self.addresses[1])
        carried.unlink()
        return self.start()

    def start(self) -> "Standby":
        self.process = self.second.launch(self.said)
        return self

    def status(self, farm: Farm | None = None) -> dict:
        done = (farm or self.second).furrow("standby", "status", "--json", check=False)
        return json.loads(done.stdout) if done.stdout else {"good": False}

    def wait_until_good(self) -> "Standby":
        until(lambda: self.status()["good"] and self.status(self.first)["good"], 60,
              f"the standby to have everything: {self.said.read_text()}\n{self.first.logs()}\n{self.second.logs()}")
        return self

    def has_sent_files(self) -> None:
        """Returns once what was written before this call was sent."""
        def beat() -> str:
            return query(self.first, self.port, "SELECT at FROM standby.beat")
        for _ in range(2):
            before = beat()
            until(lambda before=before: beat() != before, 30, "the next beat")

    def burn(self) -> None:
        """The first machine is gone, in the middle of whatever it did."""
        self.first.note_children()
        for pid in [self.first.process.pid, *self.first.children]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.first.process.wait(10)

    def promote(self) -> tuple[float, dict]:
        """Makes the standby the farm server. Returns the seconds until it serves, and what the command said."""
        began = time.monotonic()
        done = self.second.furrow("promote", "--json", check=False)
        assert done.returncode == 0, f"{done.stderr.decode()}\n{self.second.logs()}"
        self.second.start()
        return time.monotonic() - began, json.loads(done.stdout)

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)


def query(farm: Farm, port: int, statement: str) -> str:
    done = subprocess.run(
        ["psql", "-h", farm.run, "-p", str(port), "-U", "furrow", "-d", "furrow", "-AtX", "-c", statement],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def refusal(farm: Farm) -> str:
    """Starts a farm server that has to refuse; returns what it says."""
    done = subprocess.run(
        [*farm.within, *demoted(), PROGRAMS / "furrow", "run", "--home", farm.home, "--port", str(farm.port)],
        capture_output=True,
        text=True, timeout=60, cwd="/")
    assert done.returncode == 3, f"{done.returncode} {done.stdout} {done.stderr}"
    return done.stderr


