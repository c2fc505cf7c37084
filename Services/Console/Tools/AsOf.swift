import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// A moment that a log is looked at from: what was there then, and nothing of what came later.
enum AsOf: Equatable, Sendable {
    /// Everything up to a position.
    case position(Position)
    /// Everything that had been written down by then. Recorded times go back only where the operator accepted the
    /// clock and a new epoch began: what an earlier epoch recorded later than that was there by then, too. So it is all
    /// of each journal up to the last entry that was recorded at that time or before. See ``EpochStarts``.
    case recorded(Instant)
    /// Everything that had happened by then, as is known today.
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
                "--as-of wants pos:N, recorded:T or happened:T (a time such as 2026-05-03T12:00:00Z), not \(text).",
                isMisuse: true)
        }
    }

    private static let never = Instant(microseconds: 0)

    /// Whether an entry at that position of its log was there; nil where that is a question of time, and its bytes
    /// cannot be read.
    ///
    /// - Parameter starts: where later epochs begin, of a log that was read before.
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

/// Where the epochs of journals begin, and when: only there recorded times go back.
struct EpochStarts {
    private var starts: [Origin: [(position: Position, recorded: Instant)]] = [:]

    /// Takes the entry if an epoch begins with it.
    mutating func add(_ entry: Entry) {
        guard !entry.isPruned, let envelope = Self.envelope(of: entry), envelope.name == EpochBegan.name else { return }
        starts[envelope.origin, default: []].append((envelope.position, envelope.recorded))
    }

    /// Whether an epoch that began at that time or before stands behind the event in its journal.
    func areBehind(_ envelope: Envelope, by time: Instant) -> Bool {
        starts[envelope.origin]?.contains { $0.position > envelope.position && $0.recorded <= time } ?? false
    }

    /// Nil of what is no event, which no epoch begins with.
    private static func envelope(of entry: Entry) -> Envelope? {
        do throws(JSONError) { return try EnvelopeCodec.read(entry.bytes).envelope } catch { return nil }
    }
}
