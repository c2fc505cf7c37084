"""F07: a bit of the hub's table flips while the database is stopped. The database's checksums find it or, with these
ignored, the chain; otherwise every event still reads the same.
"""

import hashlib
import random
import subprocess

from alone import POSTGRES
from client import Client, until
from desk import Activities, Adverts
from farm import demoted
from table import times
from test_power_cut import oldest, segments

#: The settings of the database: as deployed, and accepting pages with wrong checksums.
WAYS = {"": (), ", its checksums ignored": ("ignore_checksum_failure=on", "autovacuum=off")}


def asked(store, statement: str) -> list[list[str]] | None:
    """Returns the rows; None if the database reports an error."""
    done = subprocess.run(
        [*demoted(), POSTGRES / "psql", "-AtX", "-h", store.run, "-U", "furrow", "furrow", "-c", statement],
        capture_output=True, text=True, timeout=60, cwd="/")
    return [line.split("|") for line in done.stdout.splitlines()] if done.returncode == 0 else None


def entries(store) -> list[tuple[int, bytes, bytes]] | None:
    rows = asked(store, "SELECT hubpos, encode(hash, 'hex'), encode(bytes, 'hex') FROM hub.entry ORDER BY hubpos")
    return None if rows is None else [(int(place), bytes.fromhex(one), bytes.fromhex(two)) for place, one, two in rows]


def is_chain(found: list[tuple[int, bytes, bytes]], start: bytes) -> bool:
    before = start
    for place, (position, kept, told) in enumerate(found, 1):
        before = hashlib.sha256(before + told).digest()
        if position != place or kept != before:
            return False
    return True


def test_a_flipped_bit_of_the_hubs_table_is_found_or_every_event_reads_the_same(ledger, ending, table):
    store = ledger()
    asker = ending(store.asker(Activities()))
    store.start_database()
    store.start()
    asker.start()
    until(lambda: len(asker.acknowledged) >= 200, 60, "200 acknowledged")
    asker.stop()
    honest = entries(store)
    assert honest is not None
    [[epoch]] = asked(store, "SELECT firstepoch FROM hub.meta") or []
    start = hashlib.sha256(b"hub" + f"{int(epoch) & (1 << 64) - 1:016x}".encode()).digest()
    assert len(honest) >= 200 and is_chain(honest, start)
    [[place]] = asked(store, "SELECT pg_relation_filepath('hub.entry')") or []
    assert asked(store, "SHOW data_checksums") == [["on"]]
    assert store.stop() == 0
    path = store.data / place
    sound, chance = path.read_bytes(), random.Random(7)
    assert len(sound) >= 10 * 8192
    for way, settings in WAYS.items():
        flips, found, hidden, same, by_chain = times(30, 500), 0, 0, 0, 0
        for _ in range(flips):
            index = chance.randrange(len(sound))
            damaged = bytearray(sound)
            damaged[index] ^= 1 << chance.randrange(8)
            path.write_bytes(damaged)
            store.start_database(None, *settings)
            told = entries(store)
            store.stop_database()
            if told == honest:
                same += 1
            elif told is None or not is_chain(told, start):
                found += 1
                by_chain += told is not None
            else:
                # The chain is valid and only its end is missing: an earlier reader knows where it ended.
                assert told == honest[:len(told)], f"byte {index} is wrong and served"
                hidden += 1
        path.write_bytes(sound)
        table.add("F07", f"a bit of the hub's table in Postgres flipped{way}", flips, None,
                  f"{found} found ({by_chain} by the chain), {hidden} that hide its end, {same} read the same, 0 wrong")
        assert found + hidden + same == flips and found >= (flips // 4 if settings else flips)
    store.start_database()
    assert entries(store) == honest


def test_an_unreadable_segment_is_reported(ingest, ending, table):
    store = ingest()
    asker = ending(store.asker(Adverts(each=16)))
    store.start()

    def feeds() -> str:
        return Client(store.port).call("GET", "/readyz", timeout=5).json["checks"]["feeds"]["status"]

    asker.start()
    until(lambda: segments(store), 60, "a segment")
    asker.stop()
    until(lambda: oldest(store) > 4096, 60, "its rows to have left the journal's file")
    name = min(segments(store))
    path = store.home / store.service / "0" / "journal.segments" / name
    sound = path.read_bytes()
    assert store.replay() and feeds() == "ok"
    # The reader would detect a flipped bit, because blocks are sent unchanged. A missing part cannot even be sent.
    path.write_bytes(sound[:len(sound) // 2])
    refused = []
    try:
        store.replay(seconds=10)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        refused.append(error)
    assert refused
    until(lambda: feeds() == "degraded", 30, "the journal that cannot be served to be reported")
    assert name in store.words, store.words
    path.write_bytes(sound)
    assert store.replay()
    until(lambda: feeds() == "ok", 30, "it to be served again")
    table.add("F06", "half of a segment that others read is gone", 1, None, "reported by /readyz and in the log")
