"""F20: unreadable messages at the endpoints of a service: it continues, stays small, and responds to the next command.
"""

import json
import os
import random
import struct
import time

import zmq
from desk import ASKED, Adverts
from table import times
from test_network import memory

SEED = 20


def poisons(random_bytes: random.Random) -> list[tuple[str, list[bytes]]]:
    """Named messages; the last ones are the corrupted frames of a real one."""
    header = {"verb": "ingest-adverts", "actor": "service/x", "entropy": "0" * 32, "deadline": 1000}
    head = struct.pack(">BQ", ASKED, 7)

    def asked(body: bytes, **changed) -> list[bytes]:
        return [head, json.dumps(header | changed).encode(), body]

    deep = b"[" * 10_000 + b"]" * 10_000
    advert = b'{"adverts":[{"address":"c5:00:00:00:00:01","hex":"%s","rssi":-60}]}'
    found = [
        ("no frames but one", [b""]), ("a hundred frames", [b"x"] * 100), ("another version", [b"\x26" + head[1:]]),
        ("a kind that there is not", [b"\x1f" + head[1:], b"{}", b""]),
        ("a header that is no JSON", [head, b"\xff\xfe{", b""]), ("a header of 100 kB", [head, b" " * 100_000, b""]),
        ("a body of 2 MB", asked(b"x" * (2 << 20))), ("a body of 100 MB", asked(b"x" * (100 << 20))),
        ("nested 10,000 deep", asked(deep)),
        ("nested inside", asked(b'{"adverts":' + deep + b"}")), ("bad UTF-8", asked(b'{"adverts":"\xc3\x28"}')),
        ("1e400", asked(b'{"adverts":[{"address":"c5:00:00:00:00:01","hex":"00","rssi":1e400}]}')),
        ("the same key twice", asked(b'{"adverts":[],"adverts":[1]}')), ("cut short", asked(b'{"adverts":[')),
        ("a number where a list is", asked(b'{"adverts":7}')), ("odd hex", asked(advert % b"abc")),
        ("a verb that there is not", asked(b"{}", verb="\u0000" * 50)), ("an actor of nothing", asked(b"{}", actor="")),
        ("a deadline of yesterday", asked(b"{}", deadline=-5)), ("a key of 9 kB", asked(b"{}", key="k" * 9_000)),
        ("an empty body", asked(b"")), ("a null byte", asked(b"\0")),
    ]
    real = Adverts()().frames(9)
    for _ in range(times(2_000, 100_000)):
        frames = [bytearray(frame) for frame in real]
        frame = frames[random_bytes.randrange(3)]
        for _ in range(random_bytes.randint(1, 4)):
            frame[random_bytes.randrange(len(frame))] = random_bytes.randrange(256)
        found.append(("mangled", [bytes(frame) for frame in frames]))
    return found


def test_unreadable_messages_are_dropped_and_the_next_command_is_answered(ingest, ending, table):
    store = ingest().start()
    asker = ending(store.asker(Adverts()))
    context = zmq.Context()
    poison = poisons(random.Random(SEED))
    slowest = 0.0
    make = Adverts(family=0xD7)

    def ask(after: str) -> float:
        wanted = make()
        began = time.monotonic()
        status, answer = asker.ask(wanted)
        took = time.monotonic() - began
        assert status == 200, (after, status, answer, store.words)
        asker.acknowledged.append((wanted, answer))
        return took

    for number, (name, frames) in enumerate(poison):
        if number % 200 == 199:
            # A closed socket is released only later; all at once would exceed the limit of a process.
            context.destroy()
            context = zmq.Context()
        door = f"{store.run}/sensor-ingest-0.{'ask' if number % 2 == 0 or name != 'mangled' else 'read'}"
        socket = context.socket(zmq.DEALER)
        socket.setsockopt(zmq.LINGER, 1000)
        socket.connect(f"ipc://{door}")
        socket.send_multipart(frames)
        if name != "mangled" or number % 50 == 0:
            slowest = max(slowest, ask(name))
        socket.close()
    size = memory(store.process.pid)
    context.destroy()
    slowest = max(slowest, ask("all of it"))
    tally, _ = store.tally(asker)
    table.add("F20", "unreadable messages to a request server and a feed", len(poison), tally,
              f"next answer within {slowest:.2f} s; {size} MiB")
    tally.check()
    assert tally.acknowledged >= 50 and size <= 256
    assert os.path.exists(f"/proc/{store.process.pid}")
