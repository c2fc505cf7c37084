"""A connection between two processes whose quality can be degraded: delayed, slow, fragmented, reset, silent."""

import os
import random
import select
import socket
import struct
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Weather:
    """The quality of a connection, the same for both directions unless one is closed."""

    name: str
    #: The delay of each piece in seconds, varied by half.
    latency: float = 0
    #: Bytes per second; None for no limit.
    rate: int | None = None
    #: The most bytes in one piece.
    slice: int = 65_536
    #: The probability that a piece is followed by a reset of its connection.
    resets: float = 0
    #: Nothing passes, and no error is reported: half open.
    silent: bool = False
    #: Nothing passes towards the server.
    deaf: bool = False
    #: New connections are refused and open ones are reset.
    down: bool = False


CLEAR = Weather("clear")


class BadNetwork:
    """A proxy that listens on its own socket and forwards bytes to another."""

    def __init__(self, path: Path, target: Path, seed: int = 1):
        self.target = target
        self.weather = CLEAR
        self.random = random.Random(seed)
        self.path = path
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        os.chmod(path, 0o666)
        self.listener.listen(64)
        self.pairs: list[tuple[socket.socket, socket.socket]] = []
        self.carried = 0
        self.resets = 0
        self.ending = threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def set(self, weather: Weather) -> None:
        # Data in a silent network is lost, as when a router restarts.
        if self.weather.silent or self.weather.deaf or weather.down:
            self.reset_all()
        self.weather = weather

    def reset_all(self) -> None:
        for pair in list(self.pairs):
            reset(pair)
        self.resets += len(self.pairs)
        self.pairs.clear()

    def accept(self) -> None:
        while not self.ending.is_set():
            try:
                if not select.select([self.listener], [], [], 0.1)[0]:
                    continue
                near, _ = self.listener.accept()
            except (OSError, ValueError):  # It was closed.
                return
            try:
                if self.weather.down:
                    raise OSError("down")
                far = socket.socket(socket.AF_UNIX)
                far.connect(str(self.target))
            except OSError:
                reset((near,))
                continue
            self.pairs.append((near, far))
            for source, sink, inward in ((near, far, True), (far, near, False)):
                threading.Thread(target=self.carry, args=(source, sink, inward), daemon=True).start()

    def carry(self, source: socket.socket, sink: socket.socket, inward: bool) -> None:
        try:
            while not self.ending.is_set():
                weather = self.weather
                if weather.silent or (weather.deaf and inward):
                    time.sleep(0.02)
                    continue
                if not select.select([source], [], [], 0.1)[0]:
                    continue
                piece = source.recv(weather.slice)
                if not piece:
                    break
                if weather.latency:
                    time.sleep(weather.latency * (0.5 + self.random.random()))
                if weather.rate:
                    time.sleep(len(piece) / weather.rate)
                sink.sendall(piece)
                self.carried += len(piece)
                if weather.resets and self.random.random() < weather.resets:
                    self.resets += 1
                    reset((source, sink))
                    return
        except (OSError, ValueError):
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def destroy(self) -> None:
        self.ending.set()
        self.reset_all()
        self.listener.close()


def reset(sockets) -> None:
    """Closes connections with a reset instead of an orderly end."""
    for one in sockets:
        try:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.shutdown(socket.SHUT_RDWR)
            one.close()
        except OSError:
            pass
