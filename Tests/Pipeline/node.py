"""furrow-node as a process, and a scripted farm as its upstream."""

import os
import signal
import socket
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from client import Client, until
from farm import PROGRAMS, free_port

ABOUT = "/.well-known/furrow-node"
#: What the gateway sends to nodes.
FOR_NODES = ("Furrow-Cache-Control", "max-age=5, stale-while-revalidate=60, stale-if-error=604800")


class Node:
    """A node before farms; its log is a file. The first farm has `port`, the next one the next port."""

    def __init__(self, home: Path, *upstreams: str, words: tuple[str, ...] = (), within: tuple[str, ...] = (),
                 address: str = "127.0.0.1"):
        self.home, self.address, self.within = home, address, within
        self.port = free_port()
        self.log = home.with_suffix(".log")
        named = [word for upstream in upstreams for word in ("--upstream", upstream)]
        self.words = [*named, "--port", str(self.port), "--home", str(home), "--address", address, *words]
        self.process: subprocess.Popen | None = None

    @property
    def command(self) -> list:
        return [*self.within, PROGRAMS / "furrow-node", *self.words]

    def start(self) -> "Node":
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(self.command, stderr=log)
        until(self.is_up, 20, "the node listens", pause=0.02)
        return self

    def is_up(self) -> bool:
        assert self.process and self.process.poll() is None, self.log.read_text()
        try:
            socket.create_connection((self.address, self.port), 1).close()
        except OSError:
            return False
        return True

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        assert self.process
        self.process.send_signal(how)
        return self.process.wait(30)

    def client(self, number: int = 0) -> Client:
        return Client(self.port + number)

    @property
    def report(self) -> dict:
        return self.client().get(ABOUT)

    def count(self, name: str) -> int:
        return self.report["counts"][name]

    def request(self, answer) -> dict:
        """The state of a deferred request, by the response that named it."""
        return self.client().get(f"{ABOUT}/requests/{answer.json['request']}")

    @property
    def resident(self) -> int:
        """The megabytes of memory that it uses."""
        assert self.process
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) // 1024

    def files(self) -> dict[str, bytes]:
        return {name: (self.home / name).read_bytes() for name in os.listdir(self.home)}


class ScriptedFarm:
    """An HTTP server whose responses a test sets by path; it counts requests by path, and their fields."""

    def __init__(self, port: int = 0):
        self.responses: dict[str, Callable[[], tuple[int, dict, bytes]]] = {}
        self.asked: Counter[str] = Counter()
        self.fields: list[tuple[str, str]] = []
        self.sent = 0
        #: Connections that are open when the server closes get no responses any more.
        self.is_closed = False
        farm = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if farm.is_closed:
                    self.close_connection = True
                    return
                farm.asked[self.path] += 1
                farm.fields += self.headers.items()
                status, headers, body = farm.response(self.path)
                if "ETag" in headers and self.headers.get("If-None-Match") == headers["ETag"]:
                    status, body = 304, b""
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                farm.sent += len(body)

            do_POST = do_PUT = do_DELETE = do_GET

            def log_message(self, *_) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 512

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def response(self, path: str) -> tuple[int, dict, bytes]:
        return self.responses.get(path.split("?")[0], lambda: (404, {}, b"nothing"))()

    def say(self, path: str, body: bytes | str, status: int = 200, **fields: str) -> None:
        """Sets the response to a path. Without other fields it is one that nodes store."""
        headers = {name.replace("_", "-"): value for name, value in fields.items()} or dict([FOR_NODES])
        content = body.encode() if isinstance(body, str) else body
        self.responses[path] = lambda: (status, headers, content)

    def close(self) -> None:
        self.is_closed = True
        self.server.shutdown()
        self.server.server_close()


def canaries(files: dict[str, bytes], words: list[str]) -> list[tuple[str, str]]:
    """Returns which words are in which files."""
    return [(name, word) for name, content in files.items() for word in words if word.encode() in content]

