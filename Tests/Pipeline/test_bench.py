"""What a start does is the same however much the journal holds: `furrow bench start` told from outside."""

import json
import subprocess

from farm import PROGRAMS

#: Pages of SQLite, tables of segments: what a journal that is sixteen times as long may add.
BYTES = 64 * 1024


def start(events: int) -> dict:
    said = subprocess.run(
        [PROGRAMS / "furrow", "bench", "start", "--views", "--json", "--events", str(events)], check=True,
        capture_output=True, timeout=300)
    return json.loads(said.stdout)


def test_a_start_reads_no_more_where_the_journal_is_longer():
    short, long = start(6_000), start(96_000)
    print(f"read at a start with 6,000 events: {short['bytesRead']}, with 96,000: {long['bytesRead']} bytes")
    assert short["bytesRead"] > 1_000, short
    assert long["bytesRead"] - short["bytesRead"] < BYTES, (short, long)
    # Packed for good: it was a sealed journal that was started over.
    assert long["bytesPerEvent"] < short["bytesPerEvent"] and long["bytesPerEvent"] < 200, (short, long)
    assert all(figures[name] > 0 for figures in (short, long) for name in ("seconds", "secondsAfterKill"))
