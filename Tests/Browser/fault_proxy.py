"""A proxy between browser and gateway that injects faults: lost and altered responses, a dead network."""

import http.client
import json
import socket
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: Headers that belong to one connection only.
OF_A_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class QuietServer(ThreadingHTTPServer):
    """An HTTP server that does not log connections which the browser closed."""

    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Proxy:
    """Forwards requests to the server at `upstream` and listens on a free port of 127.0.0.1 from the start.

    A rule is named by the method and path of a request, `GET /v1/me`, or by the end of its path, `/passport`.
    """

    def __init__(self, upstream: int = 0):
        self.upstream = upstream
        #: Canned responses: `(503, {…})`, `"cut"` for a connection that breaks off, a list of these that is used up one
        #: by one, or a function that makes one from the path and query.
        self.override: dict = {}
        #: How many requests of a rule are forwarded while their response is dropped: `lose["POST /v1/sync"] = 2`
        self.lose: dict[str, int] = {}
        #: Functions that change the JSON of a response, by the end of its path.
        self.tamper: dict[str, Callable] = {}
        #: Functions that change the bytes of a response's body, by the end of its path.
        self.change: dict[str, Callable[[bytes], bytes]] = {}
        #: Functions that change the bytes of a request's body, by the end of its path.
        self.rewrite: dict[str, Callable[[bytes], bytes]] = {}
        #: Method and path of each request that came in.
        self.requests: list[tuple[str, str]] = []
        #: Path and status of each response that was passed on.
        self.passed: list[tuple[str, int]] = []
        self.sockets: set[socket.socket] = set()
        self.is_closed = True
        proxy = self

        class Handler(ProxyHandler):
            owner = proxy

        self.handler = Handler
        self.port = 0
        self.open()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def open(self) -> None:
        """Listens; after `close` on the same port again."""
        self.server = QuietServer(("127.0.0.1", self.port), self.handler)
        self.port = self.server.server_port
        self.is_closed = False
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self) -> None:
        """Refuses new connections and cuts those that are open."""
        if self.is_closed:
            return
        self.is_closed = True
        self.server.shutdown()
        self.server.server_close()
        for one in list(self.sockets):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def rule(self, rules: dict, method: str, path: str) -> Any:
        """The value of the first rule that fits a request, or None."""
        return next((value for name, value in rules.items()
                     if (name == f"{method} {path}" if " " in name else path.endswith(name))), None)

    def canned(self, method: str, path: str) -> Any:
        """The response that is given without asking the server, or None."""
        found = self.rule(self.override, method, path)
        if isinstance(found, list):
            return found.pop(0) if found else None
        return found(self.requests[-1][1]) if callable(found) else found

    def is_lost(self, method: str, path: str) -> bool:
        """Whether the response of this request is dropped; counts it."""
        for name in (f"{method} {path}", path):
            if method != "GET" and self.lose.get(name, 0) > 0:
                self.lose[name] -= 1
                return True
        return False

    def alters(self, method: str, path: str) -> bool:
        """Whether the body of this response is altered: it must be whole and uncompressed."""
        return any(self.rule(rules, method, path) is not None for rules in (self.change, self.tamper))

    def altered(self, method: str, path: str, kind: str, body: bytes) -> tuple[str, bytes]:
        """The content type and the body of a response as the browser gets them."""
        if (change := self.rule(self.change, method, path)) is not None:
            body = change(body)
        if (tamper := self.rule(self.tamper, method, path)) is not None:
            told = tamper(json.loads(body))
            if isinstance(told, tuple):
                return told
            body = json.dumps(told, ensure_ascii=False).encode()
        return kind, body


class ProxyHandler(BaseHTTPRequestHandler):
    """One connection of the browser."""

    owner: Proxy
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args) -> None:
        """Logs nothing: tests read `requests` and `passed`."""

    def setup(self) -> None:
        super().setup()
        self.upstream: http.client.HTTPConnection | None = None
        self.owner.sockets.add(self.connection)

    def finish(self) -> None:
        self.owner.sockets.discard(self.connection)
        self.hang_up()
        super().finish()

    def hang_up(self) -> None:
        if self.upstream is not None:
            self.upstream.close()
            self.upstream = None

    def ask(self, method: str, body: bytes, headers: dict[str, str]) -> tuple[http.client.HTTPResponse, socket.socket]:
        """Sends the request on; only reading is repeated if the server has closed an idle connection."""
        is_new = self.upstream is None or method != "GET"
        if is_new:
            self.hang_up()
            self.upstream = http.client.HTTPConnection("127.0.0.1", self.owner.upstream, timeout=60)
        upstream = self.upstream
        try:
            upstream.request(method, self.path, body or None, headers)
            return upstream.getresponse(), upstream.sock
        except (OSError, http.client.HTTPException):
            self.hang_up()
            if is_new:
                raise
            return self.ask(method, body, headers)

    def do_GET(self) -> None:
        self.answer("GET")

    def do_POST(self) -> None:
        self.answer("POST")

    def do_PUT(self) -> None:
        self.answer("PUT")

    def do_DELETE(self) -> None:
        self.answer("DELETE")

    def answer(self, method: str) -> None:
        owner, path = self.owner, self.path.split("?")[0]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if owner.is_closed:
            self.close_connection = True
            return
        owner.requests.append((method, self.path))
        canned = owner.canned(method, path)
        if canned == "cut":
            self.close_connection = True
        elif canned is not None:
            status, told = canned
            kind = "application/problem+json" if status >= 400 else "application/json"
            self.respond(status, [("Content-Type", kind)], json.dumps(told).encode())
        else:
            if method != "GET" and (rewrite := owner.rule(owner.rewrite, method, path)) is not None:
                body = rewrite(body)
            self.forward(method, path, body)

    def forward(self, method: str, path: str, body: bytes) -> None:
        """Asks the server and passes its response on, as the rules have it."""
        owner = self.owner
        left_out = OF_A_CONNECTION | ({"if-none-match", "accept-encoding"} if owner.alters(method, path) else set())
        headers = {name: value for name, value in self.headers.items() if name.lower() not in left_out}
        try:
            answer, upstream = self.ask(method, body, headers)
            if answer.headers.get_content_type() == "text/event-stream":
                self.stream(answer, upstream)
                return
            data = answer.read()
        except (OSError, http.client.HTTPException):
            # The server is stopped, and so is the proxy for the browser.
            self.close_connection = True
            return
        owner.passed.append((self.path, answer.status))
        if owner.is_lost(method, path):
            self.close_connection = True
            return
        told = [(name, value) for name, value in answer.getheaders() if name.lower() not in OF_A_CONNECTION]
        kind = answer.headers.get("Content-Type", "")
        new, data = owner.altered(method, path, kind, data) if answer.status < 300 else (kind, data)
        if new != kind:
            told = [(name, new if name.lower() == "content-type" else value) for name, value in told]
        self.respond(answer.status, told, data)

    def respond(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        try:
            self.send_response_only(status)
            for name, value in headers:
                self.send_header(name, value)
            if status not in (204, 304):
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def stream(self, answer: http.client.HTTPResponse, upstream: socket.socket) -> None:
        """Passes server-sent events on line by line, until the browser, the server or the proxy ends the stream."""
        self.close_connection = True
        self.owner.sockets.add(upstream)
        try:
            self.send_response_only(answer.status)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            while (line := answer.readline()) and not self.owner.is_closed:
                self.wfile.write(line)
                self.wfile.flush()
        finally:
            self.owner.sockets.discard(upstream)
