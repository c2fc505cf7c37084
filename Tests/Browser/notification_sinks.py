"""Receivers of notifications for tests: a webhook and a push service. Each verifies what it takes with other libraries
than the gateway's."""

import base64
import hashlib
import hmac
import json
import os
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


@dataclass(frozen=True)
class Taken:
    """A request, and the status with which it was answered; 0 if it was left without an answer."""

    path: str
    headers: dict[str, str]
    body: bytes
    status: int


class Receiver:
    """Listens on a free port of 127.0.0.1. `status` is the answer to the next requests; 0 answers nothing, and holds
    the connection until `close`."""

    def __init__(self, status: int = 204):
        self.status = status
        self.headers: dict[str, str] = {}
        self.taken: list[Taken] = []
        self.released = threading.Event()
        receiver = self

        class Conversation(BaseHTTPRequestHandler):
            timeout = 30

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                status = receiver.status
                receiver.taken.append(Taken(self.path, headers, body, status))
                if status == 0:
                    receiver.released.wait(60)
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_words) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Conversation)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def accepted(self) -> list[Taken]:
        return [one for one in self.taken if 200 <= one.status < 300]

    def close(self) -> None:
        self.released.set()
        self.server.shutdown()
        self.server.server_close()


def verified(taken: Taken, secret: str) -> dict:
    """Returns the body of a webhook after checking its signature as Standard Webhooks says."""
    identity, stamp = taken.headers["webhook-id"], taken.headers["webhook-timestamp"]
    assert abs(time.time() - int(stamp)) < 300, stamp
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{identity}.{stamp}.".encode() + taken.body
    code = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert f"v1,{code}" in taken.headers["webhook-signature"].split(" ")
    return json.loads(taken.body)


class Phone:
    """A browser's push subscription at a push service."""

    def __init__(self, service: Receiver, name: str):
        self.service = service
        self.path = f"/push/{name}"
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = os.urandom(16)

    @property
    def subscription(self) -> dict:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.service.url + self.path, "p256dh": base64url(point), "auth": base64url(self.secret)}

    def taken(self) -> list[Taken]:
        return [one for one in self.service.taken if one.path == self.path]

    def message(self, taken: Taken, farm_key: str) -> dict:
        """Decrypts a message, and verifies who sent it to which service."""
        assert taken.headers["content-encoding"] == "aes128gcm"
        check_identification(taken.headers["authorization"], self.service.url, farm_key)
        plain = http_ece.decrypt(taken.body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")
        return json.loads(plain)


def check_identification(authorization: str, audience: str, farm_key: str) -> None:
    """Verifies the token of RFC 8292 with the farm's public key."""
    scheme, _, rest = authorization.partition(" ")
    parts = dict(one.strip().split("=", 1) for one in rest.split(","))
    assert scheme == "vapid" and parts["k"] == farm_key
    head, claims, signature = parts["t"].split(".")
    assert json.loads(unbase64url(head)) == {"typ": "JWT", "alg": "ES256"}
    token = json.loads(unbase64url(claims))
    assert token["aud"] == audience and time.time() < token["exp"] <= time.time() + 86_400
    raw = unbase64url(signature)
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unbase64url(farm_key))
    key.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))


def base64url(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def unbase64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
