import Crypto
import EventSourcing
import EventStore
import Events
import Host
import JSON
import System
import Wire

/// What each part of an event's way costs by itself, on one thread that does nothing else: what no journal of these
/// events can be faster than.
struct PartsBench {
    private let options: BenchOptions

    init(_ options: BenchOptions) {
        self.options = options
    }

    /// What is done with every event, in the order of its way.
    enum Part: String, CaseIterable {
        /// Its bytes from typed values: JSON with its envelope.
        case write
        /// The chain's next hash (SHA-256), when it is written and again whenever it is read.
        case hash
        /// Its JSON checked and taken apart by simdjson, no value looked at.
        case parse
        /// Typed values from its bytes, `parse` included.
        case read
    }

    /// As many events as keep their bytes out of the processor's caches.
    private static let distinct = 20_000

    func run() throws -> BenchResult {
        let log = try MemoryLog(feed: BenchService.origin, why: "bench", at: AdjustableClock.machine)
        let source = BenchEvents(size: options.size)
        let drafts = (0..<min(options.events, Self.distinct)).map(source.draft)
        var entries: [Entry] = []
        for start in stride(from: 0, to: drafts.count, by: LocalBench.batch) {
            let batch = Array(drafts[start..<min(start + LocalBench.batch, drafts.count)])
            for case .written(let entry) in try log.stage(Commit(batch), at: AdjustableClock.machine) {
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

    /// How long it takes to do something with every event; each must give something.
    private func seconds(_ part: (_ number: Int) throws -> Int) throws -> Double {
        var given = 0
        let (_, seconds) = try BenchCommand.timed {
            for number in 0..<options.events where try part(number % min(options.events, Self.distinct)) > 0 {
                given += 1
            }
        }
        guard given == options.events else { throw Refusal("\(options.events - given) events gave nothing.") }
        return seconds
    }
}
