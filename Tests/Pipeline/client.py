"""A client of the public API: JSON requests and responses, and an idempotency key for every change."""

import http.client
import json
import select
import socket
import threading
import time
import uuid
from dataclasses import dataclass
from urllib.parse import quote, urlencode


@dataclass(frozen=True)
class Answer:
    """A response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body)

    def __str__(self) -> str:
        return f"{self.status} {self.body[:400].decode(errors='replace')}"


class Unanswered(Exception):
    """Raised if repeated requests got no final response in time."""


class Client:
    """A caller with one kept-alive connection per thread, as in browsers."""

    #: Where farms are reached; tests with networks of their own set another address.
    HOST = "127.0.0.1"

    def __init__(self, port: int, token: str | None = None):
        self.port = port
        self.token = token
        self.local = threading.local()

    def call(
        self, method: str, path: str, body: dict | list | bytes | None = None, *, key: str | None = None,
        query: dict | None = None, timeout: float = 30, headers: dict[str, str] | None = None,
    ) -> Answer:
        """Sends one request. Connection errors reach the caller (OSError, HTTPException)."""
        sent = dict(headers or {})
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        if method != "GET":
            sent["Idempotency-Key"] = key or uuid.uuid4().hex
        if isinstance(body, bytes):
            sent.setdefault("Content-Type", "application/octet-stream")
        elif body is not None:
            sent["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        elif method in ("POST", "PUT"):
            sent["Content-Type"] = "application/json"
            body = b"{}"
        target = quote(path) + ("?" + urlencode(query) if query else "")
        connection = self.connection(timeout)
        if method == "GET" and connection.sock is not None and is_closed(connection.sock):
            # The server has closed the idle connection; browsers reconnect as well.
            connection.close()
        try:
            connection.request(method, target, body, sent)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        except (OSError, http.client.HTTPException):
            self.hang_up()
            raise

    def settle(self, method: str, path: str, body: dict | list | bytes | None = None, *, key: str | None = None,
               seconds: float = 60) -> Answer:
        """Repeats a request under one key until the response is final: a passed deadline or a 5xx means an unknown
        outcome, and 425 means that an event is not consumed yet.
        """
        key = key or uuid.uuid4().hex
        end = time.monotonic() + seconds
        last = "nothing"
        while time.monotonic() < end:
            try:
                answer = self.call(method, path, body, key=key, timeout=15)
            except (OSError, http.client.HTTPException) as error:
                last = repr(error)
            else:
                if answer.status not in (202, 425, 429) and answer.status < 500:
                    return answer
                last = str(answer)
            time.sleep(0.02)
        raise Unanswered(f"{method} {path} under {key}: {last} after {seconds} s")

    def get(self, path: str, **query) -> dict:
        """Returns the response of a successful GET."""
        answer = self.call("GET", path, query=query)
        assert answer.status == 200, f"GET {path}: {answer}"
        return answer.json

    def items(self, path: str, **query) -> list[dict]:
        """Returns all pages of a list."""
        found: list[dict] = []
        while True:
            page = self.get(path, **query)
            found += page["items"]
            if not page.get("next"):
                return found
            query["after"] = page["next"]

    def make(self, method: str, path: str, body: dict | bytes | None = None) -> dict:
        """Makes a change that must succeed."""
        answer = self.settle(method, path, body)
        assert answer.status in (200, 201), f"{method} {path} {body if isinstance(body, dict) else ''}: {answer}"
        return answer.json

    def connection(self, timeout: float) -> http.client.HTTPConnection:
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection(self.HOST, self.port, timeout=timeout)
            self.local.connection = connection
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection

    def hang_up(self) -> None:
        connection = getattr(self.local, "connection", None)
        if connection is not None:
            connection.close()
            self.local.connection = None


def is_closed(sock: socket.socket) -> bool:
    """Returns whether the other side of an idle connection has closed it."""
    return bool(select.select([sock], [], [], 0)[0])


class LiveFeed:
    """A subscriber of `/v1/live`, which records every message with its time of arrival."""

    def __init__(self, client: Client, topics: str):
        self.messages: list[tuple[float, str, dict]] = []
        self.changed = threading.Condition()
        self.connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=60)
        self.connection.request(
            "GET", f"/v1/live?topics={topics}", headers={"Authorization": f"Bearer {client.token}"})
        self.socket = self.connection.sock
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.status
        assert self.response.getheader("Content-Type").startswith("text/event-stream")
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        name, data = "message", []
        try:
            while line := self.response.readline():
                now = time.monotonic()
                text = line.decode().rstrip("\r\n")
                if text.startswith("event:"):
                    name = text[6:].strip()
                elif text.startswith("data:"):
                    data.append(text[5:].strip())
                elif text == "" and data:
                    with self.changed:
                        self.messages.append((now, name, json.loads("\n".join(data))))
                        self.changed.notify_all()
                    name, data = "message", []
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            # Closed by the test or by a stopped gateway: messages received so far stay.
            return

    def wait(self, seconds: float, wanted) -> tuple[float, dict] | None:
        """Returns the first matching message as soon as it arrives."""
        end = time.monotonic() + seconds
        with self.changed:
            while True:
                for at, _, message in self.messages:
                    if wanted(message):
                        return at, message
                left = end - time.monotonic()
                if left <= 0:
                    return None
                self.changed.wait(left)

    def close(self) -> None:
        # Closing alone would wait for the reading thread.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.connection.close()


def until(condition, seconds: float, why: str, pause: float = 0.05):
    """Polls a condition until it is true; returns its value, or raises an AssertionError with `why`."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"within {seconds} s: {why}"
        time.sleep(pause)
