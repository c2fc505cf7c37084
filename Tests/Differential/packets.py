"""Random packets of sensors, made from the makers' descriptions: bytes, and the values that they mean.

The encoders share no code with Furrow's decoders or with their peers.
"""

import math
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

#: Values by quantity, and by quantity and number of further sensors of a device: `temperature`, `temperature-2`.
Values = dict[str, float]

SHORT_UUID = "0000{:04x}-0000-1000-8000-00805f9b34fb"


@dataclass
class Packet:
    """An advertisement, or the payload of a ZigBee message, and what it means."""

    values: Values
    manufacturer: bytes = b""
    #: Data by 16-bit service.
    services: list[tuple[int, bytes]] = field(default_factory=list)
    name: str = ""
    uuids: list[int] = field(default_factory=list)
    long_uuids: list[str] = field(default_factory=list)
    address: int = 0
    key: bytes = b""
    #: The message of a ZigBee device to a cluster; empty for advertisements.
    message: bytes = b""
    cluster: int = 0
    #: The device's maker and model, which its messages do not name.
    traits: dict[str, str] = field(default_factory=dict)

    #: The value of a GATT characteristic, and its UUID; empty for advertisements.
    gatt: bytes = b""
    characteristic: str = ""

    @property
    def structures(self) -> bytes:
        """The AD structures, flags first, values next, identity last."""
        parts = [structure(0x01, b"\x06")]
        parts += [structure(0x16, struct.pack("<H", service) + data) for service, data in self.services]
        if self.manufacturer:
            parts.append(structure(0xFF, self.manufacturer))
        if self.uuids:
            parts.append(structure(0x03, b"".join(struct.pack("<H", uuid) for uuid in self.uuids)))
        for uuid in self.long_uuids:
            parts.append(structure(0x07, bytes.fromhex(uuid.replace("-", ""))[::-1]))
        if self.name:
            parts.append(structure(0x09, self.name.encode()))
        return b"".join(parts)

    @property
    def report(self) -> bytes:
        """An LE Advertising Report in H4 form: one report of a random address, its data, and −60 dBm."""
        body = b"\x02\x01\x00\x01" + self.address.to_bytes(6, "little") + bytes([len(self.structures)])
        body += self.structures + b"\xc4"
        return b"\x04\x3e" + bytes([len(body)]) + body

    @property
    def text(self) -> str:
        if self.gatt:
            return f"{self.characteristic} {self.gatt.hex()}"
        return f"cluster {self.cluster:04x} {self.message.hex()}" if self.message else self.structures.hex()

    @property
    def mac(self) -> str:
        return ":".join(f"{byte:02X}" for byte in self.address.to_bytes(6, "big"))


def structure(kind: int, body: bytes) -> bytes:
    return bytes([len(body) + 1, kind]) + body


@dataclass(frozen=True)
class Deviation:
    """What a peer decodes differently, and why Furrow does not."""

    quantity: str
    reason: str
    #: Whether a value is affected.
    applies: Callable[[float], bool] = lambda _: True


@dataclass(frozen=True)
class Format:
    """A format: its encoder, the peer that decodes it independently, and the tolerance of a comparison."""

    name: str
    peer: str
    make: Callable[[random.Random, int], Packet]
    #: How far the peer may be off because it rounds, by quantity; `*` for all others.
    rounding: dict[str, float]
    #: Such values are not compared with the peer.
    deviations: tuple[Deviation, ...]

    def is_accepted(self, quantity: str, value: float) -> bool:
        return any(one.quantity == quantity and one.applies(value) for one in self.deviations)


FORMATS: dict[str, Format] = {}


def encodes(name: str, peer: str, *deviations: Deviation, rounding: dict[str, float] | None = None):
    """Registers an encoder: a function of a source of randomness and of the sender's address."""
    def register(make: Callable[[random.Random, int], Packet]) -> Callable[[random.Random, int], Packet]:
        FORMATS[name] = Format(name, peer, make, rounding or {}, deviations)
        return make
    return register


def packet(form: Format, number: int) -> Packet:
    """Returns the packet of this number, the same in every run."""
    random_bits = random.Random(f"{form.name} {number}")
    # A static random address: its two highest bits are set. Every packet has a sender of its own.
    address = 0xC0 << 40 | random_bits.getrandbits(46)
    made = form.make(random_bits, address)
    made.address = made.address or address
    return made


def climate(r: random.Random, low: int = -40, high: int = 60) -> tuple[int, int, int]:
    """Returns tenths of °C, tenths of %, and % of the battery."""
    return r.randint(low * 10, high * 10), r.randint(0, 1000), r.randint(0, 100)


def channel(quantity: str, number: int) -> str:
    """Returns the name of a device's value of a quantity: the first has no number."""
    return quantity if number == 1 else f"{quantity}-{number}"


def mac(address: int) -> bytes:
    return address.to_bytes(6, "big")


def celsius_of_fahrenheit(value: float) -> float:
    return (value - 32) * 5 / 9


def half_up(value: float, digits: int) -> float:
    """Rounds half away from zero, as people do."""
    scale = 10 ** digits
    return math.copysign(math.floor(abs(value) * scale + 0.5) / scale, value)
