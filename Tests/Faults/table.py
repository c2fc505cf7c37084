"""The table of injected faults and their results, printed at the end."""

import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from alone import Tally

ROOT = Path(__file__).resolve().parents[2]
NIGHTLY = os.environ.get("FURROW_FAULTS", "") == "nightly"


def times(commit: int, nightly: int) -> int:
    """Returns how often a fault is injected: for every change, or at night."""
    return nightly if NIGHTLY else commit


def rounds(often: int, size: int = 50) -> list[int]:
    """Splits frequent faults over several new stores, so that each is read back quickly."""
    return [min(size, often - done) for done in range(0, often, size)]


@dataclass
class Row:
    """One line: a fault and its result."""

    fault: str
    what: str
    done: int
    tally: Tally | None = None
    note: str = ""
    seconds: float = 0


@dataclass
class Table:
    """The rows of one run, in order of the faults."""

    rows: list[Row] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def add(self, fault: str, what: str, done: int, tally: Tally | None = None, note: str = "") -> None:
        now = time.monotonic()
        self.rows.append(Row(fault, what, done, tally, note, now - self.began))
        self.began = now

    @property
    def lines(self) -> list[str]:
        lines = [f"{'fault':<6}{'what was done':<66}{'times':>7}{'acked':>8}{'lost':>6}{'twice':>6}{'skipped':>8}"
                 f"{'s':>6}  note"]
        for row in sorted(self.rows, key=lambda row: row.fault):
            tally = row.tally
            told = (f"{tally.acknowledged:>8}{tally.lost:>6}{tally.doubled:>6}{tally.skipped:>8}" if tally
                    else f"{'':>28}")
            lines.append(f"{row.fault:<6}{row.what:<66}{row.done:>7}{told}{row.seconds:>6.0f}  {row.note}".rstrip())
        return lines

    @property
    def elsewhere(self) -> list[str]:
        lines = ["Covered by other tests that `deploy/test` runs:"]
        lines += [f"{one.fault:<6}{one.sentence}  ({one.file})" for one in ELSEWHERE]
        lines.append("Mutants, and the tests that detect them:")
        lines += [f"{one.fault:<38}{one.sentence}  ({one.file})" for one in MUTANTS]
        return lines


@dataclass(frozen=True)
class Kept:
    """A fault that another test covers, or a mutant that it detects.

    `sentence` is the name of the test or, for a simulated day or a test in Python, that of the mutant.
    """

    fault: str
    file: str
    sentence: str

    @property
    def is_there(self) -> bool:
        path = ROOT / "Tests" / self.file
        name = re.escape(self.sentence)
        spelled = {
            "Simulation/Mutant.swift": rf"case {name}$", "HostTests/MutantRuntime.swift": rf"^    case .*\b{name}\b"}
        usual = rf"def {name}\(" if path.suffix == ".py" else rf"`{name}`"
        found = path.is_file() and re.search(spelled.get(self.file, usual), path.read_text(), re.MULTILINE)
        return bool(found)


ELSEWHERE = [
    Kept("F01", "Pipeline/test_kill.py", "test_what_was_acknowledged_survives_every_kill_of"),
    Kept("F03", "EventStoreTests/SQLiteLogTests.swift", "a crash at any step leaves exactly the committed entries"),
    Kept("F05", "HubStoreTests/HubLossTests.swift",
         "a commit whose response is lost fails and is found when the hub reopens"),
    Kept("F06", "EventStoreTests/TornTailTests.swift", "a journal torn at any byte reopens at its last whole commit"),
    Kept("F07", "EventStoreTests/SegmentTests.swift",
         "every flipped bit in a segment is reported with its positions and nothing of it is read"),
    Kept("F07", "EventStoreTests/FlipTests.swift",
         "the hash chain detects every flipped bit that changes an event"),
    Kept("F08", "EventStoreTests/ForgeryTests.swift",
         "every forgery breaks the hash chain or contradicts an earlier checkpoint"),
    Kept("F08", "HubStoreTests/HubForgeryTests.swift",
         "every forgery breaks the hub's hash chain or contradicts the signed tree"),
    Kept("F08", "EventStoreTests/SegmentTests.swift",
         "a forged segment is refused because of its signature and would be accepted without it"),
    Kept("F08", "HostTests/ChangedEntryTests.swift",
         "a rebuild refuses a changed entry of its own journal, which an unverified fold would project"),
    Kept("F08", "HostTests/ChangedEntryTests.swift",
         "a rebuild refuses a changed entry of a mirrored journal, also in its former history"),
    Kept("F08", "EventBusTests/StoppingFeedsTests.swift", "a subscription stops if the journal lost its end without a new epoch"),
    Kept("F08", "EventBusTests/StoppingFeedsTests.swift", "a subscription stops if another journal has the same name"),
    Kept("F08", "HubStoreTests/HubMirrorTests.swift", "the hub refuses entries of another history"),
    Kept("F09", "EventStoreTests/SQLiteLogTests.swift", "a full disk is reported and committed entries stay readable"),
    Kept("F10", "SQLiteTests/DamageTests.swift", "a failed sync is not reported as a full disk"),
    Kept("F15", "EventBusTests/HoldingCreditTests.swift",
         "a subscriber that takes each page at once receives all of them"),
    Kept("F16", "EventBusTests/StoppingFeedsTests.swift", "a journal is read from its beginning through all its epochs"),
    Kept("F17", "EventBusTests/RequestTests.swift", "a request with a key survives the restart of its server"),
    Kept("F19", "EventBusTests/LosingMessagesTests.swift",
         "a subscriber that accepts every page has events twice"),
    Kept("F19", "EventBusTests/FeedSubscriberTests.swift", "a lost head notification is repaired by the next heartbeat"),
    Kept("F20", "EventBusTests/MalformedMessageTests.swift", "a request server drops and counts malformed messages and still responds"),
    Kept("F20", "EventBusTests/MalformedMessageTests.swift", "a feed server drops and counts malformed messages and still serves pages"),
    Kept("F20", "EventBusTests/MalformedMessageTests.swift", "a subscriber drops and counts malformed messages and still receives its feed"),
    Kept("F20", "Fuzz/Readers/MutatedInputTests.swift",
         "mutated inputs never crash a reader, and what is read is written without a change"),
    Kept("F20", "HubStoreTests/HubMirrorTests.swift", "the hub mirrors entries whose bytes it cannot decode"),
    Kept("F22", "EventBusTests/StoppingFeedsTests.swift",
         "a subscription stops before a missing entry, where a naive subscriber continues"),
    Kept("F24", "EventStoreTests/SealingTests.swift", "a new process completes the sealing that a crash interrupted"),
    Kept("F25", "RecommenderTests/ReplayTests.swift",
         "the same log gives the same model bit for bit for every page size"),
    Kept("F37", "EventStoreTests/SQLiteLogTests.swift",
         "a journal refuses a second writer, another origin and a newer format"),
    Kept("F37", "HubStoreTests/HubGuardTests.swift", "a second ledger cannot open a hub that is in use"),
]

