import EventSourcing
import Events
import Vocabulary
import Wire

/// The rate limiter of quarantine events: unreadable inputs are stored, but a noisy source cannot fill the disk.
///
/// A source gets one event per pause, with the first unreadable input since the last event and a count of the others.
/// The pause is one second; it doubles up to ten minutes while the source stays as bad, and is reset by a quiet period.
struct Quarantine {
    private var sources: [String: SourceState] = [:]

    /// The state of one source.
    private struct SourceState {
        var pending: (event: Quarantined, time: Instant)?
        var written: Instant?
        var pause = Quarantine.shortestSeconds
    }

    static let shortestSeconds = 1.0
    static let longestSeconds = 600.0
    /// The most sources with a pause of their own; all further ones share one.
    static let sourcesAtMost = 256

    /// Stores an unreadable input until its event is due.
    mutating func take(_ event: Quarantined, at time: Instant) {
        let name = sources[event.source] != nil || sources.count < Self.sourcesAtMost ? event.source : ""
        var source = sources[name] ?? SourceState()
        if source.pending == nil {
            source.pending = (event, time)
        } else {
            source.pending?.event.others += 1 + event.others
        }
        sources[name] = source
    }

    /// Returns the events that are due. `now` is wall-clock time, independent of a demonstration's clock.
    mutating func due(at now: Instant) -> [Draft] {
        var drafts: [Draft] = []
        for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
            var source = source
            let rest = source.written.map { now < $0 ? .infinity : now.seconds(since: $0) } ?? .infinity
            if let (event, time) = source.pending, rest >= source.pause {
                source.pause =
                    rest < 2 * source.pause ? min(2 * source.pause, Self.longestSeconds) : Self.shortestSeconds
                source.written = now
                source.pending = nil
                drafts.append(Self.draft(event, at: time))
            }
            sources[name] = source.pending == nil && rest > 2 * source.pause && source.written != now ? nil : source
        }
        return drafts
    }

    /// Returns the draft of an event. Its id derives from the input, so an input that is received twice is stored once.
    private static func draft(_ event: Quarantined, at time: Instant) -> Draft {
        let id = UUID.named(
            "quarantine|\(event.source)|\(event.reason)|\(time)|\(event.length)|\(event.bytes)", in: .furrow)
        return Draft(
            event, in: "quarantine/\(event.source)", id: id, at: time, by: .service(SensorIngest.name))
    }
}
