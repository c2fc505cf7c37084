"""Oblivious HTTP (RFC 9458) by another implementation: HPKE by pyhpke, and messages as RFC 9292 writes them."""

import os
import uuid

from client import Answer, Client
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from pyhpke import AEADId, CipherSuite, KDFId, KEMId
from pyhpke.kem_key import KEMKey

PATH = "/.well-known/ohttp-gateway"
REQUEST, RESPONSE, KEYS = "message/ohttp-req", "message/ohttp-res", "application/ohttp-keys"
SUITE = CipherSuite.new(KEMId.DHKEM_X25519_HKDF_SHA256, KDFId.HKDF_SHA256, AEADId.AES128_GCM)


def number(value: int) -> bytes:
    for size, mark in ((1, 0), (2, 0x40), (4, 0x80), (8, 0xC0)):
        if value < 1 << (8 * size - 2):
            data = bytearray(value.to_bytes(size, "big"))
            data[0] |= mark
            return bytes(data)
    raise ValueError(value)


def counted(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return number(len(data)) + data


def take(data: bytes) -> tuple[int, bytes]:
    size = 1 << (data[0] >> 6)
    return int.from_bytes(bytes([data[0] & 0x3F]) + data[1:size], "big"), data[size:]


def take_counted(data: bytes) -> tuple[bytes, bytes]:
    length, rest = take(data)
    return rest[:length], rest[length:]


def mac(key: bytes, message: bytes) -> bytes:
    code = HMAC(key or bytes(32), SHA256())
    code.update(message)
    return code.finalize()


class Message:
    """A request that is encrypted to a farm, and reads the response to it."""

    def __init__(self, keys: bytes, method: str, path: str, body: bytes, fields: dict[str, str]):
        length = int.from_bytes(keys[:2], "big")
        config = keys[2:2 + length]
        header = config[:3] + config[37:41]
        assert config[1:3] == b"\x00\x20" and config[37:41] == b"\x00\x01\x00\x01", config.hex()
        lines = b"".join(counted(name.lower()) + counted(value) for name, value in fields.items())
        plain = (number(0) + counted(method) + counted("https") + counted("farm.test") + counted(path)
                 + counted(lines) + counted(body))
        key = KEMKey.from_pyca_cryptography_key(X25519PublicKey.from_public_bytes(config[3:35]))
        self.enc, self.context = SUITE.create_sender_context(key, b"message/bhttp request\x00" + header)
        self.data = header + self.enc + self.context.seal(plain)

    def read(self, sealed: bytes) -> Answer:
        nonce, sealed = sealed[:16], sealed[16:]
        secret = self.context.export(b"message/bhttp response", 16)
        pseudorandom = mac(self.enc + nonce, secret)
        key, iv = mac(pseudorandom, b"key\x01")[:16], mac(pseudorandom, b"nonce\x01")[:12]
        data = AESGCM(key).decrypt(iv, sealed, b"")
        kind, data = take(data)
        assert kind == 1, kind
        status, data = take(data)
        lines, data = take_counted(data)
        headers: dict[str, str] = {}
        while lines:
            name, lines = take_counted(lines)
            value, lines = take_counted(lines)
            headers[name.decode()] = value.decode()
        body = take_counted(data)[0] if data else b""
        return Answer(status, headers, body)


class SealedClient:
    """Sends requests to a farm through whoever listens on a port."""

    def __init__(self, carrier: Client, keys: bytes):
        self.carrier, self.keys = carrier, keys
        self.token: str | None = None

    def seal(self, method: str, path: str, body: bytes = b"") -> Message:
        fields = {"content-type": "application/json", "accept": "application/json"}
        if method != "GET":
            fields["idempotency-key"] = uuid.UUID(bytes=os.urandom(16)).hex
        if self.token:
            fields["authorization"] = f"Bearer {self.token}"
        return Message(self.keys, method, path, body, fields)

    def call(self, method: str, path: str, body: bytes = b"") -> Answer:
        message = self.seal(method, path, body)
        sent = self.carrier.call("POST", PATH, message.data, headers={"Content-Type": REQUEST})
        assert sent.status == 200 and sent.headers["content-type"] == RESPONSE, sent
        return message.read(sent.body)
