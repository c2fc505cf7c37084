"""Captures of an encrypted ZigBee network: reports of a thermometer, as a sniffer records them.

IEEE 802.15.4 data frames with network security level 5 (ZigBee specification, 4.3 and 4.5): AES-128-CCM with a tag of
four bytes over the network header and the auxiliary header.
"""

import struct

from cryptography.hazmat.primitives.ciphers.aead import AESCCM

#: Link type 230: IEEE 802.15.4 without a checksum.
LINK = 230
LEVEL = 5


class SniffedNetwork:
    """A network with one thermometer."""

    def __init__(self, key: bytes, ieee: int = 0x00124B00AABBCC01, short: int = 0x2B1A):
        self.key, self.ieee, self.short = key, ieee, short
        self.counter = 100

    @property
    def device(self) -> str:
        return f"zb:{self.ieee:016x}"

    def report(self, celsius: float) -> bytes:
        """Returns the frame of one temperature report to the coordinator."""
        self.counter += 1
        number = self.counter & 0xFF
        report = bytes([0x18, number, 0x0A]) + struct.pack("<HBh", 0, 0x29, round(celsius * 100))
        application = struct.pack("<BBHHBB", 0x00, 1, 0x0402, 0x0104, 1, number) + report
        # Frame control 0x0208: data, protocol version 2, security.
        network = struct.pack("<HHHBB", 0x0208, 0x0000, self.short, 30, number)
        source = struct.pack("<Q", self.ieee)
        # The level is zero on the air; key of the network, and the sender's address.
        auxiliary = bytes([0x28]) + struct.pack("<I", self.counter) + source + b"\0"
        secured = bytes([0x28 | LEVEL])
        sealed = AESCCM(self.key, tag_length=4).encrypt(
            source + struct.pack("<I", self.counter) + secured, application, network + secured + auxiliary[1:])
        link = struct.pack("<HBHHH", 0x8861, number, 0x1A62, 0x0000, self.short)
        return link + network + auxiliary + sealed

    def capture(self, celsius: list[float], start: int) -> bytes:
        """Returns a pcap file with one report a minute from this time, in seconds since 1970, on."""
        file = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, LINK)
        for number, value in enumerate(celsius):
            frame = self.report(value)
            file += struct.pack("<IIII", start + 60 * number, 0, len(frame), len(frame)) + frame
        return file
