"""Three NATS servers that store journals, each with its own disk, on this machine or on machines of a test."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from client import until
from farm import free_port, hand_over
from volume import send, wait_gone

SERVER = Path(sys.executable).parent / "nats-server"
#: The longest time in which a cluster must have a leader again, in seconds.
ELECTION = 60


class Node:
    """One NATS server."""

    def __init__(self, name: str, address: str, folder: Path, ports: tuple[int, int, int] | None = None,
                 prefix: list[str] | None = None):
        self.name = name
        self.address = address
        self.folder = folder
        self.clients, self.routes, self.monitor = ports or (free_port(), free_port(), free_port())
        self.prefix = prefix or []
        self.process: subprocess.Popen | None = None

    def write(self, others: list["Node"], synced: bool) -> None:
        self.store = self.folder / "jetstream"
        self.store.mkdir(exist_ok=True)
        routes = ", ".join(f'"nats://{node.address}:{node.routes}"' for node in others)
        sync = ", sync_interval: always" if synced else ""
        (self.folder / "nats.conf").write_text(
            f'server_name: "{self.name}"\nlisten: "{self.address}:{self.clients}"\n'
            f'http: "{self.address}:{self.monitor}"\njetstream {{ store_dir: "{self.store}"{sync} }}\n'
            f'cluster {{ name: furrow, listen: "{self.address}:{self.routes}", routes: [{routes}] }}\n')

    def start(self) -> None:
        with open(self.folder / "log.txt", "ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, SERVER, "-c", self.folder / "nats.conf"], stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True)

    def get(self, path: str) -> dict:
        with urllib.request.urlopen(f"http://{self.address}:{self.monitor}{path}", timeout=3) as answer:
            return json.loads(answer.read())

    def ask(self, subject: str, body: str) -> str:
        """Returns the reply to a request, in NATS' own protocol."""
        with socket.create_connection((self.address, self.clients), timeout=5) as connection:
            file = connection.makefile("rb")
            file.readline()
            connection.sendall(
                b'CONNECT {"verbose": false}\r\nSUB replies 1\r\n'
                + f"PUB {subject} replies {len(body)}\r\n{body}\r\n".encode())
            while not (line := file.readline()).startswith(b"MSG "):
                assert line, "the server closed the connection"
            return file.read(int(line.split()[-1])).decode()

    def is_well(self) -> bool:
        try:
            return self.get("/healthz").get("status") == "ok"
        except OSError:
            return False

    def kill(self) -> None:
        self.process.kill()
        wait_gone(self.process)

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process and self.process.poll() is None else None


class Cluster:
    """Three servers, and the settings with which a service uses them."""

    def __init__(self, nodes: list[Node], synced: bool = True):
        self.nodes = nodes
        self.key = secrets.token_hex(32)
        for node in nodes:
            node.write([other for other in nodes if other is not node], synced)
        # A power cut must not take the settings.
        os.sync()

    @classmethod
    def here(cls, folders: list[Path] | None = None, synced: bool = True) -> "Cluster":
        """Three servers on this machine, in the given folders."""
        folders = folders or [Path(tempfile.mkdtemp(prefix="furrow-nats-")) for _ in range(3)]
        return cls([Node(f"node-{number}", "127.0.0.1", folder) for number, folder in enumerate(folders, 1)], synced)

    def start(self) -> "Cluster":
        for node in self.nodes:
            if not node.pid:
                node.start()
        self.wait_well()
        return self

    def wait_well(self) -> None:
        until(lambda: all(node.is_well() for node in self.nodes), ELECTION, "all servers of the cluster to be well")

    @property
    def settings(self) -> dict[str, str]:
        return {"FURROW_CLUSTER": ",".join(f"nats://{node.address}:{node.clients}" for node in self.nodes),
                "FURROW_CLUSTER_KEY": self.key}

    @property
    def pids(self) -> list[int]:
        return [node.pid for node in self.nodes if node.pid]

    def leader(self, stream: str) -> Node | None:
        """Returns the server that leads a stream, or None while none does."""
        for node in self.nodes:
            if not node.pid:
                continue
            try:
                status = node.get("/jsz?accounts=true&streams=true")
            except OSError:
                continue
            for account in status.get("account_details", []):
                for detail in account.get("stream_detail", []):
                    name = detail.get("cluster", {}).get("leader")
                    found = [other for other in self.nodes if other.name == name and other.pid]
                    if detail["name"] == stream and found:
                        return found[0]
        return None

    def subjects(self, stream: str) -> dict[str, int]:
        """Returns the number of messages of each kind in a stream, as its leader has them."""
        leader = self.lead(stream)
        state = json.loads(leader.ask(f"$JS.API.STREAM.INFO.{stream}", '{"subjects_filter": ">"}'))["state"]
        return {name.rsplit(".", 1)[1]: count for name, count in state["subjects"].items()}

    def lead(self, stream: str) -> Node:
        """Waits for the server that leads a stream."""
        until(lambda: self.leader(stream), ELECTION, f"a leader of {stream}")
        leader = self.leader(stream)
        assert leader
        return leader

    def destroy(self) -> None:
        for node in self.nodes:
            if node.pid:
                send(node.pid, signal.SIGCONT)
                node.kill()
            if str(node.folder).startswith(tempfile.gettempdir()) and not os.path.ismount(node.folder.parent):
                shutil.rmtree(node.folder, ignore_errors=True)


def own(folder: Path) -> Path:
    """Returns a folder for a server on a disk of a test."""
    made = folder / "nats"
    made.mkdir(exist_ok=True)
    hand_over(made)
    return made
