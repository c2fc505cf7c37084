"""Two machines of one farm in containers: a farm server and its standby, joined by a network of their own."""

import json

from client import Client, until
from engine import Engine
from farm import free_port
from load import prepare
from stack import Stack

OVERLAY = "deploy/compose.standby.yaml"


class StackPair:
    def __init__(self, engine: Engine, others: list[str]):
        self.others = others
        self.engine = engine
        self.wires: list[tuple[str, str]] = []
        self.alone = Stack(engine, "first")
        self.first = self.stack("first", FURROW_PORT=str(self.alone.port))
        self.first.port = self.alone.port
        self.second = self.stack("second")

    def stack(self, name: str, **settings: str) -> Stack:
        return Stack(self.engine, name, [OVERLAY], FURROW_STANDBY_ADDRESS="127.0.0.1",
                     FURROW_STANDBY_PORT=str(free_port()), **settings)

    def wire(self, near: Stack, far: Stack) -> None:
        """Lets one machine reach the other one's database: both are projects of one engine, which keeps them apart."""
        self.wires.append((f"{near.project}_pair", far.ids("postgres")[0]))
        self.engine.docker("network", "connect", "--alias", f"{far.project}.farm", *self.wires[-1])

    def __enter__(self) -> "StackPair":
        self.set_up()
        return self

    def __exit__(self, *_: object) -> None:
        # Shown if the test fails.
        print(self.first.logs(), self.second.logs())
        self.down()

    def set_up(self) -> None:
        """Does what the README says, with a farm that has run alone."""
        self.alone.up(1, self.others)
        prepare(self.alone)
        self.first.token = self.alone.token
        allowed = self.first.operator("furrow", "standby", "allow", "--address", "first.farm", "--port", "5432")
        assert allowed.returncode == 0, allowed
        self.first.up(1, [*self.others, "standby"])
        # Creates the networks of the second machine.
        self.second.compose("run", "--rm", "--no-deps", "-T", "operator", "true")
        self.wire(self.second, self.first)
        joined = self.second.run("run", "--rm", "--no-deps", "-T", "operator", "furrow", "standby", "join", "-",
                                 "--address", "second.farm", seconds=120, told=allowed.stdout)
        assert joined.returncode == 0, (joined.stdout, joined.stderr)
        self.second.up(1, [*self.others, "standby"])
        self.wire(self.first, self.second)
        for stack in (self.first, self.second):
            until(lambda stack=stack: self.status(stack)["good"], 60, f"{stack.project} to be well", pause=1)

    def status(self, stack: Stack) -> dict:
        done = stack.furrow("standby", "status", "--json", at="standby")
        return json.loads(done.stdout) if done.stdout else {"good": False, "said": done.stderr}

    def has_sent(self) -> None:
        """Returns once what was written before this call is at the standby."""
        count = len(self.first.replay())
        until(lambda: self.status(self.first)["waitingEvents"] == 0, 30, "an empty queue", pause=1)
        for _ in range(2):
            before = self.status(self.first)["at"]
            until(lambda before=before: self.status(self.first)["at"] != before, 30, "the next beat", pause=0.3)
        assert len(self.first.replay()) >= count

    def back_up(self) -> int:
        """Makes a backup at the standby, and returns the number of the hub's events in it."""
        code, checks = self.second.doctor()
        assert code == 0 and list(checks) == ["standby"], checks
        made = self.second.backed_up()
        checked = self.second.operator("furrow", "restore", made["set"], "--check", "--json")
        assert checked.returncode == 0, checked
        return json.loads(checked.stdout)["hub"]

    def promote(self) -> dict:
        done = self.second.operator("furrow", "promote", "--json")
        assert done.returncode == 0, (done.stdout, done.stderr, self.second.logs())
        until(self.serves, 60, "the promoted farm server to serve", pause=0.5)
        self.second.token = self.first.token
        return json.loads(done.stdout)

    def old_returns(self) -> str:
        """Starts the first machine, which must not run the farm beside the new one; returns what only it has."""
        self.first.compose("up", "--detach", "--no-build")
        until(lambda: "must not run" in self.first.compose("logs", "sync-gateway"), 60, "the refusal", pause=1)
        lost = self.first.operator("furrow", "standby", "lost")
        assert b"events are on this machine only" in lost.stderr, lost
        return lost.stderr.decode().strip().splitlines()[-1]

    def serves(self) -> bool:
        try:
            return Client(self.second.port).call("GET", "/v1/products").status == 200
        except OSError:
            return False

    def down(self) -> None:
        for wire in self.wires:
            self.engine.docker("network", "disconnect", "--force", *wire)
        self.second.down()
        self.first.down()
