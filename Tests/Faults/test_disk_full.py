"""F09: the disk fills. Below its limit a service rejects commands with an explanation, serves reads, and recovers by
itself when there is space. If another program takes the last byte at once, nothing acknowledged is lost.
"""

import errno
import os
import signal

from alone import Tally
from client import Client, until
from desk import Activities, Adverts
from farm import Farm
from table import rounds, times
from test_io_errors import STORAGE_FAILED
from test_power_cut import oldest, segments
from volume import Volume, wait_gone

MEBI = 1 << 20
#: The limits of these tests; the defaults are 1 GiB, a tenth, and 64 MiB of ballast.
LIMITS = {"FURROW_DISK_FREE_BYTES": str(40 * MEBI), "FURROW_DISK_FREE_PERCENT": "0",
          "FURROW_DISK_BALLAST_BYTES": str(8 * MEBI)}


class Filler:
    """A file of another program that takes the space."""

    def __init__(self, disk: Volume):
        self.disk = disk
        self.path = disk.path / "somebody-elses"

    def leave(self, left: int) -> None:
        """Takes all but `left` bytes at once."""
        with open(self.path, "ab") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, max(1, self.disk.free - left))
                while left == 0:
                    file.seek(0, os.SEEK_END)
                    file.write(b"x" * 4096)
                    file.flush()
            except OSError as error:
                assert error.errno == errno.ENOSPC, error

    def go(self) -> None:
        self.path.unlink(missing_ok=True)


def test_a_disk_that_fills_at_once_costs_no_acknowledged_event(volume, ingest, ending, table):
    total, fills, ended = Tally(), times(3, 100), 0
    # Each round has its own journal: its content stays, and the volume is small.
    for some in rounds(fills, 20):
        disk = volume(160)
        store = ingest(disk.home)
        asker = ending(store.asker(Adverts()))
        store.start(LIMITS)
        checked = 0
        for _ in range(some):
            acknowledged = len(asker.acknowledged)
            ended += fill_once(store, disk, asker)
            tally, checked = store.tally(asker, first=checked + 1, since=acknowledged)
            total += tally
            total.check()
            # SIGTERM stops it in an orderly way although nothing can be written.
            assert store.stop() == 0, store.words
            store.process = store.begin(LIMITS)
            ended += settled(store, asker, 507)[0]
            Filler(disk).go()
            # A write that was under way when the disk was full may have ended it meanwhile.
            ended += settled(store, asker, 200)[0]
        whole, _ = store.tally(asker)
        whole.check()
        for thing in (asker, store, disk):
            thing.destroy()
    table.add("F09", "another program takes the last byte of the disk under load", fills, total,
              f"{ended} ended and began again; read and refused (507) meanwhile")
    assert total.acknowledged >= 100 * fills


def test_a_hub_whose_database_finds_no_space_costs_no_acknowledged_event(volume, ledger, ending, table):
    total, fills, found = Tally(), times(3, 100), 0
    for some in rounds(fills, 20):
        disk = volume(512)
        store = ledger(disk.home)
        asker = ending(store.asker(Activities()))
        checked = 0
        for _ in range(some):
            acknowledged = len(asker.acknowledged)
            # Without its own limit, the ledger fails only when its database does.
            store.start_database()
            store.start()
            asker.start()
            until(lambda: len(asker.acknowledged) >= acknowledged + 100, 60, "100 acknowledged")
            Filler(disk).leave(0)
            until(lambda: store.process.poll() is not None, 120, "the ledger to end for lack of space", pause=0.002)
            assert store.process.returncode == STORAGE_FAILED, store.words
            asker.stop()
            assert not asker.refused, asker.refused[:3]
            Filler(disk).go()
            store.stop_database()
            told = (store.run / "postgres.txt").read_text(errors="replace").count("No space left on device")
            assert told > found, store.words
            found = told
            store.start_database()
            store.start()
            tally, checked = store.tally(asker, first=checked + 1, since=acknowledged)
            total += tally
            total.check()
            assert store.stop() == 0
        for thing in (asker, store, disk):
            thing.destroy()
        found = 0
    table.add("F09", "the database of the hub finds no room (ENOSPC) under load", fills, total,
              "the ledger ended with 70 each time and went on once there was room")
    assert total.acknowledged >= 100 * fills


