"""A signed log in memory with keys of its own: what the pages' checks are held against, and what a liar would serve.

Formats: RFC 6962 tree, C2SP signed notes and checkpoints, GS1 Digital Link labels.
"""

import base64
import hashlib
import json
import os

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils

ORIGIN = "trace-ledger/farm-0"
EPOCH = "00000000000000a1"
P256 = ec.ECDSA(hashes.SHA256())


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def root_of(leaves: list[bytes]) -> bytes:
    """RFC 6962 section 2.1: the Merkle tree hash of leaf hashes."""
    if not leaves:
        return sha256()
    if len(leaves) == 1:
        return leaves[0]
    split = largest_power_below(len(leaves))
    return sha256(b"\x01", root_of(leaves[:split]), root_of(leaves[split:]))


def inclusion_path(index: int, leaves: list[bytes]) -> list[bytes]:
    """RFC 6962 section 2.1.1, from the leaf upwards."""
    if len(leaves) == 1:
        return []
    split = largest_power_below(len(leaves))
    if index < split:
        return inclusion_path(index, leaves[:split]) + [root_of(leaves[split:])]
    return inclusion_path(index - split, leaves[split:]) + [root_of(leaves[:split])]


def consistency_proof(size: int, leaves: list[bytes]) -> list[bytes]:
    """RFC 6962 section 2.1.2, from a tree of `size` leaves to all of them."""
    return [] if size == len(leaves) else subproof(size, leaves, True)


def subproof(size: int, leaves: list[bytes], is_whole: bool) -> list[bytes]:
    if size == len(leaves):
        return [] if is_whole else [root_of(leaves)]
    split = largest_power_below(len(leaves))
    if size <= split:
        return subproof(size, leaves[:split], is_whole) + [root_of(leaves[split:])]
    return subproof(size - split, leaves[split:], False) + [root_of(leaves[:split])]


def largest_power_below(count: int) -> int:
    return 1 << (count - 1).bit_length() - 1


class LabelKey:
    """What labels are signed with."""

    def __init__(self, kid: str, since: str = "2026-01-10T08:00:00.000000Z"):
        self.kid = kid
        self.since = since
        self.revoked: dict | None = None
        self.private = ec.generate_private_key(ec.SECP256R1())

    def told(self) -> dict:
        point = self.private.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        key = {"kid": self.kid, "publicKey": base64.urlsafe_b64encode(point).decode().rstrip("="), "since": self.since}
        return key | ({"revoked": self.revoked} if self.revoked else {})

    def path(self, gtin: str, lot: str, serial: str | None) -> str:
        """The path of a signed label."""
        item = f"01/{gtin}/10/{lot}" + (f"/21/{serial}" if serial else "")
        der = self.private.sign(f"v1|https://id.gs1.org/{item}|{self.kid}".encode(), P256)
        r, s = utils.decode_dss_signature(der)
        code = base64.b32encode(r.to_bytes(32, "big") + s.to_bytes(32, "big")).decode().rstrip("=")
        return f"/S1{self.kid}{code}/{item}"


class FarmLog:
    """Entries, their events and salts, and the keys that sign the log's head."""

    def __init__(self, name: str = "furrow.test/ledger", kid: str = "FK01"):
        self.name = name
        self.p256 = ec.generate_private_key(ec.SECP256R1())
        self.ed25519 = ed25519.Ed25519PrivateKey.generate()
        self.label_keys = [LabelKey(kid)]
        self.entries: list[str] = []
        self.leaves: list[bytes] = []
        self.kept: list[tuple[bytes, bytes]] = []

    @property
    def size(self) -> int:
        return len(self.leaves)

    @property
    def label_key(self) -> LabelKey:
        return self.label_keys[-1]

    def append(self, name: str, subject: str, data: dict, at: str) -> int:
        """Writes one event and its entry; gives the entry's index."""
        position = self.size + 1
        event = {
            "specversion": "1.0", "id": f"01990000-0000-7000-8000-{position:012x}", "source": f"/{ORIGIN}",
            "type": name, "subject": subject, "time": at, "recordedtime": at, "originepoch": EPOCH,
            "originpos": str(position), "streamver": position, "farm": "loma", "actor": "service/trace-ledger",
            "data": data,
        }
        return self.append_bytes(json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode())

    def append_bytes(self, event: bytes) -> int:
        salt = os.urandom(16)
        number = self.size + 1
        entry = {"v": 1, "hub": number, "origin": ORIGIN, "epoch": EPOCH, "pos": number, "c": b64(sha256(salt, event))}
        text = json.dumps(entry, separators=(",", ":"))
        self.entries.append(text)
        self.leaves.append(sha256(b"\x00", text.encode()))
        self.kept.append((salt, event))
        return self.size - 1

    def fill(self, count: int) -> None:
        """Other facts of the farm, which a story's proof passes by."""
        for number in range(count):
            self.append("farm.furrow.sensors.measured.v1", f"device/{number}", {"n": number}, "2026-05-01T00:00:00Z")

    def cut(self, size: int) -> tuple[list, list, list]:
        """Forgets all entries but the first `size`; returns those that there were."""
        whole = self.entries, self.leaves, self.kept
        self.entries, self.leaves, self.kept = self.entries[:size], self.leaves[:size], self.kept[:size]
        return whole

    def spki(self) -> bytes:
        return self.p256.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    def keys(self) -> dict:
        """As `/ledger/keys` answers."""
        raw = self.ed25519.public_key().public_bytes_raw()
        key_id = sha256(f"{self.name}\n".encode(), b"\x01", raw)[:4]
        vkey = f"{self.name}+{key_id.hex()}+{b64(bytes([1]) + raw)}"
        return {
            "hub": self.name,
            "checkpointKeys": [
                {"type": "ed25519", "name": self.name, "vkey": vkey},
                {"type": "p256", "name": self.name, "spki": b64(self.spki())},
            ],
            "labelKeys": [key.told() for key in self.label_keys],
        }

    def checkpoint(self, size: int | None = None) -> str:
        """The log's head as a note, signed with both keys."""
        size = self.size if size is None else size
        text = f"{self.name}\n{size}\n{b64(root_of(self.leaves[:size]))}\n"
        raw = self.ed25519.public_key().public_bytes_raw()
        ed_id = sha256(f"{self.name}\n".encode(), b"\x01", raw)[:4]
        signed = text.encode()
        lines = [ed_id + self.ed25519.sign(signed), sha256(self.spki())[:4] + self.p256.sign(signed, P256)]
        return text + "\n" + "".join(f"— {self.name} {b64(line)}\n" for line in lines)

    def evidence(self, index: int, since: int | None) -> dict:
        """As `/v1/lots/{lot}/passport` answers for the entry at `index`."""
        salt, event = self.kept[index]
        answer = {
            "hub": self.name, "entry": self.entries[index], "salt": b64(salt), "bytes": b64(event), "index": index,
            "size": self.size, "proof": [b64(hash) for hash in inclusion_path(index, self.leaves)],
            "checkpoint": self.checkpoint(),
        }
        if since is not None and 0 < since <= self.size:
            answer["consistency"] = [b64(hash) for hash in consistency_proof(since, self.leaves)]
        return answer
