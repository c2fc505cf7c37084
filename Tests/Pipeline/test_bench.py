"""`furrow bench` told from outside: what a start does is the same however much the journal holds."""

import json
import subprocess

from farm import PROGRAMS

#: Pages of SQLite, tables of segments: what a journal that is sixteen times as long may add.
BYTES = 64 * 1024


def bench(*words: str) -> dict:
    said = subprocess.run(
        [PROGRAMS / "furrow", "bench", "--json", *words], check=True, capture_output=True, timeout=300)
    return json.loads(said.stdout)


def start(events: int) -> dict:
    return bench("start", "--views", "--events", str(events))


def test_a_start_reads_no_more_where_the_journal_is_longer():
    short, long = start(6_000), start(96_000)
    print(f"read at a start with 6,000 events: {short['bytesRead']}, with 96,000: {long['bytesRead']} bytes")
    assert short["bytesRead"] > 1_000, short
    assert long["bytesRead"] - short["bytesRead"] < BYTES, (short, long)
    # Packed for good: it was a sealed journal that was started over.
    assert long["bytesPerEvent"] < short["bytesPerEvent"] and long["bytesPerEvent"] < 200, (short, long)
    assert all(figures[name] > 0 for figures in (short, long) for name in ("seconds", "secondsAfterKill"))


def test_every_part_of_an_events_way_is_measured_by_itself():
    told = bench("parts", "--events", "2000")
    parts = told["secondsOfParts"]
    print(f"{told['events']} events: {', '.join(parts)}")
    assert told["events"] == 2000 and set(parts) == {"write", "hash", "parse", "read"}
    assert all(seconds > 0 for seconds in parts.values())
    assert abs(sum(parts.values()) - told["seconds"]) < 1e-5, told
