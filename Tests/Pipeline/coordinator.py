"""A simulated ZigBee coordinator on a pseudo terminal, with the frames of a Z-Stack network processor and its nodes.

Frames: `FE`, length, two command bytes, data, exclusive or (TI Unified Network Processor Interface).
"""

import os
import select
import struct
import threading
import time
import tty

from farm import hand_over
from sniffed import Air

#: The coordinator's own IEEE address, and the first of its nodes'.
IEEE = 0x00124B000F000000
FIRST_NODE = 0x00124B000D000000
#: AF_INCOMING_MSG
INCOMING = 0x4481
#: The endpoint and cluster of our own nodes: profile 0xF0A0, cluster 1.
NODE_ENDPOINT, NODE_CLUSTER = 240, 0x0001
#: The endpoint and cluster of Home Automation.
HOME_ENDPOINT, TEMPERATURE_CLUSTER = 1, 0x0402


class Node:
    """One node in the field: a short address, an IEEE address, and a number that grows with every report."""

    def __init__(self, number: int):
        self.number = number
        self.short = 0x2000 + number
        self.ieee = FIRST_NODE + number
        self.counter = 0

    @property
    def device(self) -> str:
        return f"zb:{self.ieee:016x}"


class FakeCoordinator:
    """Responds to a driver as a coordinator with a formed network, and forwards what its nodes send."""

    def __init__(self):
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        hand_over(self.path)
        # Only the driver holds the line open: with two owners each would receive half of the bytes.
        os.close(slave)
        self.nodes: dict[int, Node] = {}
        #: What a sniffer beside it records; nothing unless a test begins to.
        self.air: Air | None = None
        #: Codes of the frames received from the driver.
        self.heard: list[int] = []
        self.subscribed = threading.Event()
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self.rest = b""
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    @property
    def source(self) -> str:
        return f"znp:{self.path}"

    def node(self, number: int) -> Node:
        node = Node(number)
        self.nodes[node.short] = node
        return node

    # What nodes send

    def announce(self, node: Node) -> None:
        """ZDO_END_DEVICE_ANNCE_IND: a node announces itself."""
        self.write(frame(0x45C1, struct.pack("<HHQB", node.short, node.short, node.ieee, 0x80)))

    def report(
        self, node: Node, temperature: float | None = None, humidity: float | None = None,
        illuminance: float | None = None, voltage: float | None = None,
    ) -> float:
        """Sends one report in the layout `furrow-node-1`; returns the time when its last byte was written."""
        node.counter += 1
        data = struct.pack(
            "<hHIHH",
            -0x8000 if temperature is None else round(temperature * 100),
            0xFFFF if humidity is None else round(humidity * 100),
            0xFFFFFFFF if illuminance is None else round(illuminance * 10),
            0xFFFF if voltage is None else round(voltage * 1000), node.counter)
        return self.write(incoming(node, NODE_CLUSTER, NODE_ENDPOINT, data))

    def report_temperature(self, node: Node, temperature: float) -> float:
        """One attribute report of the cluster library: MeasuredValue of 0x0402, a signed 16-bit number of 0.01 °C."""
        node.counter += 1
        data = struct.pack("<BBBHBh", 0x18, node.counter & 0xFF, 0x0A, 0x0000, 0x29, round(temperature * 100))
        return self.write(incoming(node, TEMPERATURE_CLUSTER, HOME_ENDPOINT, data))

    def noise(self, data: bytes) -> None:
        """Sends bytes outside of any frame."""
        self.write(data)

    # The line

    def write(self, data: bytes) -> float:
        """Writes everything; raises an AssertionError if the driver stops reading."""
        end = time.monotonic() + 20
        with self.lock:
            while data:
                assert select.select([], [self.master], [], 1)[1] or time.monotonic() < end, "a driver that reads"
                data = data[os.write(self.master, data[:1024]):]
            return time.monotonic()

    def listen(self) -> None:
        while not self.closing.is_set():
            try:
                data = os.read(self.master, 4096) if select.select([self.master], [], [], 0.2)[0] else None
            except OSError:
                # EIO: the other end is not open at the moment.
                self.closing.wait(0.02)
                continue
            if data:
                self.take(data)

    def take(self, data: bytes) -> None:
        self.rest += data
        while (start := self.rest.find(b"\xfe")) >= 0 and len(self.rest) >= start + 5:
            length = self.rest[start + 1]
            if len(self.rest) < start + 5 + length:
                return
            whole = self.rest[start:start + 5 + length]
            self.rest = self.rest[start + 5 + length:]
            assert check(whole[1:-1]) == whole[-1], f"a frame whose check is wrong: {whole.hex()}"
            self.answer(whole[2] << 8 | whole[3], whole[4:-1])

    def answer(self, code: int, data: bytes) -> None:
        self.heard.append(code)
        match code:
            case 0x2101:  # SYS_PING
                self.write(frame(0x6101, struct.pack("<H", 0x0659)))
            case 0x2102:  # SYS_VERSION: Z-Stack 3.x.0
                self.write(frame(0x6102, bytes([2, 1, 2, 7, 1]) + struct.pack("<I", 20211217)))
            case 0x2108:  # SYS_OSAL_NV_READ: this memory is not read out
                self.write(frame(0x6108, b"\x02\x00"))
            case 0x2700:  # UTIL_GET_DEVICE_INFO: a coordinator whose network is up
                self.write(frame(0x6700, struct.pack("<BQHBBB", 0, IEEE, 0, 7, 9, 0)))
            case 0x2540:  # ZDO_STARTUP_FROM_APP
                self.write(frame(0x6540, b"\x00") + frame(0x45C0, b"\x09"))
            case 0x2400:  # AF_REGISTER
                self.write(frame(0x6400, b"\x00"))
            case 0x253E:  # ZDO_MSG_CB_REGISTER
                self.write(frame(0x653E, b"\x00"))
                self.subscribed.set()
            case 0x2501:  # ZDO_IEEE_ADDR_REQ
                self.write(frame(0x6501, b"\x00"))
                node = self.nodes.get(struct.unpack_from("<H", data)[0])
                if node:
                    self.write(frame(0x4581, struct.pack("<BQHBB", 0, node.ieee, node.short, 0, 0)))

    def close(self) -> None:
        self.closing.set()
        self.thread.join(2)
        os.close(self.master)


def frame(code: int, data: bytes) -> bytes:
    middle = bytes([len(data), code >> 8, code & 0xFF]) + data
    return b"\xfe" + middle + bytes([check(middle)])


def incoming(node: Node, cluster: int, endpoint: int, data: bytes) -> bytes:
    """AF_INCOMING_MSG with the trailer that firmware appends: the last router and the hops left."""
    head = struct.pack(
        "<HHHBBBBBIBB", 0, cluster, node.short, endpoint, endpoint, 0, 180, 0, 0, node.counter & 0xFF, len(data))
    return frame(INCOMING, head + data + struct.pack("<HB", node.short, 29))


def check(data: bytes) -> int:
    value = 0
    for byte in data:
        value ^= byte
    return value
