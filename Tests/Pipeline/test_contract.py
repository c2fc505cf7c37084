"""The description of the public API against the running farm: schemathesis calls every operation in all ways that the
description allows, and in many that it forbids.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from client import Client
from contract_farm import ENVIRONMENT, ContractFarm, Crowd
from contract_radio import OpenStick
from farm import Farm
from proxy import Change, Proxy

HERE = Path(__file__).parent
METHODS = {"get", "post", "put", "delete", "patch"}


@dataclass
class Verdict:
    """The result of a run."""

    code: int
    said: str
    calls: list[dict]

    def statuses(self) -> dict[str, Counter]:
        """Returns the response statuses of each operation, with their counts."""
        found: dict[str, Counter] = {}
        for call in self.calls:
            found.setdefault(call["operation"], Counter())[call["status"]] += 1
        return found


@pytest.fixture(scope="module")
def grounds():
    sticks = [OpenStick("3.30"), OpenStick("1.2"), OpenStick("3.0")]
    sources = ",".join(stick.source for stick in sticks)
    farm = Farm(environment=ENVIRONMENT | {"FURROW_SOURCES": sources})
    try:
        farm.start()
        yield ContractFarm(farm)
        farm.audited()
    finally:
        farm.destroy()
        for stick in sticks:
            stick.close()


def tried(grounds: ContractFarm, folder: Path, *words: str, change: Change | None = None) -> Verdict:
    """Runs schemathesis through a reverse proxy, which names another caller for each request."""
    proxy = Proxy(grounds.farm.port, callers=Crowd(), change=change)
    told = grounds.tell(folder / "told.json", grounds.farm.port)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "--config-file", HERE / "contract.toml", "run",
             f"http://127.0.0.1:{proxy.port}/openapi.json", "--checks", "all", "--seed", "1", "--workers", "2",
             *(words or ("--include-path-regex", "/"))],
            capture_output=True, text=True, timeout=900, cwd=folder,
            env=os.environ | {"SCHEMATHESIS_HOOKS": "contract_hooks", "PYTHONPATH": str(HERE),
                              "FURROW_CONTRACT": str(told)})
    finally:
        proxy.close()
    record = folder / "calls.jsonl"
    calls = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    return Verdict(done.returncode, done.stdout + done.stderr, calls)


def test_the_gateway_conforms_to_its_description(grounds, tmp_path):
    document = Client(grounds.farm.port).get("/openapi.json")
    operations = {operation["operationId"] for item in document["paths"].values()
                  for method, operation in item.items() if method in METHODS}
    verdict = tried(grounds, tmp_path)
    statuses = verdict.statuses()
    good = {name: sum(count for status, count in statuses.get(name, Counter()).items() if 200 <= status < 300)
            for name in operations}
    broken = {name: status for name, counts in statuses.items() for status in counts if status >= 500}
    print(f"{len(operations)} operations, {len(verdict.calls)} requests; 2xx of each: "
          + ", ".join(f"{name} {count}" for name, count in sorted(good.items())))
    assert verdict.code == 0, verdict.said
    assert len(operations) >= 78 and set(statuses) == operations
    assert [name for name, count in good.items() if count == 0] == []
    assert broken == {}


def wrong_type(method: str, path: str, status: int, body: bytes) -> tuple[int, bytes]:
    """Puts a number where the description has a text."""
    if method == "GET" and path.split("?")[0] == "/v1/farms" and status == 200:
        body = body.replace(b'"title":"Sonnhof"', b'"title":4711')
    return status, body


def broken_answer(method: str, path: str, status: int, body: bytes) -> tuple[int, bytes]:
    """Turns a success into a server error."""
    return (500, body) if method == "GET" and path.split("?")[0] == "/v1/farms" and status == 200 else (status, body)


def undocumented(method: str, path: str, status: int, body: bytes) -> tuple[int, bytes]:
    """Returns an undocumented status."""
    return (203, body) if method == "GET" and path.split("?")[0] == "/v1/farms" and status == 200 else (status, body)


@pytest.mark.parametrize("change, sentence", [
    (wrong_type, "Response violates schema"), (broken_answer, "Server error"),
    (undocumented, "Undocumented status code")])
def test_a_response_that_violates_the_description_is_found(grounds, tmp_path, change, sentence):
    verdict = tried(grounds, tmp_path, "--include-operation-id", "farms", "--phases", "examples,coverage",
                    change=change)
    print(f"{change.__name__}: found in {len(verdict.calls)} requests")
    assert verdict.code == 1 and sentence in verdict.said, verdict.said
