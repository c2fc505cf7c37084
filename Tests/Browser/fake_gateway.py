"""A gateway for the pages to talk to: serves Web/ as the real one does, answers the API from a small farm in memory.

Everything that is signed is signed for real. Run it by hand to develop: `python3 fake_gateway.py [port]`.
"""

import hashlib
import json
import mimetypes
import re
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from farm_api import FarmAPI
from farm_state import FarmState, Refused
from sample_farm import sample_farm

WEB = Path(__file__).resolve().parents[2] / "Services" / "SyncGateway" / "Web"
LIBRARIES = {"/assets/lib/dygraphs/": Path("/usr/share/javascript/dygraphs")}
#: What the real gateway sends.
POLICY = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
#: The first part of the buyers' addresses.
SHOP = ("", "directory", "farms", "shop", "products", "cart", "checkout", "orders", "settings", "sign-in",
        "forgot", "reset")
STORY = re.compile(r"^/(S1[A-Z0-9]{4}[A-Z2-7]*/)?01/", re.IGNORECASE)
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("application/manifest+json", ".webmanifest")


class QuietServer(ThreadingHTTPServer):
    """Browsers that close a connection in the middle are no news."""

    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class FakeGateway:
    """Starts on a free port of 127.0.0.1; `stop` really closes it, `start` opens the same port again."""

    def __init__(self, farm: FarmState | None = None, port: int = 0):
        self.farm = farm or sample_farm()
        self.api = FarmAPI(self.farm)
        self.port = port
        self.requests: list[tuple[str, str]] = []
        #: Changes answers on their way out: `tamper["passport"] = lambda answer: …`
        self.tamper: dict[str, Callable[[dict], dict]] = {}
        #: Answers instead of the farm: `override["GET /v1/me"] = (503, {...})`; a list is used up one by one.
        self.override: dict = {}
        #: How often a change is carried out and its answer is lost: `lose["POST /v1/sync"] = 2`
        self.lose: dict[str, int] = {}
        #: Where the pages lie: another folder is another build of them.
        self.web = WEB
        #: The operator's own maps (GeoJSON), by the names of their files.
        self.maps: dict[str, dict] = {}
        self.server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "FakeGateway":
        gateway = self

        class Handler(GatewayHandler):
            owner = gateway

        self.server = QuietServer(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_port
        self.api.public_url = self.url
        self.api.closed.clear()
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self) -> None:
        if self.server is None:
            return
        self.api.closed.set()
        self.server.shutdown()
        self.server.server_close()
        self.server = None

    def story(self, lot: str, serial: str | None = None, signed: bool = True) -> str:
        """The address on a label of the lot."""
        if signed:
            return self.url + self.farm.label_path(lot, serial)
        return f"{self.url}/01/{self.farm.lot(lot)['gtin']}/10/{lot}"


