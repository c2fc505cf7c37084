import EventSourcing
import Events
import Vocabulary
import Wire

/// The rate limiter of quarantine events: unreadable inputs are stored, but a noisy source cannot fill the disk.
///
/// A source gets one event per pause, with the first unreadable input since the last event and a count of the others.
/// The pause is one second; it doubles up to ten minutes while the source stays as bad, and is reset by a quiet period.
struct Quarantine {
    private var wards: [String: Ward] = [:]

    /// The state of one source.
    private struct Ward {
        var held: (event: Quarantined, time: Instant)?
        var written: Instant?
        var pause = Quarantine.shortestSeconds
    }

    static let shortestSeconds = 1.0
    static let longestSeconds = 600.0
    /// The most sources with a pause of their own; all further ones share one.
    static let wardsAtMost = 256

    /// Stores an unreadable input until its event is due.
    mutating func take(_ event: Quarantined, at time: Instant) {
        let name = wards[event.source] != nil || wards.count < Self.wardsAtMost ? event.source : ""
        var ward = wards[name] ?? Ward()
        if ward.held == nil {
            ward.held = (event, time)
        } else {
            ward.held?.event.others += 1 + event.others
        }
        wards[name] = ward
    }

    /// Returns the events that are due. `now` is wall-clock time, independent of a demonstration's clock.
    mutating func due(at now: Instant) -> [Draft] {
        var drafts: [Draft] = []
        for (name, ward) in wards.sorted(by: { $0.key < $1.key }) {
            var ward = ward
            let rest = ward.written.map { now < $0 ? .infinity : now.seconds(since: $0) } ?? .infinity
            if let (event, time) = ward.held, rest >= ward.pause {
                ward.pause = rest < 2 * ward.pause ? min(2 * ward.pause, Self.longestSeconds) : Self.shortestSeconds
                ward.written = now
                ward.held = nil
                drafts.append(Self.draft(event, at: time))
            }
            wards[name] = ward.held == nil && rest > 2 * ward.pause && ward.written != now ? nil : ward
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
