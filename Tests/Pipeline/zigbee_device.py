"""ZigBee sensors that join a simulated coordinator, describe themselves and are set up to report."""

import struct
import threading
import time

from coordinator import FakeCoordinator, frame


def number(value: int, width: int) -> bytes:
    return value.to_bytes(width, "little")


def overheard(source: int, cluster: int, transaction: int, body: bytes):
    """A message of the device object, as the coordinator passes it on to a host that subscribed."""
    return (0x45FF, struct.pack("<HBHBBH", source, 0, cluster, 0, transaction, 0) + body)


class Device:
    """A ZigBee sensor: endpoint 1 with a basic cluster, a battery, and the clusters that it measures."""

    def __init__(
        self, serial: int, *clusters: int, maker: str = "LUMI", model: str = "lumi.weather", is_awake: bool = True,
        refuses: tuple[int, ...] = (),
    ):
        self.serial = serial
        self.short = 0x3000 + serial
        self.ieee = 0x00158D0001000000 + serial
        self.clusters = [0x0000, 0x0001, *clusters]
        self.maker, self.model = maker, model
        self.is_awake = is_awake
        #: The clusters whose reports it does not set up.
        self.refuses = refuses
        self.network: FakeCoordinator | None = None
        self.bound: dict[int, tuple[int, int]] = {}
        self.configured: dict[int, bytes] = {}
        self.enrolled: int | None = None
        self.replies: list[tuple[int, bytes]] = []
        self.counter = 0
        self.has_left = threading.Event()

    @property
    def device(self) -> str:
        return f"zb:{self.ieee:016x}"

    def describe(self, cluster: int, payload: bytes):
        """Responds to a request of the device object."""
        head = b"\0" + number(self.short, 2)
        match cluster:
            case 0x0002:
                body = head + bytes([2, 64, 0x80]) + number(0x115F, 2) + bytes([127, 100, 0, 0, 0, 100, 0, 0])
            case 0x0005:
                body = head + bytes([2, 1, 242])
            case 0x0004:
                listed = b"".join(number(one, 2) for one in self.clusters)
                simple = bytes([payload[3]]) + number(0x0104, 2) + number(0x0302, 2) + b"\1" + bytes(
                    [len(self.clusters)]) + listed + b"\0"
                body = head + bytes([len(simple)]) + simple
            case 0x0021:
                bound = int.from_bytes(payload[10:12], "little")
                self.bound[bound] = (int.from_bytes(payload[13:21], "little"), payload[21])
                body = b"\0"
            case 0x0034:
                self.has_left.set()
                return [overheard(self.short, 0x8034, payload[0], b"\0"),
                        (0x45C9, struct.pack("<HQBBB", self.short, self.ieee, 1, 0, 0))]
            case _:
                body = b"\x84"
        return [overheard(self.short, cluster | 0x8000, payload[0], body)]

    def command(self, endpoint: int, cluster: int, payload: bytes):
        """Responds to a command of the cluster library."""
        control, transaction, command = payload[:3]
        self.replies.append((cluster, payload))
        if control & 3:
            return []
        match command:
            case 0x00:
                text = [(4, self.maker), (5, self.model)]
                values = b"".join(number(attribute, 2) + b"\0\x42" + bytes([len(name)]) + name.encode()
                                  for attribute, name in text)
                return [self.message(cluster, bytes([0x18, transaction, 0x01]) + values)]
            case 0x06:
                if cluster in self.refuses:
                    return [self.message(cluster, bytes([0x18, transaction, 0x07, 0x8C, 0, 0, 0]))]
                self.configured[cluster] = payload[3:]
                return [self.message(cluster, bytes([0x18, transaction, 0x07, 0]))]
            case 0x02:
                self.enrolled = int.from_bytes(payload[6:14], "little")
                return [self.message(cluster, bytes([0x18, transaction, 0x04, 0]))]
        return []

    def message(self, cluster: int, data: bytes):
        self.counter += 1
        if self.network is not None and self.network.air is not None:
            self.network.air.note(self.ieee, self.short, cluster, data, int(time.time()))
        return (0x4481, struct.pack(
            "<HHHBBBBBIBB", 0, cluster, self.short, 1, 1, 0, 180, 0, 0, self.counter & 0xFF, len(data))
            + data + struct.pack("<HB", self.short, 29))

    def send(self, cluster: int, data: bytes) -> None:
        """Sends a frame of the cluster library by itself."""
        assert self.network is not None, "a device that has joined"
        self.network.write(frame(*self.message(cluster, data)))

    def report(self, cluster: int, type_: int, value: int, control: int = 0x18) -> None:
        """Reports the measured value of a cluster; `control` 0x08 expects a response."""
        width = 1 if type_ == 0x20 else 2
        self.send(cluster, struct.pack("<BBBHB", control, (self.counter + 1) & 0xFF, 0x0A, 0, type_)
                  + value.to_bytes(width, "little", signed=type_ == 0x29))
