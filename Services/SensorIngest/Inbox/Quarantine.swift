import EventSourcing
import Events
import Vocabulary
import Wire

/// Keeps what nobody can read, without letting a noisy source fill the disk.
///
/// A source gets one fact a pause, with the first unreadable input since the last one and a count of the others. The
/// pause is a second, and doubles up to ten minutes while the source stays as bad; a quiet spell makes it short again.
struct Quarantine {
    private var wards: [String: Ward] = [:]

    /// What is held of one source.
    private struct Ward {
        var held: (event: Quarantined, time: Instant)?
        var written: Instant?
        var pause = Quarantine.shortestSeconds
    }

    static let shortestSeconds = 1.0
    static let longestSeconds = 600.0
    /// Sources that are told apart; beyond it they share one pause.
    static let wardsAtMost = 256

    /// Holds what could not be read until it is due.
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

    /// The facts whose time has come. `now` is real time, whatever the farm's clock shows.
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

    /// The same input given again is the same fact.
    private static func draft(_ event: Quarantined, at time: Instant) -> Draft {
        let id = UUID.named(
            "quarantine|\(event.source)|\(event.reason)|\(time)|\(event.length)|\(event.bytes)", in: .furrow)
        return Draft(
            event, in: "quarantine/\(event.source)", id: id, at: time, by: .service(SensorIngest.name))
    }
}
