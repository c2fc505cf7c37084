#!/usr/bin/env python3
"""Measures what phones without data cost: the snapshot beside nginx, which serves the same compressed file in the same
run, and how soon clients that wait for changes hear of one.

Tests/Benchmarks/snapshots.py [--programs DIR] [--products N] [--json]

Needs nginx and wrk. The load and both servers share the processors.
"""

import argparse
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "Pipeline"), str(ROOT / "Tests" / "Benchmarks")]

CONNECTIONS, SECONDS, ROUNDS, CLIENTS, CHANGES = 16, 5, 3, 1_000, 5
#: Each request comes from an address of its own, as behind a proxy: one address has a limit.
CROWD = """local n = 0
request = function()
  n = (n + 1) % 60000
  wrk.headers["X-Forwarded-For"] = "10." .. math.floor(n / 250) .. ".7." .. (n % 250 + 1)
  return wrk.format()
end
"""
NGINX = """worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 512; }}
http {{
  access_log off; sendfile on; keepalive_requests 10000000;
  server {{ listen 127.0.0.1:{port}; root {folder}; gzip_static always; default_type application/json; }}
}}
"""


def wrk(folder: Path, url: str, *headers: str) -> dict:
    words = [word for header in headers for word in ("-H", header)]
    said = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency", "-s", folder / "crowd.lua", *words, url],
        capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in said or "If-None-Match" in str(headers), said
    return {"aSecond": round(float(re.search(r"Requests/sec: +([\d.]+)", said).group(1))),
            "p99": re.search(r"99% +(\S+)", said).group(1)}


def snapshots(port: int, folder: Path) -> list[dict]:
    """Each round measures ours, nginx and unchanged responses in turn."""
    from client import Client
    from farm import free_port

    farm = f"http://127.0.0.1:{port}/v1/sync"
    plain = Client(port).call("GET", "/v1/sync")
    answer = Client(port).call("GET", "/v1/sync", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    (folder / "sync.json.gz").write_bytes(answer.body)
    (folder / "crowd.lua").write_text(CROWD)
    beside = free_port()
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=beside))
    nginx = subprocess.Popen(["nginx", "-c", folder / "nginx.conf"])
    try:
        time.sleep(1)
        accepts, rounds = "Accept-Encoding: gzip", []
        for _ in range(ROUNDS):
            ours = wrk(folder, farm, accepts)
            theirs = wrk(folder, f"http://127.0.0.1:{beside}/sync.json", accepts)
            unchanged = wrk(folder, farm, accepts, f"If-None-Match: {answer.headers['etag']}")
            rounds.append({"bytes": len(plain.body), "gzip": len(answer.body), "ours": ours, "nginx": theirs,
                           "ratio": round(ours["aSecond"] / theirs["aSecond"], 2), "unchanged": unchanged})
        return rounds
    finally:
        nginx.terminate()
        nginx.wait()


def notified(port: int, staff) -> list[dict]:
    """How soon clients hear of a change, from its acknowledgement until the last one has heard."""
    from busy import Caller

    callers = {}
    for number in range(CLIENTS):
        caller = Caller(port, f"127.0.{3 + number // 200}.{number % 200 + 1}")
        caller.send("GET", "/v1/sync/live")
        callers[caller.socket.fileno()] = caller
    assert sum(b" 200 " in caller.more() for caller in callers.values()) == CLIENTS
    poll, found = select.epoll(), []
    for number in callers:
        poll.register(number, select.EPOLLIN)
    for change in range(CHANGES):
        # Past the second in which changes are coalesced, and what is still under way.
        end = time.monotonic() + 2.5
        while time.monotonic() < end:
            for number, _ in poll.poll(0.1):
                callers[number].more()
        title = {"product": f"heard-{change}", "farm": "sonnhof", "title": "Heard", "unit": "box"}
        staff.make("POST", "/v1/products", title)
        began, heard = time.perf_counter(), set()
        while len(heard) < CLIENTS:
            events = poll.poll(5)
            assert events, f"{len(heard)} of {CLIENTS} have heard"
            heard |= {number for number, _ in events if b"event: changed" in callers[number].more()}
        found.append({"clients": CLIENTS, "allAfterMs": round((time.perf_counter() - began) * 1000)})
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=str(ROOT / ".build" / "release"))
    parser.add_argument("--products", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ["FURROW_PROGRAMS"] = options.programs
    from farm import Farm
    from market import Market

    farm = Farm(environment={"FURROW_TRUSTED_PROXIES": "127.0.0.1"}).start()
    try:
        Market(farm, 10, 0)
        staff = farm.client()
        for number in range(options.products):
            staff.make("POST", "/v1/products", {
                "product": f"p{number}", "farm": "sonnhof", "title": f"Product {number} of the field", "unit": "box",
                "description": f"Grown without anything, picked on day {number}."})
        time.sleep(2)
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            found = {"snapshots": snapshots(farm.port, Path(folder)), "notified": notified(farm.port, staff)}
    finally:
        farm.destroy()
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        for name, rows in found.items():
            for row in rows:
                print(f"{name}: {row}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
