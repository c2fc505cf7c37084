"""F03: the power fails while accounts are created. They are in the vault, from which nothing is projected: what was
acknowledged is there, or lost for ever.
"""

import http.client
import threading
from collections import Counter
from pathlib import Path

from alone import Alone, Tally
from client import Client, until
from desk import Wanted
from farm import ADMINISTRATOR, WEB, free_port, session_of
from shim import lax
from table import rounds, times


class Gateway(Alone):
    """The gateway without the other services: it decides on access by itself."""

    service = "sync-gateway"
    feed = "sync-gateway/farm-0"

    def __init__(self, home: Path):
        super().__init__(home)
        self.door = free_port()
        self.token = ""
        #: The addresses of the acknowledged accounts.
        self.people: list[str] = []
        self.made = 0

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {
            "FURROW_HTTP_PORT": str(self.door), "FURROW_WEB": str(WEB), "FURROW_PUBLIC_URL": "http://127.0.0.1:1"}

    def claim(self) -> "Gateway":
        asker = self.asker(None)
        status, link = asker.ask(Wanted("setup-link", b"{}", actor="service/console"))
        asker.destroy()
        assert status == 200, link
        answer = Client(self.door).call("POST", "/v1/setup", {"token": link["token"]} | ADMINISTRATOR)
        assert answer.status == 201, answer
        self.token = session_of(answer)
        self.people.append(ADMINISTRATOR["email"])
        return self

    def enrol(self, stopping: threading.Event) -> None:
        """Creates accounts one after another until the power is cut."""
        client = Client(self.door, self.token)
        while not stopping.is_set():
            self.made += 1
            email = f"hand-{self.made}@farm.test"
            person = {"name": f"Hand {self.made}", "email": email, "role": "grower", "password": "a long password"}
            try:
                answer = client.call("POST", "/v1/accounts", person, timeout=5)
            except (OSError, http.client.HTTPException):
                return
            if answer.status == 201:
                self.people.append(email)

    def cut(self, disk, enough: int) -> None:
        """Runs the gateway until `enough` more accounts exist, then cuts the power."""
        before, stopping = len(self.people), threading.Event()
        thread = threading.Thread(target=self.enrol, args=(stopping,), daemon=True)
        thread.start()
        until(lambda: len(self.people) >= before + enough, 60, f"{enough} accounts", pause=0.001)
        disk.cut(self.pids)
        stopping.set()
        thread.join(20)
        self.reap()

    def count(self) -> Tally:
        """Compares with the accounts that the administrator sees, whose session is in the vault, too."""
        answer = Client(self.door, self.token).call("GET", "/v1/accounts")
        there = Counter() if answer.status == 401 else Counter(
            one["email"] for one in Client(self.door, self.token).items("/v1/accounts"))
        return Tally(len(self.people), lost=sum(1 for email in self.people if not there[email]),
                     doubled=sum(1 for often in there.values() if often > 1))


def test_a_vault_keeps_every_account_through_every_cut(volume, ending, table):
    total, cycles = Tally(), times(10, 200)
    for some in rounds(cycles):
        disk = volume(256)
        store = ending(Gateway(disk.home)).start().claim()
        for _ in range(some):
            store.cut(disk, 3)
            store.start()
            store.count().check(store.words)
        total += store.count()
        for thing in (store, disk):
            thing.destroy()
    table.add("F03", "power cut of the vault while accounts are made", cycles, total)
    assert total.acknowledged >= 3 * cycles


def test_a_vault_that_does_not_wait_for_the_disk_is_caught(volume, ending, table):
    disk = volume(256)
    store = ending(Gateway(disk.home)).start().claim()
    store.stop()
    lost = 0
    for _ in range(4):
        store.start(lax("vault.db-wal"))
        store.cut(disk, 5)
        store.start()
        lost = store.count().lost
        if lost:
            break
        store.stop()
    table.add("F03", "the same vault, lax (its log is not synced)", 1, None, f"caught: {lost} lost")
    assert lost
