"""A mail server for tests, aiosmtpd: stores the e-mails that it accepts. It can answer the first ones with a temporary
failure, refuse the first connections, and offers STARTTLS with a certificate that it made itself."""

import asyncio
import email
import email.message
import email.policy
import ssl
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session


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
        self.put_off = put_off
        self.turn_away = turn_away
        self.taken: list[Taken] = []
        #: How many letters came, those that were put off included.
        self.offered = 0
        self.loop = asyncio.new_event_loop()
        self.tls = own_certificate(folder)
        # In a thread, because the browser's driver has a loop of its own in this one.
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = asyncio.run_coroutine_threadsafe(self.listen(), self.loop).result(10)
        self.url = f"smtp://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    async def listen(self) -> asyncio.Server:
        return await self.loop.create_server(
            lambda: Conversation(self, hostname="sink.test", tls_context=self.tls, loop=self.loop), "127.0.0.1", 0)

    # The name is aiosmtpd's.
    async def handle_DATA(self, _server: SMTP, session: Session, envelope: Envelope) -> str:
        self.offered += 1
        if self.put_off > 0:
            self.put_off -= 1
            return "450 later, please"
        assert isinstance(envelope.content, bytes)
        letter = email.message_from_bytes(envelope.content, policy=email.policy.default)
        assert isinstance(letter, email.message.EmailMessage)
        for recipient in envelope.rcpt_tos:
            self.taken.append(Taken(envelope.mail_from or "", recipient, letter, session.ssl is not None))
        return "250 taken"

    def to(self, recipient: str) -> list[Taken]:
        return [one for one in self.taken if one.recipient == recipient]

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)


class Conversation(SMTP):
    """A caller, who may be turned away with the greeting."""

    def __init__(self, sink: MailSink, **options):
        super().__init__(sink, **options)
        self.sink = sink

    async def _handle_client(self) -> None:
        if self.sink.turn_away == 0:
            await super()._handle_client()
            return
        self.sink.turn_away -= 1
        await self.push("554 no mail is taken from you")
        assert self.transport is not None
        self.transport.close()


def own_certificate(folder: Path) -> ssl.SSLContext:
    key, certificate = folder / "mail-key.pem", folder / "mail-certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=mail.test", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
