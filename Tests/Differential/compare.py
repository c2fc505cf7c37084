"""The comparison of Furrow's decoder with the encoder and with a peer."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import encode_climate  # noqa: F401 (registers its formats)
import encode_govee  # noqa: F401
import encode_open  # noqa: F401
import encode_others  # noqa: F401
import encode_xiaomi  # noqa: F401
import encode_zigbee  # noqa: F401
from decoders import peer
from packets import FORMATS, Format, Packet, Values, packet

PROGRAMS = Path(os.environ.get("FURROW_PROGRAMS", Path(__file__).parents[2] / ".build" / "release"))
#: What the arithmetic of two programs may differ by.
EXACT = 1e-6

__all__ = ["FORMATS", "Tally", "compare"]


@dataclass
class Tally:
    """The counts of one format."""

    packets: int = 0
    right: int = 0
    #: Packets that the peer decodes.
    decoded: int = 0
    #: Values in which the peer agrees, and those in which it deviates for a known reason.
    agreed: int = 0
    accepted_deviations: int = 0
    #: Values that Furrow decodes otherwise than the encoder meant.
    wrong: list[str] = field(default_factory=list)
    #: Values that the peer decodes otherwise than Furrow.
    different: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (f"{self.packets} packets, {self.right} right, {len(self.wrong)} wrong; the peer decodes {self.decoded} "
                f"and agrees in {self.agreed} values, deviates as listed in {self.accepted_deviations}, otherwise in "
                f"{len(self.different)}")


def compare(form: Format, count: int, change=lambda values: values) -> Tally:
    """Decodes `count` packets of a format. `change` is applied to Furrow's values: a mutant of it."""
    tally = Tally()
    decode = peer(form.peer)
    made = (packet(form, number) for number in range(count))
    for one, decoded in furrow(made):
        ours = change(decoded)
        tally.packets += 1
        unlike = [quantity for quantity in one.values.keys() | ours.keys()
                  if not is_near(ours.get(quantity), one.values.get(quantity), EXACT)]
        if unlike:
            tally.wrong.append(f"{one.text}: {ours}, encoded {one.values}")
        else:
            tally.right += 1
        if decode is None:
            continue
        theirs = decode(one)
        tally.decoded += bool(theirs.keys() & ours.keys())
        for quantity in theirs.keys() & ours.keys():
            if form.is_accepted(quantity, ours[quantity]):
                tally.accepted_deviations += 1
                continue
            tolerance = form.rounding.get(quantity, form.rounding.get("*", 0.0051)) + EXACT
            if is_near(ours[quantity], theirs[quantity], tolerance):
                tally.agreed += 1
            else:
                tally.different.append(f"{one.text}: {quantity} {ours[quantity]}, {form.peer} "
                                       f"{theirs[quantity]}")
    return tally


def is_near(one: float | None, other: float | None, tolerance: float) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= tolerance * max(1.0, abs(other) / 1000)


def furrow(packets: Iterator[Packet], batch: int = 2000) -> Iterator[tuple[Packet, Values]]:
    """Decodes packets by `furrow decode`, a batch for each process, so that no pipe fills up."""
    while some := list(islice(packets, batch)):
        done = subprocess.run([PROGRAMS / "furrow", "decode"], input=b"".join(line(one) for one in some),
                              stdout=subprocess.PIPE, check=True)
        responses = done.stdout.splitlines()
        for one, response in zip(some, responses, strict=True):
            yield one, readings(json.loads(response))


def line(packet: Packet) -> bytes:
    """Returns the line of `furrow decode` for a packet."""
    if packet.message:
        fields = {"format": "zcl", "hex": packet.message.hex(), "cluster": packet.cluster} | packet.traits
    elif packet.gatt:
        fields = {"format": "gatt", "hex": packet.gatt.hex(), "characteristic": packet.characteristic,
                  "address": f"{packet.address:012x}"}
    else:
        fields = {"format": "ad", "hex": packet.structures.hex(), "address": f"{packet.address:012x}"}
    if packet.key:
        fields["bindkey"] = packet.key.hex()
    return json.dumps(fields).encode() + b"\n"


def readings(response: dict) -> Values:
    values = {}
    for reading in response["readings"]:
        channel = reading.get("channel", 1)
        values[reading["quantity"] if channel == 1 else f"{reading['quantity']}-{channel}"] = reading["value"]
    return values
