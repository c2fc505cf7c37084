"""An independent implementation of the checks that a buyer's browser makes on a story.

RFC 6962 hashes, RFC 9162 proofs (2.1.3.2, 2.1.4.2), C2SP signed notes and checkpoints, GS1 Digital Link labels.
"""

import base64
import hashlib
import json
import re
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
from cryptography.hazmat.primitives.serialization import load_der_public_key

P256 = ec.ECDSA(hashes.SHA256())
LABEL = re.compile(
    r"^/S1([A-Z0-9]{4})([A-Z2-7]{103})/(01/([0-9]{14})/10/([A-Z0-9-]{1,20})(?:/21/([A-Z0-9]{1,20}))?)$")


@dataclass(frozen=True)
class Checkpoint:
    """A signed head of the log."""

    origin: str
    size: int
    root: bytes
    signatures: int


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def verify_label(url: str, keys: dict) -> tuple[str, str, str | None]:
    """Verifies the farm's signature of a label; returns its GTIN, lot and serial."""
    path = "/" + url.split("/", 3)[3]
    found = LABEL.match(path)
    assert found, f"no label: {url}"
    kid, code, item, gtin, lot, serial = found.groups()
    assert gtin_is_right(gtin), gtin
    key = next(key for key in keys["labelKeys"] if key["kid"] == kid)
    assert not key.get("revoked"), key
    point = base64.urlsafe_b64decode(key["publicKey"] + "==")
    assert len(point) == 65
    signature = base64.b32decode(code + "=")
    assert len(signature) == 64
    der = utils.encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    public.verify(der, f"v1|https://id.gs1.org/{item}|{kid}".encode(), P256)
    return gtin, lot, serial


def verify_passport(answer: dict, keys: dict, earlier: Checkpoint | None = None) -> tuple[dict, Checkpoint]:
    """Verifies a passport; returns the event with the story, and the checkpoint that proves it."""
    event = base64.b64decode(answer["bytes"], validate=True)
    salt = base64.b64decode(answer["salt"], validate=True)
    entry = json.loads(answer["entry"])
    assert list(entry) == ["v", "hub", "origin", "epoch", "pos", "c"] and entry["v"] == 1, entry
    assert json.dumps(entry, separators=(",", ":")) == answer["entry"], "not the encoding that is hashed"
    assert len(salt) == 16
    assert base64.b64decode(entry["c"], validate=True) == sha256(salt, event), "the entry commits to other bytes"
    checkpoint = verify_checkpoint(answer["checkpoint"], keys)
    assert checkpoint.size == answer["size"] and checkpoint.origin == answer["hub"]
    leaf = sha256(b"\x00", answer["entry"].encode())
    assert entry["hub"] == answer["index"] + 1, entry
    root = root_of_inclusion(leaf, answer["index"], answer["size"], decoded(answer["proof"]))
    assert root == checkpoint.root, "the proof gives another root"
    if earlier is not None:
        assert answer["consistency"] is not None, "no proof that the log only grew"
        assert is_consistent(earlier, checkpoint, decoded(answer["consistency"])), "the log is not append-only"
    told = json.loads(event)
    assert told["source"] == "/" + entry["origin"] and int(told["originpos"]) == entry["pos"], told
    assert told["originepoch"] == entry["epoch"] and entry["origin"].startswith("trace-ledger/")
    assert told["type"] == "farm.furrow.trace.passport-issued.v1"
    return told, checkpoint


def verify_checkpoint(note: str, keys: dict) -> Checkpoint:
    """Returns a checkpoint that both keys of the farm have signed."""
    text, _, signed = note.partition("\n\n")
    text += "\n"
    origin, size, root = text.splitlines()[:3]
    assert origin == keys["hub"], (origin, keys["hub"])
    lines = [re.match(r"^— (\S+) ([A-Za-z0-9+/]+=*)$", line) for line in signed.splitlines()]
    assert lines and all(lines), signed
    signatures = {}
    for line in lines:
        raw = base64.b64decode(line[2])
        signatures[(line[1], raw[:4])] = raw[4:]
    good = 0
    for key in keys["checkpointKeys"]:
        if key["type"] == "ed25519":
            name, key_id, public = key["vkey"].split("+", 2)
            raw = base64.b64decode(public)
            assert raw[0] == 1 and name == key["name"]
            assert bytes.fromhex(key_id) == sha256(f"{name}\n".encode(), raw)[:4]
            signature = signatures[(name, bytes.fromhex(key_id))]
            ed25519.Ed25519PublicKey.from_public_bytes(raw[1:]).verify(signature, text.encode())
        else:
            spki = base64.b64decode(key["spki"])
            public = load_der_public_key(spki)
            assert isinstance(public, ec.EllipticCurvePublicKey)
            public.verify(signatures[(key["name"], sha256(spki)[:4])], text.encode(), P256)
        good += 1
    assert good == 2, f"{good} signatures of known keys"
    return Checkpoint(origin, int(size), base64.b64decode(root), good)


def root_of_inclusion(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """RFC 9162 section 2.1.3.2."""
    assert 0 <= index < size
    node, last, root = index, size - 1, leaf
    for step in path:
        assert last > 0, "the path is too long"
        if node & 1 or node == last:
            root = sha256(b"\x01", step, root)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            root = sha256(b"\x01", root, step)
        node, last = node >> 1, last >> 1
    assert last == 0, "the path is too short"
    return root


def is_consistent(earlier: Checkpoint, later: Checkpoint, proof: list[bytes]) -> bool:
    """RFC 9162 section 2.1.4.2."""
    if not 0 < earlier.size <= later.size:
        return False
    if earlier.size == later.size:
        return not proof and earlier.root == later.root
    path = [earlier.root, *proof] if earlier.size & (earlier.size - 1) == 0 else proof
    node, last = earlier.size - 1, later.size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    before = after = path[0]
    for step in path[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            before, after = sha256(b"\x01", step, before), sha256(b"\x01", step, after)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            after = sha256(b"\x01", after, step)
        node, last = node >> 1, last >> 1
    return last == 0 and before == earlier.root and after == later.root


def decoded(hashes: list[str]) -> list[bytes]:
    found = [base64.b64decode(text, validate=True) for text in hashes]
    assert all(len(one) == 32 for one in found)
    return found


def gtin_is_right(digits: str) -> bool:
    """GS1 General Specifications 7.9."""
    total = sum(int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(digits[:13]))
    return (10 - total % 10) % 10 == int(digits[13])
