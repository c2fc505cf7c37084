"""A farm server in containers: `compose.yaml` as it stands, over its one published port and `docker-compose exec`."""

import json
import os
import re
import signal
import subprocess
import time

from client import Client, until
from engine import Engine, output
from farm import ADMINISTRATOR, ROOT, free_port, session_of


class Stack:
    """One stack on one engine. It answers what the load and the story ask of a farm."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.port = free_port()
        self.token: str | None = None
        self.environment = engine.environment | {
            "FURROW_PORT": str(self.port), "FURROW_PUBLIC_URL": f"http://127.0.0.1:{self.port}",
            "COMPOSE_PROJECT_NAME": "furrow",
        }

    # Running

    def compose(self, *words, timeout: float = 300) -> str:
        return output("docker-compose", "--file", ROOT / "compose.yaml", *words, timeout=timeout, cwd=ROOT,
                      env=self.environment)

    def build(self) -> None:
        """As `up` would, but told apart in the bill."""
        self.engine.timed("postgres image", lambda: self.compose("build", "postgres", timeout=900))
        self.engine.timed("furrow image", lambda: self.compose("build", "init", timeout=2400))

    def up(self, ingest: int, others: list[str], seconds: float = 240) -> None:
        self.compose("up", "--detach", "--no-build", "--scale", f"sensor-ingest={ingest}", timeout=seconds)
        until(lambda: self.all_healthy(ingest + len(others)), seconds, "every container to be healthy", pause=1)

    def down(self) -> None:
        self.compose("down", "--volumes", "--timeout", "20")

    def told(self) -> str:
        """What there is to know when something went wrong."""
        return self.logs()

    def logs(self) -> str:
        return self.compose("logs", "--no-color", "--tail", "30")

    # Containers

    def ids(self, service: str) -> list[str]:
        return self.engine.docker(
            "ps", "--quiet", "--no-trunc", "--filter", f"label=com.docker.compose.service={service}").split()

    def inspected(self, *filters: str) -> list[dict]:
        """Every container of the stack, the ended ones included."""
        words = [word for one in filters for word in ("--filter", one)]
        ids = self.engine.docker("ps", "--all", "--quiet", "--filter", "label=com.docker.compose.project=furrow",
                                 *words).split()
        return json.loads(self.engine.docker("inspect", *ids)) if ids else []

    def all_healthy(self, count: int) -> bool:
        states = [one["State"].get("Health", {}).get("Status") for one in self.inspected("status=running")]
        return len(states) >= count and all(state == "healthy" for state in states)

    def kill(self, container: str) -> float:
        """Kills a container's process at once, from outside; the seconds until it is healthy again.

        `docker kill` would count as a stop by hand, after which no restart policy fires.
        """
        pid = self.state(container)["Pid"]
        began = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        until(lambda: self.state(container)["Pid"] not in (0, pid) and
              self.state(container)["Health"]["Status"] == "healthy", 60, f"{container} again", pause=0.1)
        return time.monotonic() - began

    def state(self, container: str) -> dict:
        return json.loads(self.engine.docker("inspect", "--format", "{{json .State}}", container))

    def origin(self, container: str) -> str:
        """Which slot a container took at its last start, as its log says."""
        said = self.engine.docker("logs", container, merged=True)
        return re.findall(r'"message":"ready".*?"origin":"([^"]+)"', said)[-1]

    # The operator's command, where operators run it

    def furrow(self, *words: str, at: str = "sync-gateway", seconds: float = 180) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["docker-compose", "--file", ROOT / "compose.yaml", "exec", "-T", at, "furrow", *words],
            capture_output=True, timeout=seconds, cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL)

    def replay(self, origin: str = "hub") -> list[dict]:
        done = self.furrow("replay", "--origin", origin)
        assert done.returncode == 0, f"replay: {done.returncode} {done.stderr.decode()}"
        return [json.loads(line) for line in done.stdout.splitlines()]

    def audited(self) -> dict:
        done = self.furrow("audit", "--json", seconds=400)
        assert done.returncode == 0, f"audit: {done.returncode} {done.stdout.decode()[-2000:]}{done.stderr.decode()}"
        return json.loads(done.stdout)

    # Calling

    def client(self, token: str | None = None) -> Client:
        return Client(self.port, token or self.token)

    def setup_token(self) -> str:
        done = self.furrow("setup-link")
        link = done.stdout.decode().strip()
        assert done.returncode == 0 and link.startswith(f"http://127.0.0.1:{self.port}/setup#"), f"{link} {done.stderr}"
        return link.split("#", 1)[1]

    def claim(self, person: dict = ADMINISTRATOR) -> Client:
        answer = Client(self.port).call("POST", "/v1/setup", {"token": self.setup_token()} | person)
        assert answer.status == 201, answer
        self.token = session_of(answer)
        return self.client()
