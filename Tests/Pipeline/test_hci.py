"""A Bluetooth controller that is monitored over a Unix socket and over a growing file; one process owns each."""

import os
import shutil
import socket
import struct
import tempfile
import threading
from pathlib import Path

from client import until
from farm import IS_ROOT, USER
from load import MEASURED
from tags import Tag
from test_replicas import slots


def packet(advert: dict) -> bytes:
    """Returns an LE Advertising Report event in H4 form."""
    data = bytes.fromhex(advert["hex"])
    address = bytes.fromhex(advert["address"].replace(":", ""))[::-1]
    body = bytes([2, 1, 3, 1]) + address + bytes([len(data)]) + data + struct.pack("b", advert["rssi"])
    return bytes([4, 0x3E, len(body)]) + body


class Controller:
    """A monitor socket: a client receives the packets that are sent after it connects."""

    def __init__(self, path: Path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        if IS_ROOT:
            shutil.chown(path, USER)
        self.listener.listen()
        self.readers: list[socket.socket] = []
        self.met = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                reader, _ = self.listener.accept()
            except OSError:
                return
            self.readers.append(reader)
            self.met += 1

    def tell(self, data: bytes) -> None:
        for reader in self.readers[:]:
            try:
                reader.sendall(data)
            except OSError:
                self.readers.remove(reader)


def test_a_controller_is_read_by_one_process_and_by_another_after_its_death(own_farm):
    folder = Path(tempfile.mkdtemp(prefix="furrow-hci-"))
    folder.chmod(0o755)
    controller = Controller(folder / "hci.sock")
    growing = folder / "growing.h4"
    growing.touch(mode=0o644)
    farm = own_farm(
        ingest=2, environment={"FURROW_SOURCES": f"hci:{folder}/hci.sock,hci:{growing}"}).start()
    try:
        until(lambda: len(slots(farm)) == 2 and all(map(farm.ready, slots(farm))), 20, "two slots ready")
        until(lambda: controller.met == 1, 10, "a process to connect")
        on_air, on_file = Tag(1, family=0xE3), Tag(2, family=0xE3)

        def counters(tag: Tag) -> list[int]:
            return [event["data"]["counter"] for event in farm.replay()
                    if event["type"] == MEASURED and event["data"]["device"] == tag.device]

        def tell(count: int) -> None:
            for turn in range(count):
                controller.tell(packet(on_air.advert(temperature=10 + turn / 10)))
                with open(growing, "ab") as file:
                    file.write(packet(on_file.advert(temperature=15 + turn / 10)))

        tell(20)
        until(lambda: counters(on_air) == counters(on_file) == list(range(1, 21)), 20, "20 reports of each tag")
        owner = next(event["source"] for event in farm.replay() if event["type"] == MEASURED)
        origin = owner.removeprefix("/")
        os.kill(farm.pid(origin), 9)
        until(lambda: controller.met == 2, 20, "the next process to connect")
        tell(20)
        until(lambda: counters(on_air) == list(range(1, 41)), 20, "20 more over the socket, each once")
        until(lambda: all(map(farm.ready, slots(farm))), 20, "both slots ready")
        read = counters(on_file)
        # Packets from before the next process opened the file are ignored.
        assert read == sorted(set(read)) and set(read) <= set(range(1, 41)) and len(read) >= 20
        origins = {event["source"] for event in farm.replay() if event["type"] == MEASURED}
        farm.audited()
        print(f"hci: {len(counters(on_air))} reports over a socket, {len(read)} of 40 over a growing file, "
              f"told by {sorted(origins)}")
    finally:
        controller.listener.close()
        shutil.rmtree(folder, ignore_errors=True)
