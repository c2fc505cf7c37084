"""A farm server in containers: the real `compose.yaml`, its one published port, and `docker-compose exec`."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from client import Client, until
from engine import Engine, output
from farm import ADMINISTRATOR, ROOT, free_port, session_of


class Stack:
    """One stack on one engine, with the methods of `Farm` that the load and the story use."""

    def __init__(self, engine: Engine, project: str = "furrow", more: Sequence[str] = (), **settings: str):
        """`more` are files besides compose.yaml."""
        self.engine = engine
        self.project = project
        self.files = [word for name in ("compose.yaml", *more) for word in ("--file", str(ROOT / name))]
        self.port = free_port()
        self.token: str | None = None
        #: Created by the engine unless the caller names one.
        self.backups = Path(settings.get("FURROW_BACKUPS") or engine.folder / f"backups-{project}")
        self.environment = engine.environment | {
            "FURROW_PORT": str(self.port), "FURROW_PUBLIC_URL": f"http://127.0.0.1:{self.port}",
            "COMPOSE_PROJECT_NAME": project, "FURROW_BACKUPS": str(self.backups),
        } | settings

    @property
    def image(self) -> str:
        """The image of all services in compose.yaml."""
        return f"furrow:{self.environment.get('FURROW_VERSION') or 'local'}"

    # Running

    def compose(self, *words, timeout: float = 300) -> str:
        return output("docker-compose", *self.files, *words, timeout=timeout, cwd=ROOT, env=self.environment)

    def build(self, service: str) -> None:
        """Builds as `up` would; all Furrow services share one image."""
        self.compose("build", service, timeout=2400)

    def up(self, ingest: int, others: list[str], seconds: float = 240) -> None:
        self.compose("up", "--detach", "--no-build", "--scale", f"sensor-ingest={ingest}", timeout=seconds)
        until(lambda: self.all_healthy(ingest + len(others)), seconds, "every container to be healthy", pause=1)

    def down(self) -> None:
        self.compose("down", "--volumes", "--timeout", "20")

    def told(self) -> str:
        """Returns the logs, for failures."""
        return self.logs()

    def logs(self, lines: str = "30") -> str:
        return self.compose("logs", "--no-color", "--tail", lines)

    # Containers

    def ids(self, service: str) -> list[str]:
        return self.engine.docker(
            "ps", "--quiet", "--no-trunc", "--filter", f"label=com.docker.compose.service={service}",
            "--filter", f"label=com.docker.compose.project={self.project}").split()

    def inspected(self, *filters: str) -> list[dict]:
        """Returns every container of the stack, including ended ones."""
        words = [word for one in filters for word in ("--filter", one)]
        ids = self.engine.docker("ps", "--all", "--quiet", "--filter", f"label=com.docker.compose.project={self.project}",
                                 *words).split()
        return json.loads(self.engine.docker("inspect", *ids)) if ids else []

    def all_healthy(self, count: int) -> bool:
        """Returns whether that many containers run, each healthy if it can be asked."""
        running = self.inspected("status=running")
        asked = [one["State"]["Health"]["Status"] for one in running if "Health" in one["State"]]
        return len(running) >= count and all(state == "healthy" for state in asked)

    def kill(self, container: str) -> float:
        """Kills a container's process from outside; returns the seconds until it is healthy again.

        `docker kill` would count as a manual stop, after which no restart policy applies.
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
        """Returns the slot of a container's last start, from its log."""
        said = self.engine.docker("logs", container, merged=True)
        return re.findall(r'"message":"ready".*?"origin":"([^"]+)"', said)[-1]

    def published_keys(self) -> dict[str, str]:
        text = self.engine.docker("exec", self.ids("sync-gateway")[0], "cat", "/public/services")
        keys = [line.split() for line in text.splitlines()]
        assert len({name for name, _ in keys}) == len(keys), "a retired key is still listed"
        return dict(keys)

    # The operator's command, where operators run it

    def furrow(self, *words: str, at: str = "sync-gateway", seconds: float = 180,
               told: bytes = b"") -> subprocess.CompletedProcess:
        return self.run("exec", "-T", at, "furrow", *words, seconds=seconds, told=told)

    def operator(self, *words: str, seconds: float = 300) -> subprocess.CompletedProcess:
        """Runs a command in the one-shot service that mounts every volume."""
        return self.run("run", "--rm", "-T", "operator", *words, seconds=seconds)

    def run(self, *words: str, seconds: float, told: bytes = b"") -> subprocess.CompletedProcess:
        return subprocess.run(["docker-compose", *self.files, *words], capture_output=True, timeout=seconds, cwd=ROOT,
                              env=self.environment, input=told)

    def replay(self, origin: str = "hub") -> list[dict]:
        done = self.furrow("replay", "--origin", origin)
        assert done.returncode == 0, f"replay: {done.returncode} {done.stderr.decode()}"
        return [json.loads(line) for line in done.stdout.splitlines()]

    def audited(self) -> dict:
        done = self.furrow("audit", "--json", seconds=400)
        assert done.returncode == 0, f"audit: {done.returncode} {done.stdout.decode()[-2000:]}{done.stderr.decode()}"
        return json.loads(done.stdout)

    def doctor(self) -> tuple[int, dict[str, dict]]:
        """Returns the exit code, and the findings by check; the worst one of each."""
        done = self.furrow("doctor", "--json")
        assert done.stdout, done.stderr
        checks: dict[str, dict] = {}
        for one in json.loads(done.stdout)["checks"]:
            assert one["state"] == "ok" or one["advice"], one
            if one["check"] not in checks or one["state"] != "ok":
                checks[one["check"]] = one
        return done.returncode, checks

    def backed_up(self) -> dict:
        done = self.operator("furrow", "backup", "--test-restore", "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    # Calling

    def client(self, token: str | None = None) -> Client:
        return Client(self.port, token or self.token)

    def sign_in(self, person: dict = ADMINISTRATOR) -> Client:
        credentials = {"email": person["email"], "password": person["password"]}
        answer = Client(self.port).call("POST", "/v1/sessions", credentials)
        assert answer.status == 201, answer
        return self.client(session_of(answer))

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

    def ask_as_stranger(self, words: str) -> tuple[int, list[str], str]:
        """Runs a command of `furrow` on the bus with keys of its own and the services' true public keys.

        Returns its exit code, what it printed after its keys, and the end of its errors.
        """
        script = ("keys=$(mktemp -d) && mkdir $keys/stranger $keys/public && "
                  "FURROW_KEYS=$keys FURROW_PUBLIC_KEYS=$keys/public furrow init && "
                  f"FURROW_KEYS=$keys/stranger FURROW_PUBLIC_KEYS=/public FURROW_BUS_PORT=7100 furrow {words}")
        done = subprocess.run(
            ["docker", "run", "--rm", "--network", "furrow_bus", "--volume", "furrow_public-keys:/public:ro",
             self.image, "sh", "-c", script],
            env=self.environment, capture_output=True, text=True, timeout=180, check=False)
        return done.returncode, done.stdout.splitlines()[1:], done.stderr[-200:]


def check_hardened(container: dict) -> str:
    """Checks a container's restrictions; returns the name of its service."""
    host, config = container["HostConfig"], container["Config"]
    name = config["Labels"]["com.docker.compose.service"]
    assert host["ReadonlyRootfs"] and host["CapDrop"] == ["ALL"], name
    assert (host["CapAdd"] or []) == (["CHOWN"] if name == "backup-folder" else []), name
    assert "no-new-privileges:true" in host["SecurityOpt"] and not host["Privileged"], name
    if name == "backup-folder":
        # The only one with root: it has no network, and mounts only the folder that it gives away.
        assert config["User"] == "0:0" and host["NetworkMode"] == "none", name
        assert [mount["Destination"] for mount in container["Mounts"]] == ["/backups"], name
    else:
        assert config["User"] in ("10001:10001", "10002:10001", "10003:10003"), name
    assert 0 < host["Memory"] <= 1 << 30 and 0 < host["PidsLimit"] <= 200, name
    assert host["LogConfig"]["Config"] == {"max-size": "10m", "max-file": "5"}, name
    return name


def published_ports(container: dict) -> list[tuple[str, str]]:
    """Returns the published ports of a container, with their addresses."""
    ports = container["NetworkSettings"]["Ports"].items()
    return [(port, host["HostIp"]) for port, hosts in ports for host in hosts or []]