class GatewayHandler(BaseHTTPRequestHandler):
    """One request."""

    owner: FakeGateway
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args) -> None:
        """Quiet: the tests look at `requests`."""

    def do_GET(self) -> None:
        self.answer("GET")

    def do_POST(self) -> None:
        self.answer("POST")

    def do_PUT(self) -> None:
        self.answer("PUT")

    def do_DELETE(self) -> None:
        self.answer("DELETE")

    def answer(self, method: str) -> None:
        if self.owner.server is None:
            # Connections that were open when the server stopped are of no use either.
            self.close_connection = True
            return
        url = urlsplit(self.path)
        path = unquote(url.path)
        self.owner.requests.append((method, self.path))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            if path.startswith("/media/"):
                data = self.owner.api.market.media.get(path.removeprefix("/media/"))
                self.send_bytes(200 if data else 404, data or b"", "image/png")
            elif path.startswith(("/v1/", "/ledger/")):
                self.answer_api(method, path, {name: values[0] for name, values in parse_qs(url.query).items()}, body)
            else:
                self.answer_file(path)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def answer_api(self, method: str, path: str, query: dict, body: bytes) -> None:
        canned = self.owner.override.get(f"{method} {path}")
        if isinstance(canned, list):
            canned = canned.pop(0) if canned else None
        if canned == "cut":
            self.close_connection = True
            return
        if canned is not None:
            self.send_json(*canned)
            return
        if path == "/v1/live":
            self.stream(query)
            return
        try:
            key = self.headers.get("Idempotency-Key")
            status, answer, headers = self.owner.api.answer(method, path, query, body, key, self.headers)
        except Refused as refused:
            self.send_json(refused.status, refused.body(), {}, "application/problem+json")
            return
        if canned_after := self.owner.lose.get(f"{method} {path}"):
            self.owner.lose[f"{method} {path}"] = canned_after - 1
            self.close_connection = True
            return
        name = "passport" if path.endswith("/passport") else path
        if name in self.owner.tamper:
            answer = self.owner.tamper[name](answer)
        if isinstance(answer, tuple):
            self.send_bytes(status, answer[1], answer[0])
        else:
            self.send_json(status, answer, headers)

    def stream(self, query: dict) -> None:
        """`/v1/live`: events as they come, and a comment now and then."""
        self.owner.api.who(self.headers)
        inbox = self.owner.api.listen()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(b": welcome\n\n")
        self.wfile.flush()
        self.close_connection = True
        while not self.owner.api.closed.is_set():
            for name, data in inbox.take(0.1):
                self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())
                self.wfile.flush()

    def answer_file(self, path: str) -> None:
        if STORY.match(path):
            self.send_file(self.owner.web / "story.html")
        elif path.split("/")[1] in SHOP:
            self.send_file(self.owner.web / "index.html")
        elif path in ("/setup", "/staff"):
            self.send_file(self.owner.web / "staff.html")
        elif path == "/sw.js":
            self.send_bytes(200, self.worker(), "text/javascript")
        elif path == "/manifest.webmanifest":
            self.send_file(self.owner.web / path[1:])
        elif path == "/assets/maps/own.json":
            self.send_json(200, {"files": [f"own/{name}" for name in self.owner.maps]})
        elif path.startswith("/assets/maps/own/"):
            self.send_json(200, self.owner.maps[path.removeprefix("/assets/maps/own/")])
        elif path.startswith("/assets/"):
            folder, name = next(
                ((folder, path[len(prefix):]) for prefix, folder in LIBRARIES.items() if path.startswith(prefix)),
                (self.owner.web, path[len("/assets/"):]))
            file = (folder / name).resolve()
            self.send_file(file if file.is_relative_to(folder.resolve()) else folder / "none")
        else:
            self.send_file(self.owner.web / "none")

    def worker(self) -> bytes:
        """The service worker, which says what build its pages are of."""
        build = hashlib.sha256()
        for file in sorted(file for file in self.owner.web.rglob("*") if file.is_file()):
            build.update(file.read_bytes())
        return (self.owner.web / "sw.js").read_bytes().replace(b"BUILD", build.hexdigest()[:32].encode())

    def send_file(self, file: Path) -> None:
        if not file.is_file():
            self.send_bytes(404, b"not found", "text/plain")
            return
        self.send_bytes(200, file.read_bytes(), mimetypes.guess_type(file.name)[0] or "application/octet-stream")

    def send_json(self, status: int, body: object, headers: dict | None = None, kind: str | None = None) -> None:
        kind = kind or ("application/problem+json" if status >= 400 else "application/json")
        self.send_bytes(status, json.dumps(body, ensure_ascii=False).encode(), kind, headers)

    def send_bytes(self, status: int, body: bytes, kind: str, headers: dict | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind + ("; charset=utf-8" if kind.startswith("text/") else ""))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    running = FakeGateway(port=int(sys.argv[1]) if len(sys.argv) > 1 else 8099).start()
    print(running.url, running.story("L260714-TOM"), f"{running.url}/setup#{running.api.setup_token}", sep="\n")
    threading.Event().wait()
