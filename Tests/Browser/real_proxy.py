"""Somebody between browser and server who can change every answer on its way."""

import http.client
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

from fake_gateway import QuietServer

#: Headers that speak of one connection only.
OF_A_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Proxy:
    """Passes everything on to the server at `port`; listens on a free port of 127.0.0.1 from the start."""

    def __init__(self, port: int):
        self.upstream = port
        #: What changes an answer's body, by the end of the path: `change["/passport"] = lambda body: …`
        self.change: dict[str, Callable[[bytes], bytes]] = {}
        #: What changes what is asked, in the same way.
        self.rewrite: dict[str, Callable[[bytes], bytes]] = {}
        #: How often a change is passed on and its answer is not: `lose["/v1/sync"] = 1`
        self.lose: dict[str, int] = {}
        #: What was passed on: path with query, and status.
        self.passed: list[tuple[str, int]] = []
        self.is_closed = False
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
        """Listens; after `close` at the same port again."""
        self.server = QuietServer(("127.0.0.1", self.port), self.handler)
        self.port = self.server.server_port
        self.is_closed = False
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @staticmethod
    def changed(changes: dict[str, Callable[[bytes], bytes]], path: str, body: bytes) -> bytes:
        for end, change in changes.items():
            if path.split("?")[0].endswith(end):
                return change(body)
        return body

    def close(self) -> None:
        """From now on nobody is answered, on connections that are open neither."""
        self.is_closed = True
        self.server.shutdown()
        self.server.server_close()


class ProxyHandler(BaseHTTPRequestHandler):
    """One request."""

    owner: Proxy
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args) -> None:
        """Quiet: the tests look at `passed`."""

    def do_GET(self) -> None:
        self.answer("GET")

    def do_POST(self) -> None:
        self.answer("POST")

    def do_PUT(self) -> None:
        self.answer("PUT")

    def do_DELETE(self) -> None:
        self.answer("DELETE")

    def answer(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.owner.is_closed:
            self.close_connection = True
            return
        if method != "GET":
            body = self.owner.changed(self.owner.rewrite, self.path, body)
        connection = http.client.HTTPConnection("127.0.0.1", self.owner.upstream, timeout=30)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in OF_A_CONNECTION}
            connection.request(method, self.path, body or None, headers)
            answer = connection.getresponse()
            if answer.headers.get_content_type() == "text/event-stream":
                self.stream(answer)
                return
            body = self.owner.changed(self.owner.change, self.path, answer.read())
        except OSError:
            # The server is stopped: so is this.
            self.close_connection = True
            return
        finally:
            connection.close()
        self.owner.passed.append((self.path, answer.status))
        if method != "GET" and self.owner.lose.get(self.path, 0) > 0:
            self.owner.lose[self.path] -= 1
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in OF_A_CONNECTION:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, answer: http.client.HTTPResponse) -> None:
        """Line by line, until one of the three has had enough."""
        self.close_connection = True
        self.send_response_only(answer.status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        while (line := answer.readline()) and not self.owner.is_closed:
            self.wfile.write(line)
            self.wfile.flush()
