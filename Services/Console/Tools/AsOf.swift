import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// A moment that a log is looked at from: what was there then, and nothing of what came later.
enum AsOf: Equatable, Sendable {
    /// Everything up to a position.
    case position(Position)
    /// Everything that had been written down by then.
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
    func includes(_ entry: Entry) -> Bool? {
        do throws(JSONError) {
            return switch self {
            case .position(let last): entry.position <= last
            case .recorded(let time): try EnvelopeCodec.read(entry.bytes).envelope.recorded <= time
            case .happened(let time): try EnvelopeCodec.read(entry.bytes).envelope.time <= time
            }
        } catch {
            return nil
        }
    }
}
