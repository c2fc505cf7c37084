"""Behind a reverse proxy with TLS: only a listed proxy is trusted."""

import http.client
import json
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from client import Answer
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from farm import ADMINISTRATOR
from proxy import Proxy

NAME = "farm.test"
TRIES = 10


def identity(folder: Path) -> ssl.SSLContext:
    """Returns a self-signed certificate for the farm's name."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False).sign(key, hashes.SHA256()))
    path = folder / "proxy.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                          serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


class Callers:
    """The caller that the proxy names, set by the test."""

    def __init__(self):
        self.address = "203.0.113.1"

    def __call__(self) -> str:
        return self.address


class Browser:
    """A browser that connects over TLS by the farm's name."""

    def __init__(self, proxy: Proxy):
        self.proxy = proxy

    def call(self, method: str, path: str, body: dict | None = None, **headers: str) -> Answer:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.proxy.port, context=context, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {
                "Host": NAME, "Content-Type": "application/json", "Idempotency-Key": f"k-{id(self)}-{path}",
            } | headers)
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def sign_in(self, password: str, **headers: str) -> Answer:
        return self.call("POST", "/v1/sessions", {"email": "nobody@farm.test", "password": password}, **headers)


@pytest.mark.parametrize("list_of_proxies, is_believed", [("10.0.0.0/8, 127.0.0.1", True), ("", False)])
def test_only_a_listed_proxy_is_trusted(own_farm, tmp_path, list_of_proxies, is_believed):
    farm = own_farm(environment={"FURROW_TRUSTED_PROXIES": list_of_proxies}).start()
    farm.claim()
    callers = Callers()
    proxy = Proxy(farm.port, tls=identity(tmp_path), callers=callers)
    browser = Browser(proxy)
    try:
        # The cookie is for TLS only, and HSTS is set.
        answer = browser.call("POST", "/v1/sessions",
                              {"email": ADMINISTRATOR["email"], "password": ADMINISTRATOR["password"]},
                              Origin=f"https://{NAME}")
        assert answer.status == 201, answer
        cookie = answer.headers["set-cookie"]
        assert ("Secure" in cookie and cookie.startswith("__Host-")) == is_believed, cookie
        assert ("strict-transport-security" in answer.headers) == is_believed
        assert browser.call("GET", "/v1/me", Cookie=cookie.split(";")[0]).status == 200
        # A page that was loaded without TLS counts as another site.
        plain = browser.call("PUT", "/v1/site", {}, Cookie=cookie.split(";")[0], Origin=f"http://{NAME}")
        assert plain.status == (403 if is_believed else 200), plain
        # Wrong passwords are rejected one by one, whatever address the client claims; the right one still works.
        statuses = [browser.sign_in(f"guess number {number}", **{"X-Forwarded-For": f"198.51.100.{number}"}).status
                    for number in range(TRIES)]
        assert statuses == [401] * TRIES, statuses
        callers.address = "203.0.113.2"
        again = browser.call("POST", "/v1/sessions",
                             {"email": ADMINISTRATOR["email"], "password": ADMINISTRATOR["password"]},
                             Origin=f"https://{NAME}")
        assert again.status == 201, again
        # The doctor warns of an untrusted proxy that names callers.
        found = json.loads(farm.furrow("doctor", "--json", check=False).stdout)
        warned = [finding for finding in found["checks"] if finding["check"] == "proxy"]
        assert [finding["state"] for finding in warned] == ([] if is_believed else ["mind"]), warned
    finally:
        proxy.close()
    print(f"trusting `{list_of_proxies}`: {len(statuses)} guesses, then {again.status}; warnings: {len(warned)}")
