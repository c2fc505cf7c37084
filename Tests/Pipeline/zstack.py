"""A simulated Z-Stack coordinator with its memory, from a blank chip on, and ZigBee devices that join its network.

It behaves as the firmware of one of three generations: `1.2` and `3.0` (CC2531), `3.30` (CC2652). PyPI's zigpy-znp,
whose authors know the firmware, uses it as a coordinator in `test_zigbee.py`.
"""

import struct

from coordinator import IEEE, FakeCoordinator, frame
from sniffed import Air
from zigbee_device import Device, number, overheard

#: Items of the memory, by number.
STARTUP, NETWORK, ACTIVE_KEY, ALTERNATE_KEY, ON_NETWORK = 0x03, 0x21, 0x3A, 0x3B, 0x55
EXTENDED_PAN, USED_EXTENDED_PAN, KEY, NETWORK_KEY, PAN, CHANNELS = 0x2D, 0x47, 0x62, 0x82, 0x83, 0x84
#: The items that firmware 1.2 does not read out, except as a setting.
SECRET = {0x3A, 0x3B, 0x62, 0x82}
#: Settings of one byte that the firmware has from its first start.
SETTINGS = [0x30, 0x32, 0x33, 0x36, 0x38, 0x3E, 0x63, 0x87, 0x8F]
OK, INVALID, CREATED = 0, 2, 9