#: What must not be omitted, and the tests that detect where it is.
MUTANTS = [
    Kept("skip fsync", "Simulation/Mutant.swift", "skipsSync"),
    Kept("skip fsync", "Faults/test_power_cut.py", "test_a_journal_that_does_not_wait_for_the_disk_is_caught"),
    Kept("skip fsync", "Faults/test_power_cut.py", "test_a_journal_whose_segments_do_not_wait_for_the_disk_is_caught"),
    Kept("skip fsync", "Faults/test_vault.py", "test_a_vault_that_does_not_wait_for_the_disk_is_caught"),
    Kept("ack before commit", "Simulation/Mutant.swift", "answersFirst"),
    Kept("ack before commit", "HostTests/MutantRuntime.swift", "answersFirst"),
    Kept("forget the results table", "Simulation/Mutant.swift", "forgetsAnswers"),
    Kept("forget a commit", "Faults/test_failpoints.py", "test_a_store_that_forgets_its_last_commits_is_caught"),
    Kept("forget across a kill", "Pipeline/test_kill_twins.py",
         "test_a_service_that_forgets_across_a_kill_is_detected"),
    Kept("drop dedupe", "Simulation/Mutant.swift", "dropsDedupe"),
    Kept("naive reader past a hole", "EventBusTests/StoppingFeedsTests.swift",
         "a subscription stops before a missing entry, where a naive subscriber continues"),
    Kept("naive reader past a hole", "Simulation/Mutant.swift", "mirrorsBlindly"),
    Kept("ignore epoch", "EventBusTests/StoppingFeedsTests.swift",
         "a subscription stops at a new epoch, where one that ignores epochs mixes two histories"),
    Kept("ignore hash", "Simulation/Mutant.swift", "ignoresHashes"),
    Kept("ignore hash", "EventBusTests/StoppingFeedsTests.swift",
         "a subscriber that ignores hashes accepts a changed byte"),
    Kept("fold origin by origin", "HostTests/FoldingTests.swift",
         "a rebuild gives the live tables for every order of events"),
    Kept("fold without the chain", "HostTests/ChangedEntryTests.swift",
         "a rebuild refuses a changed entry of its own journal, which an unverified fold would project"),
    Kept("read without the chain", "EventStoreTests/FlipTests.swift",
         "the hash chain detects every flipped bit that changes an event"),
    Kept("rebuild without an event", "ConsoleTests/RebuildTests.swift",
         "a rebuild that omits an own or foreign event differs in the comparison"),
    Kept("retry fsync", "HostTests/MutantRuntime.swift", "retriesFailedSync"),
    Kept("forgive a failed fsync", "Simulation/Mutant.swift", "forgivesFailedSync"),
    Kept("ring without commit", "Simulation/Mutant.swift", "ringsFirst"),
    Kept("no ZAP", "HostTests/EndpointsTests.swift", "endpoints accept no connection without an authenticator"),
    Kept("no ZAP", "ZeroMQTests/ZAPAuthenticatorTests.swift",
         "a server without ZAP enforcement admits any key when there is no authenticator"),
    Kept("no credit limit", "EventBusTests/HoldingCreditTests.swift",
         "without a credit limit a subscriber that takes nothing receives everything"),
    Kept("wall clock for timeouts", "Simulation/Mutant.swift", "wallClockTimeouts"),
    Kept("wall clock for pruning", "Simulation/Mutant.swift", "trustsWallClock"),
    Kept("ask for a page but once", "Simulation/Mutant.swift", "asksOnce"),
    Kept("drop what cannot be read", "HostTests/MutantRuntime.swift", "dropsWhatItCannotRead"),
    Kept("park without holding the stream", "HostTests/MutantRuntime.swift", "parksWithoutHolding"),
    Kept("seal without signature", "EventStoreTests/SegmentTests.swift",
         "a forged segment is refused because of its signature and would be accepted without it"),
    Kept("forget a bound", "Fuzz/Readers/MutatedInputTests.swift", "mutated inputs crash a reader without a bounds check"),
]
