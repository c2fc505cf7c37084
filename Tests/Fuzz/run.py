"""Fuzzes every parser of external input with libFuzzer and prints a table of the results.

    deploy/fuzz [--runs N] [TARGET...]     N inputs for each target (100,000)

A parser has a second and 256 MiB for an input. Exits with 1 on a crash or a hang, if less than 95 % of a target's lines
were run, or if the mutant does not crash. Inputs that failed are stored in .build/fuzz/found.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build" / "fuzz"
FOUND = BUILD / "found"
SEED = 20
#: The attempts of a target that was stopped by the machine, not by an input.
ATTEMPTS = 3
#: A second and 256 MiB for an input; a limited length, so that many inputs are run.
LIMITS = ["-timeout=1", "-rss_limit_mb=256", "-max_len=70000", "-verbosity=1"]
LEAST = 95.0
MUTANT = "mutant"
RADIO = "Shared/Radio"
#: The files or folders of each target's parser. Plain values and code that only computes or writes (distances,
#: beacons' own identifiers, the JSON writer) are not counted; a file that reads and writes counts as a whole.
READERS = {
    "events": [
        "Shared/Wire/EnvelopeCodec.swift", "Shared/Wire/EnvelopeWriter.swift", "Shared/Events/RecordedEvent.swift",
        "Shared/Events/NewerVersion.swift",
        *(f"Shared/Events/Generated/{family}Event.swift" for family in (
            "Catalog", "Orders", "Recommendations", "Sensors", "Sync", "Trace"))],
    "json": [
        f"Shared/Drivers/JSON/{name}.swift" for name in (
            "JSONAny", "JSONArray", "JSONDocument", "JSONMembers", "JSONObject", "JSONPath", "JSONReadable",
            "JSONValue")],
    "frames": [
        f"Shared/EventBus/{name}.swift" for name in ("Message", "FeedHeaders", "PagePayload", "PagePacker", "IncomingRequest")],
    "segments": [
        "Shared/EventStore/Segments/Segment.swift", "Shared/EventStore/Segments/SegmentHead.swift", "Shared/Wire/SignedNote.swift",
        "Shared/Wire/NoteKey.swift", "Shared/Drivers/Zstd/Decompressor.swift"],
    "serial": [
        f"{RADIO}/ZigBee/Serial", f"{RADIO}/ZigBee/Cluster", f"{RADIO}/ZigBee/ZNPDecoder.swift",
        f"{RADIO}/ZigBee/ZigBeeDecoder.swift", f"{RADIO}/ZigBee/Layout.swift",
        "Services/SensorIngest/Commands/SerialRadio.swift"],
    "bluetooth": [
        *(f"{RADIO}/Bluetooth/{name}.swift" for name in (
            "ADStructures", "AdvertisementDecoder", "BTHome", "BTHomeObject", "BluetoothSender", "Characteristic",
            "Eddystone", "EnvironmentBroadcast", "HCIPacket", "HCIStream", "IBeacon", "MiBeacon", "PlantSensor",
            "Ruuvi", "SealedPayload")),
        "Services/SensorIngest/Commands/BluetoothRadio.swift"],
    "central": ["Shared/BluetoothCentral/Connection", "Shared/BluetoothCentral/Controller"],
    "captures": [f"{RADIO}/Captures", f"{RADIO}/ZigBee/Air"],
    "lines": [f"{RADIO}/Decode/DecodeLine.swift", f"{RADIO}/Decode/DecodeOutput.swift",
              f"{RADIO}/Decode/DecodeSummaries.swift"],
    "requests": [
        *(f"Services/SyncGateway/{name}.swift" for name in (
            "Routes/Router", "Routes/PathTemplate", "HTTP/RequestGuard", "HTTP/RequestContext", "Routes/StringFormat",
            "Routes/SchemaCheck", "Sync/Push")),
        "Services/SyncGateway/Ingest/Batch.swift", "Shared/Wire/RequestBody.swift", "Shared/Drivers/HTTP/PercentCoding.swift"],
    "pictures": ["Services/SyncGateway/Media"],
    "nodes": ["Shared/Sharing/CacheDirectives.swift", "Shared/Sharing/ResponseFreshness.swift",
              "Services/ProxyNode/Farms/FarmPages.swift"],
}


def tool(name: str) -> str:
    """The path of a tool beside the compiler, which reads the compiler's profile format."""
    return str(Path(shutil.which("swift") or "swift").resolve().parent / name)


def build() -> Path:
    flags = [
        "-sanitize=fuzzer", "-enable-testing", "-profile-generate", "-profile-coverage-mapping",
        "-Xclang-linker", "-fuse-ld=lld"]
    subprocess.run(
        ["swift", "build", "--product", "fuzz", "--scratch-path", BUILD, "--configuration", "release",
         "-Xcxx", "-fsanitize=fuzzer-no-link", *(word for flag in flags for word in ("-Xswiftc", flag))],
        cwd=ROOT, check=True, env=os.environ | {"FURROW_FUZZ": "1"}, stdout=sys.stderr)
    return BUILD / "release" / "fuzz"


