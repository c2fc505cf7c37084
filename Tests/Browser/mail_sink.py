"""A mail server for tests: takes letters over SMTP and keeps them; it can put off the first ones, or whoever brings
them, and offers TLS with a certificate that it made itself."""

import email
import email.message
import email.policy
import socketserver
import ssl
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Taken:
    """A letter with its envelope."""

    sender: str
    recipient: str
    letter: email.message.EmailMessage
    #: Whether it came over TLS.
    is_sealed: bool

    @property
    def text(self) -> str:
        return self.letter.get_content()


class MailSink:
    """Listens on a free port of 127.0.0.1. `put_off` is how many letters it still answers with `450`, `turn_away` how
    many callers it still greets with `554`. Its key and certificate come to lie in `folder`."""

    def __init__(self, folder: Path, put_off: int = 0, turn_away: int = 0):
        self.tls = own_certificate(folder)
        self.put_off = put_off
        self.turn_away = turn_away
        self.taken: list[Taken] = []
        #: How many letters came, those that were put off included.
        self.offered = 0
        sink = self

        class Conversation(SMTPConversation):
            owner = sink

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Conversation)
        self.server.daemon_threads = True
        self.url = f"smtp://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def to(self, recipient: str) -> list[Taken]:
        return [one for one in self.taken if one.recipient == recipient]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class SMTPConversation(socketserver.StreamRequestHandler):
    """What RFC 5321 asks of the smallest server."""

    owner: MailSink
    timeout = 30

    def say(self, line: str) -> None:
        self.wfile.write(line.encode() + b"\r\n")

    def handle(self) -> None:
        sender = recipient = ""
        is_sealed = False
        if self.owner.turn_away > 0:
            self.owner.turn_away -= 1
            self.say("554 no mail is taken from you")
            return
        self.say("220 sink ready")
        while line := self.rfile.readline().decode().rstrip("\r\n"):
            verb = line.upper()
            if verb.startswith("EHLO"):
                self.say("250-sink")
                if not is_sealed:
                    self.say("250-STARTTLS")
                self.say("250 8BITMIME")
            elif verb == "STARTTLS":
                self.say("220 go on")
                self.request = self.owner.tls.wrap_socket(self.request, server_side=True)
                self.setup()
                is_sealed = True
            elif verb.startswith("MAIL FROM:"):
                sender = address(line)
                self.say("250 ok")
            elif verb.startswith("RCPT TO:"):
                recipient = address(line)
                self.say("250 ok")
            elif verb == "DATA":
                self.say("354 go on")
                self.say(self.take(sender, recipient, is_sealed))
            elif verb == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok" if verb in ("RSET", "NOOP") else "502 not here")

    def take(self, sender: str, recipient: str, is_sealed: bool) -> str:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            assert line.endswith(b"\r\n") and len(line) <= 1000, line
            lines.append(line[1:] if line.startswith(b"..") else line)
        self.owner.offered += 1
        if self.owner.put_off > 0:
            self.owner.put_off -= 1
            return "450 later, please"
        letter = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
        self.owner.taken.append(Taken(sender, recipient, letter, is_sealed))
        return "250 taken"


def own_certificate(folder: Path) -> ssl.SSLContext:
    key, certificate = folder / "mail-key.pem", folder / "mail-certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=mail.test", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def address(line: str) -> str:
    return line.split("<", 1)[1].split(">", 1)[0]
