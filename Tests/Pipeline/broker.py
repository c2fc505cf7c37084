"""A Mosquitto broker on a loopback port, and a publisher that repeats what the broker has not acknowledged."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from client import until
from farm import free_port

USER, PASSWORD = "furrow", "s3cret of the barn"
#: Messages that are sent before the first of them is acknowledged.
WINDOW = 20


class Broker:
    """One broker with a password and persistence; `restart` keeps its sessions, as a system service does."""

    def __init__(self, certificate: tuple[Path, Path] | None = None):
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="furrow-mqtt-"))
        self.folder.chmod(0o755)
        self.password_file = self.folder / "password"
        self.password_file.write_text(PASSWORD + "\n")
        self.password_file.chmod(0o644)
        accounts = self.folder / "accounts"
        subprocess.run(["mosquitto_passwd", "-b", "-c", accounts, USER, PASSWORD], check=True, capture_output=True)
        self.configuration = self.folder / "mosquitto.conf"
        self.scheme = "mqtts" if certificate else "mqtt"
        tls = f"certfile {certificate[0]}\nkeyfile {certificate[1]}\n" if certificate else ""
        self.configuration.write_text(
            f"listener {self.port} 127.0.0.1\n{tls}allow_anonymous false\npassword_file {accounts}\n"
            f"persistence true\npersistence_location {self.folder}/\nuser {pwd.getpwuid(os.getuid()).pw_name}\n"
            "max_inflight_messages 1000\nmax_queued_messages 100000\nlog_type error\nlog_type warning\n")
        self.process: subprocess.Popen | None = None
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            ["mosquitto", "-c", self.configuration], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(self.folder / "log", "ab"))
        until(self.accepts, 10, "the broker to listen")

    def accepts(self) -> bool:
        assert self.process.poll() is None, (self.folder / "log").read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)

    def restart(self) -> None:
        self.stop()
        self.start()

    def close(self) -> None:
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def settings(self, **more: str) -> dict[str, str]:
        return {"FURROW_MQTT": f"{self.scheme}://localhost:{self.port}", "FURROW_MQTT_USER": USER,
                "FURROW_MQTT_PASSWORD_FILE": str(self.password_file)} | more


def text(value: str) -> bytes:
    return len(value.encode()).to_bytes(2, "big") + value.encode()


def packet(head: int, body: bytes) -> bytes:
    length, rest = b"", len(body)
    while True:
        rest, digit = divmod(rest, 128)
        length += bytes([digit | (128 if rest else 0)])
        if not rest:
            return bytes([head]) + length + body


class Publisher:
    """Publishes at QoS 1 (MQTT 3.1.1). Every message is with the broker once `publish` has returned."""

    def __init__(self, broker: Broker):
        self.broker = broker
        self.socket: socket.socket | None = None
        self.reconnected = 0

    def connect(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self.broker.port), 10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(packet(
            0x10, text("MQTT") + b"\x04\xc2\x00\x3c" + text("publisher") + text(USER) + text(PASSWORD)))
        head, _, _, code = self.exactly(4)
        assert head == 0x20 and code == 0, code

    def exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("the broker has closed the connection")
            data += part
        return data

    def publish(self, messages: list[tuple[str, bytes]], retained: bool = False, seconds: float = 60) -> None:
        """Sends messages in order. After a lost connection it sends those again that were not acknowledged."""
        waiting = list(messages)
        deadline = time.monotonic() + seconds
        while waiting:
            window = waiting[:WINDOW]
            try:
                if self.socket is None:
                    self.connect()
                self.socket.sendall(b"".join(
                    packet(0x33 if retained else 0x32, text(topic) + number.to_bytes(2, "big") + payload)
                    for number, (topic, payload) in enumerate(window, 1)))
                for _ in window:
                    assert self.exactly(4)[0] == 0x40
                    waiting.pop(0)
            except OSError:
                assert time.monotonic() < deadline, "the broker does not come back"
                self.close()
                self.reconnected += 1
                time.sleep(0.05)

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()
        self.socket = None
