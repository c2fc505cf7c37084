"""Bluetooth tags that send measurements as advertisements.

Format 5 of a well-known open tag, 24 bytes, big-endian: temperature in 0.005 °C, humidity in 0.0025 %, pressure in Pa
less 50,000, …, sequence number, address.
"""

import struct


class Tag:
    """One tag; every advertisement has the next sequence number."""

    def __init__(self, number: int, family: int = 0xC5):
        self.address = f"{family:02x}{number:010x}"
        self.sequence = 0

    @property
    def device(self) -> str:
        return f"ble:{self.address}"

    def advert(self, temperature: float = 20.0, humidity: float = 50.0, pressure: float = 1000.0) -> dict:
        """Returns an advertisement in the form of `/v1/adverts`."""
        self.sequence += 1
        assert self.sequence < 0xFFFF, "the last number means that there is none"
        data = struct.pack(
            ">BhHHhhhHBH", 5, round(temperature / 0.005), round(humidity / 0.0025), round(pressure * 100 - 50_000),
            0, 0, 1000, (3000 - 1600) << 5 | 22, 0, self.sequence) + bytes.fromhex(self.address)
        flags = bytes([2, 0x01, 0x06])
        return {
            "address": ":".join(self.address[at:at + 2] for at in range(0, 12, 2)),
            "hex": (flags + bytes([len(data) + 3, 0xFF, 0x99, 0x04]) + data).hex(), "rssi": -60,
        }
