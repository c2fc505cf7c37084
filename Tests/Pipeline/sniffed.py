"""Captures of an encrypted ZigBee network: reports of a thermometer, as a sniffer records them.

IEEE 802.15.4 data frames with network security level 5 (ZigBee specification, 4.3 and 4.5): AES-128-CCM with a tag of
four bytes over the network header and the auxiliary header.
"""

import struct

from cryptography.hazmat.primitives.ciphers.aead import AESCCM

#: Link type 230: IEEE 802.15.4 without a checksum.
LINK = 230
LEVEL = 5


class Air:
    """What a sniffer records of a network: messages of its devices to the coordinator, encrypted with its key."""

    def __init__(self, key: bytes, pan: int = 0x1A62):
        self.key, self.pan = key, pan
        self.counter = 100
        self.frames: list[tuple[int, bytes]] = []

    def note(self, ieee: int, short: int, cluster: int, data: bytes, at: int = 0) -> None:
        """Takes a message of the cluster library from endpoint 1, at a time in seconds since 1970."""
        self.counter += 1
        number = self.counter & 0xFF
        application = struct.pack("<BBHHBB", 0x00, 1, cluster, 0x0104, 1, number) + data
        # Frame control 0x0208: data, protocol version 2, security.
        network = struct.pack("<HHHBB", 0x0208, 0x0000, short, 30, number)
        source = struct.pack("<Q", ieee)
        # The level is zero on the air; key of the network, and the sender's address.
        auxiliary = bytes([0x28]) + struct.pack("<I", self.counter) + source + b"\0"
        secured = bytes([0x28 | LEVEL])
        sealed = AESCCM(self.key, tag_length=4).encrypt(
            source + struct.pack("<I", self.counter) + secured, application, network + secured + auxiliary[1:])
        link = struct.pack("<HBHHH", 0x8861, number, self.pan, 0x0000, short)
        self.frames.append((at, link + network + auxiliary + sealed))

    def capture(self) -> bytes:
        """Returns a pcap file."""
        file = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, LINK)
        for at, frame in self.frames:
            file += struct.pack("<IIII", at, 0, len(frame), len(frame)) + frame
        return file


class SniffedNetwork:
    """A network with one thermometer."""

    def __init__(self, key: bytes, ieee: int = 0x00124B00AABBCC01, short: int = 0x2B1A):
        self.air = Air(key)
        self.ieee, self.short = ieee, short

    @property
    def device(self) -> str:
        return f"zb:{self.ieee:016x}"

    def capture(self, celsius: list[float], start: int) -> bytes:
        """Returns a pcap file with one report a minute from this time, in seconds since 1970, on."""
        self.air.frames = []
        for number, value in enumerate(celsius):
            report = bytes([0x18, number & 0xFF, 0x0A]) + struct.pack("<HBh", 0, 0x29, round(value * 100))
            self.air.note(self.ieee, self.short, 0x0402, report, start + 60 * number)
        return self.air.capture()
