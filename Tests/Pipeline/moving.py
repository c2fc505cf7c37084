"""A farm server on one machine, a stack of containers, and one backup that moves from the one to the other."""

import contextlib
import datetime
import http.client
import json
import os
import shutil
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from client import Client
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from engine import Engine
from farm import ADMINISTRATOR, Farm, demoted, free_port, hand_over
from load import prepare
from stack import Stack
from verify import Checkpoint, verify_checkpoint, verify_label, verify_passport

#: The owner of all files in a container.
INSIDE = "10001:10001"


@dataclass
class Told:
    """The state before the move."""

    #: The hub, line by line.
    events: list[bytes]
    labels: list[str]
    story: dict
    checkpoint: Checkpoint


class Moving:
    """Both sides are of one build: the machine's programs come from the image."""

    def __init__(self, engine: Engine, folder: Path):
        self.engine = engine
        self.folder = folder
        self.tls = folder.parent / "tls"
        self.tls.mkdir(mode=0o755, exist_ok=True)
        self.programs = self.unpack(folder.parent / "programs")
        self.stack = Stack(engine, "moved", ["deploy/compose.https.yaml"], FURROW_BACKUPS=str(folder),
                           FURROW_TLS=str(self.tls), FURROW_HTTPS_PORT=str(free_port()))
        self.farms: list[Farm] = []

    def unpack(self, folder: Path) -> Path:
        name = f"programs-{os.getpid()}"
        self.engine.docker("create", "--name", name, "furrow:local")
        self.engine.docker("cp", f"{name}:/usr/bin", folder)
        self.engine.docker("rm", name)
        return folder

    def farm(self) -> Farm:
        self.farms.append(Farm(programs=self.programs))
        return self.farms[-1]

    def destroy(self) -> None:
        self.stack.down()
        for farm in self.farms:
            farm.destroy()

    # The farm before

    def told(self) -> Told:
        farm = self.farm().start()
        prepare(farm)
        client = farm.client()
        client.make("POST", "/v1/lots", {"lot": "TOM-1", "product": "Tomatoes", "plot": "p1", "grams": 60_000})
        client.make("POST", "/v1/lots/TOM-1/packings", {"boxes": 12, "gramsEach": 5000})
        labels = [label["url"] for label in client.make("POST", "/v1/lots/TOM-1/labels", {})["labels"]]
        buyer = Client(farm.port)
        story, _ = verify_passport(buyer.get("/v1/lots/TOM-1/passport"), buyer.get("/ledger/keys"))
        checkpoint = verify_checkpoint(
            buyer.call("GET", "/ledger/checkpoint").body.decode(), buyer.get("/ledger/keys"))
        farm.audited()
        return Told(farm.furrow("replay", "--origin", "hub").stdout.splitlines(), labels, story["data"], checkpoint)

    def back_up(self) -> dict:
        """Makes a backup on the machine, and gives it to the user of the containers."""
        aside = self.folder.parent / "made"
        aside.mkdir(exist_ok=True)
        hand_over(aside)
        made = json.loads(self.farms[0].furrow("backup", "--to", str(aside), "--json").stdout)
        self.farms[0].stop()
        for path in (made["set"], made["vault"]):
            shutil.copytree(path, self.folder / Path(path).name)
        subprocess.run(["chown", "--recursive", INSIDE, self.folder], check=True)
        return made

    @staticmethod
    def inside(path: str) -> str:
        return f"/backups/{Path(path).name}"

    # The containers

    def volumes(self) -> str:
        """Returns every path in the volumes."""
        done = self.stack.operator("find", "/farm", "-mindepth", "2")
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def break_off(self) -> None:
        """Leaves the volumes as a killed restore does."""
        done = self.stack.operator(
            "sh", "-c", "for home in /farm/*; do touch $home/restoring; done; mkdir /farm/sync-gateway/sync-gateway")
        assert done.returncode == 0, done.stderr

    def bring_home(self, made: dict) -> Farm:
        """Restores a set of the containers on the machine."""
        aside = self.folder.parent / "back"
        aside.mkdir()
        for name in (Path(made["set"]).name, Path(made["vault"]).name):
            shutil.copytree(self.folder / name, aside / name)
        hand_over(aside)
        farm = self.farm()
        farm.prepare()
        done = subprocess.run(
            [*demoted(), self.programs / "furrow", "restore", aside / Path(made["set"]).name, "--home", farm.home],
            capture_output=True, timeout=300, cwd="/")
        assert done.returncode == 0, done.stderr
        return farm.start()

    def check(self, farm: Farm | Stack, made: dict, before: Told) -> int:
        """Checks that all earlier data is present and verifiable; returns the hub's number of events."""
        hub = farm.furrow("replay", "--origin", "hub").stdout.splitlines()
        assert hub[:len(before.events)] == before.events, "the hub begins otherwise"
        found = farm.audited()
        heads = {journal["origin"]: journal["head"] for journal in found["journals"]}
        for journal in made["journals"]:
            assert heads[journal["origin"]] > journal["head"], f"{journal} began no new epoch: {heads}"
        buyer = Client(farm.port)
        keys = buyer.get("/ledger/keys")
        for url in before.labels:
            assert verify_label(url, keys)[1] == "TOM-1"
            assert buyer.call("GET", "/" + url.split("/", 3)[3]).status == 200
        answer = buyer.get("/v1/lots/TOM-1/passport", since=before.checkpoint.size)
        story, _ = verify_passport(answer, keys, before.checkpoint)
        assert story["data"]["passport"]["custody"] == before.story["passport"]["custody"], story
        # Existing users can sign in, and work continues.
        client = farm.sign_in(ADMINISTRATOR)
        farm.token = client.token
        assert client.get("/v1/me")["email"] == ADMINISTRATOR["email"]
        client.make("POST", "/v1/plots/p1/activities", {"kind": "weeding"})
        return len(hub)

    # https

    def certificate(self) -> str:
        """Returns a certificate of another authority for this farm, placed where the stack expects it."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "farm.test")])
        now = datetime.datetime.now(datetime.UTC)
        names = x509.SubjectAlternativeName([x509.DNSName("farm.test"), x509.DNSName("localhost")])
        made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
                .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
                .not_valid_after(now + datetime.timedelta(days=90)).add_extension(names, critical=False)
                .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
                .sign(key, hashes.SHA256()))
        text = made.public_bytes(serialization.Encoding.PEM).decode()
        (self.tls / "fullchain.pem").write_text(text)
        (self.tls / "privkey.pem").write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        (self.tls / "privkey.pem").chmod(0o400)
        subprocess.run(["chown", "--recursive", INSIDE, self.tls], check=True)
        self.stack.environment |= {"FURROW_TLS_CERT": "/tls/fullchain.pem", "FURROW_TLS_KEY": "/tls/privkey.pem"}
        return text


def tls_answer(port: int, authority: str) -> tuple[int, str]:
    """Returns the status of the start page, and the issuer of the certificate, which must be for this host and by
    `authority`.
    """
    context = ssl.create_default_context(cadata=authority)
    connection = http.client.HTTPSConnection("localhost", port, context=context, timeout=20)
    try:
        connection.connect()
        certificate: Any = connection.sock.getpeercert()
        issuer = dict(pair[0] for pair in certificate["issuer"])
        connection.request("GET", "/")
        return connection.getresponse().status, issuer["commonName"]
    finally:
        connection.close()


def damaged(folder: Path):
    """Yields copies of sets with one changed byte each: the file, the expected finding, and the change while it lasts.
    """
    found = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size > 0)
    wanted = ("manifest.jsonl", "entry.copy", "meta.copy")
    chosen = [next(path for path in found if path.name == name) for name in wanted]
    chosen += [next(path for path in found if "journals" in path.parts), next(
        path for path in found if ".vault" in str(path) and path.suffix == ".db")]
    for number, path in enumerate(chosen):
        top = folder / path.relative_to(folder).parts[0]
        offset = path.stat().st_size * (number + 1) // (len(chosen) + 1)
        yield path, (str(path.relative_to(top)), offset), changed(path, offset)


@contextlib.contextmanager
def changed(path: Path, offset: int):
    def flip() -> None:
        with open(path, "r+b") as file:
            file.seek(offset)
            byte = file.read(1)[0]
            file.seek(offset)
            file.write(bytes([byte ^ 0x41]))

    flip()
    try:
        yield
    finally:
        flip()
