import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// A moment in the past of a log. It includes what the log contained then, and excludes later events.
enum AsOf: Equatable, Sendable {
    /// Includes every entry up to a position.
    case position(Position)
    /// Includes every entry that had been recorded by then.
    ///
    /// Recorded times decrease only where the operator accepted the clock and a new epoch began. Entries of an earlier
    /// epoch precede that start, even with later times. So this includes each journal up to its last entry that was
    /// recorded by then. See ``EpochStarts``.
    case recorded(Instant)
    /// Includes every event that had happened by then, as known today.
    case happened(Instant)

    /// Reads `pos:N`, `recorded:T` or `happened:T`.
    init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.first, parts.last) {
        case ("pos", let value?) where Position(value) != nil: self = .position(Position(value) ?? 0)
        case ("recorded", let value?) where Instant(value) != nil: self = .recorded(Instant(value) ?? Self.never)
        case ("happened", let value?) where Instant(value) != nil: self = .happened(Instant(value) ?? Self.never)
        default:
            throw Refusal(
                "--as-of needs pos:N, recorded:T or happened:T (a time such as 2026-05-03T12:00:00Z), not \(text).",
                isMisuse: true)
        }
    }

    private static let never = Instant(microseconds: 0)

    /// Returns whether the log contained the entry at that moment; nil if that depends on a time and its bytes cannot
    /// be read.
    ///
    /// - Parameter starts: the starts of later epochs, from an earlier read of the log.
    func includes(_ entry: Entry, before starts: EpochStarts = EpochStarts()) -> Bool? {
        do throws(JSONError) {
            switch self {
            case .position(let last): return entry.position <= last
            case .recorded(let time):
                let envelope = try EnvelopeCodec.read(entry.bytes).envelope
                return envelope.recorded <= time || starts.areBehind(envelope, by: time)
            case .happened(let time): return try EnvelopeCodec.read(entry.bytes).envelope.time <= time
            }
        } catch {
            return nil
        }
    }
}

/// The positions and times at which epochs of journals begin; only there do recorded times decrease.
struct EpochStarts {
    private var starts: [Origin: [(position: Position, recorded: Instant)]] = [:]

    /// Adds the entry if it begins an epoch.
    mutating func add(_ entry: Entry) {
        guard !entry.isPruned, let envelope = Self.envelope(of: entry), envelope.name == EpochBegan.name else { return }
        starts[envelope.origin, default: []].append((envelope.position, envelope.recorded))
    }

    /// Returns whether a later epoch of the event's journal began at `time` or before.
    func areBehind(_ envelope: Envelope, by time: Instant) -> Bool {
        starts[envelope.origin]?.contains { $0.position > envelope.position && $0.recorded <= time } ?? false
    }

    /// Returns nil if the entry is not a readable event, so it begins no epoch.
    private static func envelope(of entry: Entry) -> Envelope? {
        do throws(JSONError) { return try EnvelopeCodec.read(entry.bytes).envelope } catch { return nil }
    }
}