class Run:
    """One target, fuzzed until all inputs are run or one of them fails."""

    def __init__(self, program: Path, target: str, inputs: int):
        self.program, self.target, self.crashes, self.hangs = program, target, 0, 0
        self.place = BUILD / "runs" / target
        shutil.rmtree(self.place, ignore_errors=True)
        (self.place / "corpus").mkdir(parents=True)
        # Writing the seeds runs the writing half of the covered files.
        written = self.run("writing", "seeds", "corpus")
        written.check_returncode()
        print(written.stdout, end="", file=sys.stderr)
        # Without the recordings fewer lines are reached: the coverage is printed, but not required.
        self.is_whole = "SKIPPED" not in written.stdout
        for _ in range(ATTEMPTS):
            began = time.monotonic()
            done = self.run("reading", "corpus", *LIMITS, f"-runs={inputs}", f"-seed={SEED}", "-print_final_stats=1")
            self.seconds = time.monotonic() - began
            if done.returncode == 0 or self.judge():
                break
        stats = dict(line.removeprefix("stat::").split(":") for line in done.stderr.splitlines()
                     if line.startswith("stat::"))
        self.inputs, self.memory = (int(stats.get(name, 0)) for name in ("number_of_executed_units", "peak_rss_mb"))
        self.last = done.stderr[-2000:]

    def run(self, what: str, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [self.program, self.target, *words], cwd=self.place, text=True, errors="replace", capture_output=True,
            env=os.environ | {
                "LLVM_PROFILE_FILE": f"{what}.profile", "SWIFT_BACKTRACE": "enable=no", "TMPDIR": str(self.place)})

    def judge(self) -> bool:
        """Returns whether an input failed, not the machine: a hang counts only if the input alone hangs again."""
        files = [file for kind in ("crash", "oom", "leak", "timeout") for file in sorted(self.place.glob(f"{kind}-*"))]
        for file in files:
            is_hang = file.name.startswith("timeout-")
            if not is_hang or self.run("again", file.name, *LIMITS).returncode != 0:
                self.hangs += is_hang
                self.crashes += not is_hang
                FOUND.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, FOUND / f"{self.target}-{file.name}")
            file.unlink()
        self.crashes += not files
        return self.crashes + self.hangs > 0

    def coverage(self) -> list[tuple[str, int, int]]:
        """Returns each covered file with its number of lines and how many were run."""
        names = []
        for name in READERS[self.target]:
            path = ROOT / name
            names += sorted(path.rglob("*.swift")) if path.is_dir() else [path]
        merged = self.place / "merged"
        subprocess.run(
            [tool("llvm-profdata"), "merge", self.place / "writing.profile", self.place / "reading.profile",
             "-o", merged], check=True)
        exported = subprocess.run(
            [tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={merged}", self.program, *names],
            check=True, capture_output=True, text=True).stdout
        files = {Path(one["filename"]): one["summary"]["lines"] for one in json.loads(exported)["data"][0]["files"]}
        # A file without executable lines, such as a list of constants, is missing in the export.
        return [(str(name.relative_to(ROOT)), files[name]["count"], files[name]["covered"])
                for name in names if name in files]


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--runs", type=int, default=100_000, metavar="N")
    words.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join([*READERS, MUTANT])}; else all")
    options = words.parse_args()
    targets = options.targets or [*READERS, MUTANT]
    if unknown := set(targets) - {*READERS, MUTANT}:
        words.error(f"there is no {', '.join(sorted(unknown))}")
    began = time.monotonic()
    program = build()
    shutil.rmtree(FOUND, ignore_errors=True)
    print(f"built in {time.monotonic() - began:.0f} s")
    print("| target | inputs | a second | crashes | hangs | MiB | lines run |\n|" + " --- |" * 7)
    wrong: list[str] = []
    for target in targets:
        run = Run(program, target, options.runs)
        files = [] if target == MUTANT or run.crashes + run.hangs else run.coverage()
        lines, covered = sum(file[1] for file in files), sum(file[2] for file in files)
        share = 100 * covered / max(lines, 1)
        print(f"| {target} | {run.inputs:,} | {run.inputs / run.seconds:,.0f} | {run.crashes} | {run.hangs} | "
              f"{run.memory} | {f'{covered} of {lines}, {share:.1f} %' if files else '-'} |", flush=True)
        if target == MUTANT:
            if not run.crashes:
                wrong.append("the mutant did not crash")
        elif run.crashes + run.hangs:
            wrong.append(f"{target} failed; the inputs are in {FOUND}\n{run.last}")
        elif run.inputs < options.runs:
            wrong.append(f"{target} ran {run.inputs} of {options.runs} inputs")
        elif share < LEAST and run.is_whole:
            wrong.append(f"{target}: less than {LEAST:.0f} % of its lines were run: " + ", ".join(
                f"{name} {count - ran} of {count} lines not run" for name, count, ran in files if ran < count))
    print("\n".join(wrong) or "No target failed, and enough lines of each were run.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
