"""A reverse proxy in front of the gateway, which names the caller and can serve TLS."""

import http.client
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: Headers of a single connection.
OF_A_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length"}

#: A change of a response: method, path, status and body to status and body.
Change = Callable[[str, str, int, bytes], tuple[int, bytes]]


class Proxy:
    """Forwards everything to the server at `port`; listens on a free port of 127.0.0.1 until it is closed."""

    def __init__(self, port: int, *, tls: ssl.SSLContext | None = None, callers: Callable[[], str] | None = None,
                 change: Change | None = None):
        self.upstream = port
        self.scheme = "https" if tls else "http"
        #: Returns the caller's address to forward; None forwards the real one.
        self.callers = callers
        self.change = change
        proxy = self

        class Handler(ProxyHandler):
            owner = proxy

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class ProxyHandler(BaseHTTPRequestHandler):
    """The handler of one connection."""

    owner: Proxy
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args) -> None:
        """Suppresses the log: tests check the responses."""

    def __getattr__(self, name: str):
        """Forwards every method, including unknown ones."""
        if name.startswith("do_"):
            return lambda: self.pass_on(name[3:])
        raise AttributeError(name)

    def pass_on(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        upstream = http.client.HTTPConnection("127.0.0.1", self.owner.upstream, timeout=30)
        try:
            upstream.putrequest(method, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in OF_A_CONNECTION:
                    upstream.putheader(name, value)
            caller = self.owner.callers() if self.owner.callers else self.client_address[0]
            upstream.putheader("X-Forwarded-For", caller)
            upstream.putheader("X-Forwarded-Proto", self.owner.scheme)
            if body or self.headers.get("Content-Length"):
                upstream.putheader("Content-Length", str(len(body)))
            upstream.endheaders(body or None)
            answer = upstream.getresponse()
            is_endless = answer.getheader("Content-Type", "").startswith("text/event-stream")
            # The end of an event stream is not awaited: its first bytes show what it is.
            content = answer.read1() if is_endless else answer.read()
        except (OSError, http.client.HTTPException):
            self.close_connection = True
            return
        finally:
            upstream.close()
        self.give(method, answer, content)

    def give(self, method: str, answer: http.client.HTTPResponse, content: bytes) -> None:
        status = answer.status
        if self.owner.change:
            status, content = self.owner.change(method, self.path, status, content)
        self.send_response_only(status)
        for name, value in answer.getheaders():
            if name.lower() not in OF_A_CONNECTION:
                self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if method != "HEAD":
            self.wfile.write(content)