class ZStack(FakeCoordinator):
    """One coordinator; `stack` is `1.2`, `3.0` or `3.30`."""

    def __init__(self, stack: str, channel_is_free: bool = True):
        self.stack = stack
        self.channel_is_free = channel_is_free
        self.memory: dict[int, bytes] = {0x01: number(IEEE, 8), STARTUP: b"\0"} | {one: b"\0" for one in SETTINGS}
        self.tables: dict[tuple[int, int], bytes] = {}
        self.channels = 0
        self.endpoints: list[int] = []
        self.is_started = False
        self.is_overheard = False
        self.is_open = False
        self.devices: dict[int, Device] = {}
        #: The data of each request to permit joining, and the notes of devices that were bound or set up.
        self.permits: list[bytes] = []
        self.notes: list[str] = []
        self.resets = 0
        if stack == "3.30":
            self.tables |= {(0x04, index): bytes(20) for index in range(4)}
            self.tables |= {(0x01, index): b"\0\0\xff\xff" + bytes(8) for index in range(4)}
            self.tables |= {(0x06, index): bytes(24) for index in range(4)}
        elif stack == "3.0":
            self.memory |= {0x75 + index: bytes(12) for index in range(12)}
            self.memory |= {0x111 + index: bytes(19) for index in range(4)}
            self.memory |= {0x201 + index: bytes(24) for index in range(4)}
        super().__init__()

    # The network

    @property
    def is_aligned(self) -> bool:
        return self.stack == "3.30"

    @property
    def record(self) -> bytes:
        return self.memory.get(NETWORK, b"")

    @property
    def is_formed(self) -> bool:
        return bool(self.record) and self.record[65 if self.is_aligned else 61] == 1

    @property
    def key(self) -> bytes:
        return self.memory[ACTIVE_KEY][1:17]

    @property
    def pan(self) -> int:
        return int.from_bytes(self.record[36:38] if self.is_aligned else self.record[33:35], "little")

    @property
    def channel(self) -> int:
        return self.record[24] if self.is_aligned else self.record[22]

    def network(self, channel: int, pan: int, extended: bytes, is_formed: bool) -> bytes:
        """The record of a network, as the firmware stores it: with aligned members, or packed."""
        pad = b"\0" if self.is_aligned else b""
        short = b"\0\0" if is_formed else b"\xfe\xff"
        mask = number(1 << channel if channel else 0, 4)
        return (
            bytes([0, 5, 2, 0, 20, 0, 0, 30, 0, 0, 0, 1, 5, 1, 0x8F]) + pad + b"\7\0" + bytes([2, 5, 30]) + pad + short
            + bytes([channel]) + pad + short + bytes(8) + number(pan, 2) + bytes([8 if is_formed else 0]) + pad + mask
            + bytes([15, 15, 0, 0]) + bytes(8) + b"\0" + extended + bytes([is_formed]) + bytes(34) + bytes(2)
            + bytes([60, 3, 0, 1, 120, 10, 1]) + pad + bytes(2) + bytes(2) + b"\0" + pad)

    def form(self) -> None:
        mask = self.channels if self.stack != "1.2" else int.from_bytes(self.memory.get(CHANNELS, b""), "little")
        channel = next((one for one in range(11, 27) if mask >> one & 1), 11)
        pan = int.from_bytes(self.memory.get(PAN, b"\xff\xff"), "little")
        self.memory[NETWORK] = self.network(
            channel, 0x1234 if pan == 0xFFFF else pan, self.memory.get(USED_EXTENDED_PAN, number(IEEE, 8)), True)
        key = self.memory.get(KEY, bytes(16))
        self.memory |= {ACTIVE_KEY: b"\0" + key, ALTERNATE_KEY: b"\0" + key, NETWORK_KEY: b"\0" + key + number(2500, 4)}
        extended = self.memory.get(USED_EXTENDED_PAN, number(IEEE, 8))
        if self.stack == "3.30":
            self.tables |= {(0x07, 0): number(2500, 4) + extended, (0x07, 1): number(0xFFFFFFFF, 4) + b"\xff" * 8}
        elif self.stack == "3.0":
            self.memory |= {0x75: number(2500, 4) + extended}
        if self.stack != "1.2":
            self.memory[ON_NETWORK] = b"\1"
        self.memory.setdefault(0x101, bytes(16 if self.stack != "1.2" else 32))
        # Room for a few keys of other coordinators, and for a few devices. What was never written is ones.
        self.memory.setdefault(0x4C, b"\xff" * 32)
        if self.stack != "3.30":
            self.memory.setdefault(0x23, 8 * (b"\0\xff\xff" + bytes(8)))

    def sniff(self) -> Air:
        """Begins to record what devices send, as it is on the air."""
        self.air = Air(self.key, self.pan)
        return self.air

    # What the host sends

    def answer(self, code: int, data: bytes) -> None:
        self.heard.append(code)
        for part in (self.answer_system, self.answer_memory, self.answer_network, self.answer_messages):
            replies = part(code, data)
            if replies is not None:
                self.write(b"".join(frame(*reply) for reply in replies))
                return
        self.write(frame(0x6000, bytes([2, code >> 8, code & 0xFF])))

    @property
    def version(self) -> bytes:
        return bytes({"1.2": [2, 0, 2, 6, 3], "3.0": [2, 2, 2, 7, 2], "3.30": [2, 1, 2, 7, 1]}[self.stack])

    def answer_system(self, code: int, data: bytes):
        match code:
            case 0x2101:
                # The parts of the firmware, one bit each: 1.2 has no APP_CNF, and has SAPI.
                return [(0x6101, number(0x0179 if self.stack == "1.2" else 0x0659, 2))]
            case 0x2102:
                return [(0x6102, self.version + number(20211217, 4))]
            case 0x4100:
                return self.reset()
            case 0x2700:
                state = 9 if self.is_started else 0
                return [(0x6700, struct.pack(
                    "<BQHBBB", 0, int.from_bytes(self.memory[0x01], "little"), 0 if self.is_started else 0xFFFE, 7,
                    state, 0))]
            case 0x2749:
                return [(0x6749, b"\xff" * (36 if self.is_aligned else 28))]
            case 0x270A:
                return [(0x670A, b"\0")]

    def reset(self):
        self.resets += 1
        option = self.memory.get(STARTUP, b"\0")[0]
        if option & 2:
            self.memory[NETWORK] = self.network(0, 0xFFFF, bytes(8), False)
            self.memory[STARTUP] = b"\0"
            self.memory.pop(ON_NETWORK, None)
            self.devices = {}
        self.memory.setdefault(0x01, number(IEEE, 8))
        self.is_started = self.is_open = False
        self.endpoints = []
        return [(0x4180, b"\0" + self.version)]

    def answer_memory(self, code: int, data: bytes):
        item = int.from_bytes(data[:2], "little")
        value = self.memory.get(item)
        match code:
            case 0x2113:
                return [(0x6113, number(len(value or b""), 2))]
            case 0x2108 | 0x211C:
                offset = data[2] if code == 0x2108 else int.from_bytes(data[2:4], "little")
                if value is None or self.stack == "1.2" and item in SECRET:
                    return [(code + 0x4000, bytes([INVALID, 0]))]
                part = value[offset:][:240]
                return [(code + 0x4000, bytes([OK, len(part)]) + part)]
            case 0x2604 if self.stack == "1.2":
                value = self.memory.get(data[0], b"")
                return [(0x6604, bytes([OK if value else INVALID, data[0], len(value)]) + value)]
            case 0x2107:
                if value is not None:
                    return [(0x6107, bytes([OK]))]
                self.memory[item] = data[5:].ljust(int.from_bytes(data[2:4], "little"), b"\xff")
                return [(0x6107, bytes([CREATED]))]
            case 0x2109 | 0x211D:
                begin = data[2] if code == 0x2109 else int.from_bytes(data[2:4], "little")
                written = data[4:] if code == 0x2109 else data[6:]
                if value is None or begin + len(written) > len(value):
                    return [(code + 0x4000, bytes([INVALID]))]
                self.memory[item] = value[:begin] + written + value[begin + len(written):]
                return [(code + 0x4000, bytes([OK]))]
            case 0x2112:
                if value is None or len(value) != int.from_bytes(data[2:4], "little"):
                    return [(0x6112, bytes([INVALID]))]
                del self.memory[item]
                return [(0x6112, bytes([OK]))]
        return self.answer_tables(code, data) if self.stack == "3.30" else None

    def answer_tables(self, code: int, data: bytes):
        """The memory of the 3.30 line, whose tables have items of their own."""
        if code not in range(0x2130, 0x2135):
            return None
        place = struct.unpack_from("<HH", data, 1)
        value = self.tables.get(place) if place[0] else self.memory.get(place[1])
        match code:
            case 0x2132:
                return [(0x6132, number(len(value or b""), 4))]
            case 0x2133:
                offset, length = struct.unpack_from("<HB", data, 5)
                part = (value or b"")[offset:][:length]
                return [(0x6133, bytes([OK if value else 1, len(part)]) + part)]
            case 0x2134 if value is not None:
                offset, length = struct.unpack_from("<HB", data, 5)
                self.tables[place] = value[:offset] + data[8:8 + length] + value[offset + length:]
                return [(0x6134, bytes([OK]))]
            case 0x2130:
                self.tables.setdefault(place, bytes(struct.unpack_from("<I", data, 5)[0]))
                return [(0x6130, bytes([CREATED]))]
            case 0x2131:
                return [(0x6131, bytes([OK if self.tables.pop(place, None) is not None else 0x0A]))]
        return [(code + 0x4000, bytes([1]))]

    def answer_network(self, code: int, data: bytes):
        match code:
            case 0x2540 if self.stack == "1.2":
                restored = self.is_formed
                if not restored:
                    self.form()
                self.is_started = True
                return [(0x6540, bytes([0 if restored else 1])), (0x45C0, b"\x09")]
            case 0x2F08 if self.stack != "1.2":
                if data[0]:
                    self.channels = int.from_bytes(data[1:5], "little")
                return [(0x6F08, b"\0")]
            case 0x2F05 if self.stack != "1.2":
                return self.commission()
            case 0x2400:
                self.endpoints.append(data[0])
                return [(0x6400, b"\0")]
            case 0x2403:
                self.endpoints = [one for one in self.endpoints if one != data[0]]
                return [(0x6403, b"\0")]
            case 0x253E:
                self.is_overheard = True
                self.subscribed.set()
                return [(0x653E, b"\0")]
            case 0x2536:
                self.permits.append(data)
                self.is_open = data[3] > 0
                return [(0x6536, b"\0"), (0x45B6, b"\0\0\0")]
            case 0x2545:
                return [(0x6545, b"\0")]

    def commission(self):
        if self.memory.get(ON_NETWORK) == b"\1":
            self.is_started = True
            return [(0x6F05, b"\0"), (0x45C0, b"\x09"), (0x4F80, b"\x0d\0\4"), (0x4F80, b"\0\4\0")]
        if not self.channel_is_free:
            return [(0x6F05, b"\0"), (0x45C0, b"\x08"), (0x4F80, b"\x08\4\0")]
        self.form()
        self.is_started = True
        return [(0x6F05, b"\0"), (0x45C0, b"\x08"), (0x4F80, b"\1\2\4"), (0x45C0, b"\x09"), (0x4F80, b"\0\2\0")]

    # Messages to devices

    def answer_messages(self, code: int, data: bytes):
        if code == 0x2501:
            device = self.devices.get(struct.unpack_from("<H", data)[0])
            return [(0x6501, b"\0")] + ([(0x4581, struct.pack("<BQHBB", 0, device.ieee, device.short, 0, 0))]
                                        if device else [])
        if code != 0x2402:
            return None
        short = int.from_bytes(data[1:3], "little")
        endpoint, _, _, cluster, transaction = struct.unpack_from("<BHBHB", data, 9)
        payload = data[20:]
        replies = [(0x6402, b"\0"), (0x4480, bytes([0, endpoint, transaction]))]
        if endpoint == 0 and short in (0, 0xFFFC, 0xFFFD):
            return replies + self.ask_coordinator(cluster, payload)
        device = self.devices.get(short)
        if device is None or not device.is_awake:
            return replies
        if endpoint == 0:
            return replies + device.describe(cluster, payload)
        return replies + device.command(endpoint, cluster, payload)

    def ask_coordinator(self, cluster: int, payload: bytes):
        """Requests of the device object to the coordinator itself."""
        match cluster:
            case 0x0005:
                body = b"\0\0\0" + bytes([len(self.endpoints)]) + bytes(self.endpoints)
            case 0x0002:
                body = b"\0\0\0" + bytes([0, 64, 143]) + bytes([0, 0, 80, 160, 0, 1, 0, 160, 0, 0])
            case 0x0004:
                body = b"\0\0\0" + bytes([8, payload[3]]) + b"\4\1\5\0\0\0\0"
            case 0x0036:
                self.permits.append(payload[1:])
                self.is_open = payload[1] > 0
                body = b"\0"
            case _:
                return []
        return [overheard(0, cluster | 0x8000, payload[0], body)]

    # What devices send

    def join(self, device: Device) -> bool:
        """A device tries to join. Returns whether the network is open."""
        if not self.is_open:
            return False
        self.devices[device.short] = device
        device.network = self
        self.write(frame(0x45CA, struct.pack("<HQH", device.short, device.ieee, 0)))
        self.announce(device)
        return True

    def announce(self, device) -> None:
        super().announce(device)
        if self.is_overheard:
            body = struct.pack("<HQB", device.short, device.ieee, 0x80)
            self.write(frame(*overheard(device.short, 0x0013, 0x51, body)))