def test_a_journal_is_sealed_on_a_disk_that_runs_low(ingest, ending, table):
    """Commands are rejected, but radio reports continue. Sealing, which saves space, continues as well."""
    store = ingest()
    asker = ending(store.asker(Adverts(each=16)))
    store.start()

    def runs() -> int:
        """Returns the number of complete runs that have enough events after them to be sealed."""
        return max(0, len(asker.acknowledged) * 16 // 4096 - 1)

    asker.start()
    until(lambda: runs() > len(segments(store)) + 1, 120, "more to be written than sealed")
    assert store.stop(signal.SIGKILL) == -signal.SIGKILL
    asker.stop()
    left, before = oldest(store), len(segments(store))
    assert before < runs(), "everything was sealed before the disk ran low"
    store.start({"FURROW_DISK_FREE_BYTES": str(1 << 60)})
    assert asker.ask(asker.make())[0] == 507
    until(lambda: len(segments(store)) >= runs() and oldest(store) > left, 120, "all complete runs to be sealed")
    table.add("F09", "a journal is sealed on a disk that runs low", runs() - before, None,
              f"{before} segments before, {len(segments(store))} after")


def fill_once(store, disk, asker) -> int:
    """Returns how often the process ended until one runs that rejects commands with an explanation."""
    acknowledged = len(asker.acknowledged)
    asker.start()
    until(lambda: len(asker.acknowledged) >= acknowledged + 100, 60, "100 acknowledged")
    Filler(disk).leave(0)
    # It ends because a commit found no space, or has noticed the lack of space in time and rejects commands.
    until(lambda: store.process.poll() is not None or asker.refused, 60, "the full disk to be noticed", pause=0.002)
    asker.stop()
    refused, asker.refused = asker.refused, []
    assert all(status == 507 for status, _ in refused), refused[:3]
    # On a full disk, the journal can still be read, and a rejection has an explanation.
    ended, told = settled(store, asker, 507)
    assert "nothing new can be recorded" in told["detail"], told
    return ended


def settled(store, asker, wanted: int) -> tuple[int, dict]:
    """Returns how often the process ended for lack of space until commands get status `wanted`."""
    ended, answers = 0, []

    def is_answered() -> bool:
        nonlocal ended
        if store.process.poll() is not None:
            ended += 1
            assert store.process.returncode == STORAGE_FAILED, store.words
            store.start(LIMITS)
        answers.append(asker.ask(asker.make(), seconds=2))
        return answers[-1][0] == wanted

    until(is_answered, 60, f"commands to be answered with {wanted}")
    return ended, answers[-1][1]


def test_a_farm_server_below_its_limit_rejects_writes_and_serves_reads(volume, ending, table):
    disk = volume(640)
    farm = ending(Farm(environment=LIMITS, home=disk.home)).start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "sonnhof", "title": "Sonnhof", "zone": "Europe/Vienna"})
    client.make("POST", "/v1/plots", {"farm": "sonnhof", "plot": "p1", "title": "Plot 1"})
    filler = Filler(disk)
    often, slowest = times(3, 100), 0.0
    for number in range(often):
        body = {"kind": "irrigating", "amount": number, "unit": "l"}
        client.make("POST", "/v1/plots/p1/activities", body)
        filler.leave(25 * MEBI)
        answer = until(lambda: refused(client, body), 60, "commands to be refused")
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json["type"].endswith("disk-full") and "Make room" in answer.json["detail"], answer
        # Signing in and reading still work.
        reader = farm.sign_in()
        told = reader.get("/v1/plots/p1/activities")
        assert len(told["items"]) >= number + 1
        ready = [Client(int(one["ops"].rsplit(":", 1)[1])).call("GET", "/readyz") for one in farm.services.values()
                 if one.get("ops")]
        assert all(one.status == 200 for one in ready) and any(b"refused" in one.body for one in ready)
        filler.go()
        began = os.times().elapsed
        until(lambda: not refused(client, body), 60, "commands to be taken again")
        slowest = max(slowest, os.times().elapsed - began)
    farm.audited()
    table.add("F09", "a farm server's disk below its limit", often, None,
              f"507 in words, reads served, by itself again after at most {slowest:.1f} s")


def refused(client: Client, body: dict):
    answer = client.call("POST", "/v1/plots/p1/activities", body)
    return answer if answer.status == 507 else None


def test_a_service_without_a_limit_is_caught(volume, ingest, ending, table):
    disk = volume(96)
    store = ingest(disk.home)
    asker = ending(store.asker(Adverts()))
    none = {"FURROW_DISK_FREE_BYTES": "0", "FURROW_DISK_FREE_PERCENT": "0", "FURROW_DISK_BALLAST_BYTES": "0"}
    store.start(none)
    filler = Filler(disk)
    filler.leave(0)
    asker.start()
    until(lambda: store.process.poll() is not None, 20, "the service to end for lack of space")
    asker.stop()
    table.add("F09", "the same service without limit and ballast", 1, None, "caught: it ends instead of refusing")
    assert not asker.refused and wait_gone(store.process) == STORAGE_FAILED
