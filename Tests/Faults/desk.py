"""A client that sends many requests to a service at once, and records what was acknowledged.

A message of the bus: nine bytes (version and kind, request number), a JSON header, a body.
"""

import json
import os
import struct
import threading
import time
import uuid
from dataclasses import dataclass, field

import zmq
from tags import Tag

ASKED, ANSWERED = 0x16, 0x17
ACTOR = "service/sync-gateway"


@dataclass
class Wanted:
    """A command that is repeated unchanged until it gets a response."""

    verb: str
    body: bytes
    #: The names under which it will be found; empty if the response contains them.
    names: list = field(default_factory=list)
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    entropy: str = field(default_factory=lambda: os.urandom(16).hex())
    actor: str = ACTOR

    def frames(self, number: int) -> list[bytes]:
        header = {"verb": self.verb, "actor": self.actor, "key": self.key, "entropy": self.entropy, "deadline": 60_000}
        return [struct.pack(">BQ", ASKED, number), json.dumps(header).encode(), self.body]


class Asker:
    """One connection with up to `inflight` open commands; `make` creates them.

    Without a pause it sends a command as soon as a response arrives. A test whose faults take minutes sets a pause in
    seconds between commands, because all acknowledged ones are read back.
    """

    def __init__(self, endpoint: str, make, inflight: int = 32, pause: float = 0):
        self.endpoint = endpoint
        self.make = make
        self.inflight = inflight
        self.pause = pause
        self.next = 0.0
        self.context = zmq.Context()
        self.open: dict[int, Wanted] = {}
        self.last = 0
        #: The acknowledged commands: (wanted, response).
        self.acknowledged: list[tuple[Wanted, dict]] = []
        #: Responses with other statuses.
        self.refused: list[tuple[int, dict]] = []
        self.stopping = threading.Event()
        self.thread: threading.Thread | None = None

    def dial(self) -> zmq.Socket:
        socket = self.context.socket(zmq.DEALER)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.IMMEDIATE, 1)
        socket.setsockopt(zmq.RECONNECT_IVL, 10)
        socket.connect(self.endpoint)
        return socket

    def start(self) -> "Asker":
        self.stopping.clear()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def stop(self, seconds: float = 20) -> None:
        self.stopping.set()
        self.thread.join(seconds)
        assert not self.thread.is_alive()

    def run(self) -> None:
        """Sends commands; those without a response are repeated first after a reconnect, with the same bytes."""
        socket = self.dial()
        try:
            for number, wanted in list(self.open.items()):
                if not self.send(socket, number, wanted):
                    return
            while not self.stopping.is_set():
                while len(self.open) < self.inflight and self.is_time() and not self.stopping.is_set():
                    self.last += 1
                    wanted = self.make()
                    self.open[self.last] = wanted
                    if not self.send(socket, self.last, wanted):
                        return
                self.take(socket, int(1000 * self.pause) or 10)
            # Responses that have arrived already were acknowledged, too.
            while self.take(socket, 0):
                pass
        finally:
            socket.close()

    def is_time(self) -> bool:
        """Returns whether the next command is due, and schedules the one after it."""
        now = time.monotonic()
        if now < self.next:
            return False
        self.next = now + self.pause
        return True

    def send(self, socket: zmq.Socket, number: int, wanted: Wanted) -> bool:
        while not self.stopping.is_set():
            if socket.poll(20, zmq.POLLOUT):
                try:
                    socket.send_multipart(wanted.frames(number), zmq.DONTWAIT)
                    return True
                except zmq.Again:
                    pass
            self.take(socket, 0)
        return False

    def take(self, socket: zmq.Socket, milliseconds: int) -> bool:
        if not socket.poll(milliseconds):
            return False
        while True:
            try:
                head, header, body = socket.recv_multipart(zmq.DONTWAIT)
            except zmq.Again:
                return True
            kind, number = struct.unpack(">BQ", head)
            assert kind == ANSWERED, head
            wanted = self.open.pop(number, None)
            if wanted is None:
                continue
            status = json.loads(header)["status"]
            answer = json.loads(body)
            if status in (200, 201):
                self.acknowledged.append((wanted, answer))
            else:
                self.refused.append((status, answer))

    def ask(self, wanted: Wanted, seconds: float = 20) -> tuple[int, dict]:
        """Sends one command once, on its own connection."""
        socket = self.dial()
        try:
            if not socket.poll(int(seconds * 1000), zmq.POLLOUT):
                return 0, {"detail": f"nobody is at {self.endpoint}"}
            socket.send_multipart(wanted.frames(1))
            if not socket.poll(int(seconds * 1000)):
                return 0, {"detail": f"{wanted.verb}: no answer within {seconds} s"}
            _, header, body = socket.recv_multipart()
            return json.loads(header)["status"], json.loads(body)
        finally:
            socket.close()

    def destroy(self) -> None:
        if self.thread and self.thread.is_alive():
            self.stop()
        self.context.destroy(0)


class Adverts:
    """A gateway that receives its own tags; every advertisement is a new one."""

    def __init__(self, each: int = 2, family: int = 0xD1):
        self.each = each
        self.family = family
        self.made = 0
        self.tags: list[Tag] = []

    def __call__(self) -> Wanted:
        if self.made % 20_000 == 0:
            first = len(self.tags) + self.made // 20_000 * 64
            self.tags = [Tag(first + index, family=self.family) for index in range(64)]
        chosen = [self.tags[(self.made + index) % 64] for index in range(self.each)]
        self.made += self.each
        adverts = [tag.advert(temperature=20 + self.made % 40 / 10) for tag in chosen]
        names = [(tag.device, tag.sequence) for tag in chosen]
        return Wanted("ingest-adverts", json.dumps({"adverts": adverts, "source": "gateway/f"}).encode(), names)


class Activities:
    """A grower who records activities on one plot."""

    def __init__(self):
        self.made = 0

    def __call__(self) -> Wanted:
        self.made += 1
        body = {"plot": "p1", "kind": "irrigating", "amount": self.made, "unit": "l"}
        return Wanted("record-activity", json.dumps(body).encode())


SET_UP = [
    Wanted("found-farm", json.dumps({"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"}).encode()),
    Wanted("lay-out-plot", json.dumps({"farm": "sonnhof", "plot": "p1", "title": "Plot 1"}).encode()),
]
