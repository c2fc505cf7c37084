"""`furrow bench` from outside: a start does the same work however long the journal is."""

import json
import pathlib
import shutil
import subprocess

from farm import PROGRAMS

BENCHMARKS = pathlib.Path(__file__).parent.parent / "Benchmarks"

#: SQLite pages and segment tables: what a journal sixteen times as long may add.
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
    # Smaller events show that the journal was sealed before the measured start.
    assert long["bytesPerEvent"] < short["bytesPerEvent"] and long["bytesPerEvent"] < 200, (short, long)
    assert all(figures[name] > 0 for figures in (short, long) for name in ("seconds", "secondsAfterKill"))


def test_every_step_of_an_events_processing_is_measured_by_itself():
    told = bench("parts", "--events", "2000")
    parts = told["secondsOfParts"]
    print(f"{told['events']} events: {', '.join(parts)}")
    assert told["events"] == 2000 and set(parts) == {"write", "hash", "parse", "read"}
    assert all(seconds > 0 for seconds in parts.values())
    assert abs(sum(parts.values()) - told["seconds"]) < 1e-5, told


def test_a_light_load_gets_responses_like_any_other(tmp_path):
    load = tmp_path / "desk_load"
    compiler = shutil.which("clang") or "cc"
    subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", load, BENCHMARKS / "desk_load.c"], check=True)
    for transport in ("ipc", "tcp"):
        for clients, inflight in ((1, 1), (8, 16)):
            told = bench("append", "--load", str(load), "--transport", transport, "--clients", str(clients),
                         "--inflight", str(inflight), "--events", "600")
            print(f"{transport} {clients}×{inflight}: {told['events']} events, {told['fsyncs']} syncs")
            assert told["events"] == 600 and 0 < told["p50us"] <= told["p99us"], told
            # A client with one request under way gets no response without a sync of its own.
            assert told["fsyncs"] >= (600 if clients == 1 else 600 / 128), told


def test_a_load_without_responses_is_no_measurement(tmp_path):
    load = tmp_path / "load"
    load.write_text("#!/bin/sh\nprintf '9\\n1\\n2\\n'\n")
    load.chmod(0o755)
    said = subprocess.run(
        [PROGRAMS / "furrow", "bench", "append", "--load", load, "--events", "3"], capture_output=True, timeout=120)
    assert said.returncode == 3 and b"did not print 3 latencies" in said.stderr, said
    curve = subprocess.run(
        [PROGRAMS / "furrow", "bench", "append", "--load", load, "--transport", "curve"], capture_output=True)
    assert curve.returncode == 2 and b"does not support CURVE" in curve.stderr, curve


def test_alarms_are_measured_on_every_channel_of_a_whole_farm_server():
    before = set(pathlib.Path("/var/tmp").glob("furrow-bench-*"))
    told = bench("alarm", "--events", "3", "--points", "20")
    channels = told["channels"]
    medians = ", ".join(f"{name} {one['p50us'] // 1000} ms" for name, one in channels.items())
    print(f"{told['events']} alarms: {medians}")
    assert set(channels) == {"liveFeed", "email", "webhook", "push"} and told["points"] == 20
    assert all(one["alarms"] == 3 and 0 < one["p50us"] <= one["maxus"] for one in channels.values()), told
    assert told["peakRSSBytes"] > 1 << 20
    assert set(pathlib.Path("/var/tmp").glob("furrow-bench-*")) <= before, "a folder is left behind"
