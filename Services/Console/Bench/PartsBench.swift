import Crypto
import EventSourcing
import EventStore
import Events
import Host
import JSON
import System
import Wire

/// The cost of each step of an event's processing, on one otherwise idle thread: an upper bound of what any journal of
/// these events can reach.
struct PartsBench {
    private let options: BenchOptions

    init(_ options: BenchOptions) {
        self.options = options
    }

    /// The steps of an event's processing, in their order.
    enum Part: String, CaseIterable {
        /// Writes its bytes from typed values: JSON with its envelope.
        case write
        /// Computes the chain's next hash (SHA-256), as on each write and each read.
        case hash
        /// Validates and parses its JSON with simdjson; no value is read.
        case parse
        /// Decodes typed values from its bytes, `parse` included.
        case read
    }

    /// Enough events that their bytes do not fit into the processor's caches.
    private static let distinct = 20_000

    func run() throws -> BenchResult {
        let log = try MemoryLog(feed: BenchService.origin, why: "bench", at: AdjustableClock.machine)
        let source = BenchEvents(size: options.size)
        let drafts = (0..<min(options.events, Self.distinct)).map(source.draft)
        var entries: [Entry] = []
        for start in stride(from: 0, to: drafts.count, by: LocalBench.batch) {
            let batch = Array(drafts[start..<min(start + LocalBench.batch, drafts.count)])
            for case .written(let entry, _) in try log.stage(Commit(batch), at: AdjustableClock.machine) {
                entries.append(entry)
            }
            try log.commit()
        }
        guard entries.count == drafts.count else { throw Refusal("Not every event was written.") }
        let envelopes = try entries.map { try RecordedEvent(reading: $0.bytes).envelope }
        let writer = EnvelopeWriter(envelopes[0].origin, envelopes[0].epoch)
        var hash = [UInt8](repeating: 0, count: SHA256.size)
        let parts = try Part.allCases.map { part in
            (
                part,
                try seconds { number in
                    switch part {
                    case .write: return writer.write(envelopes[number], drafts[number].event).count
                    case .hash:
                        hash = Chain.next(after: hash, entries[number].bytes)
                        return hash.count
                    case .parse: return try JSONValue.parse(entries[number].bytes).isNull ? 0 : 1
                    case .read: return try RecordedEvent(reading: entries[number].bytes).envelope.version
                    }
                }
            )
        }
        return BenchResult(
            bench: options.name, events: options.events, seconds: parts.reduce(0) { $0 + $1.1 },
            peakRSSBytes: Machine.peakResidentBytes(), secondsOfParts: parts)
    }

    /// Returns the seconds that `part` takes for all events. Throws unless each call returns more than 0.
    private func seconds(_ part: (_ number: Int) throws -> Int) throws -> Double {
        var given = 0
        let (_, seconds) = try BenchCommand.timed {
            for number in 0..<options.events where try part(number % min(options.events, Self.distinct)) > 0 {
                given += 1
            }
        }
        guard given == options.events else { throw Refusal("\(options.events - given) events failed.") }
        return seconds
    }
}
