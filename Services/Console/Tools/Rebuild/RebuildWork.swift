import EventSourcing
import Host
import System

/// One run of a rebuild, with progress output; a signal to end pauses it.
struct RebuildWork {
    private let place: RebuildPlace
    /// The number of projected own events, and of the foreign ones that their checkpoint events name.
    private(set) var events = 0
    private(set) var foreign = 0
    private(set) var seconds = 0.0

    /// The time to wait for a service that has yet to flush, or to restart after a kill: a number of steps, and their
    /// length.
    private static let patience = (steps: 50, milliseconds: 200)

    init(_ place: RebuildPlace) {
        self.place = place
    }

    mutating func run<S: Service>(_ type: S.Type, isRunning: Bool) throws -> RebuildOutcome {
        let signals = try SignalWatcher()
        let pull = try place.pulling(type)
        var foreign = 0
        defer { self.foreign = foreign }
        let rebuild = Rebuild<S>(
            of: try place.reading().head().feed, in: place.viewStore, reading: place.reading,
            pulling: { feed, checkpoint, last in
                let entries = try pull(feed, checkpoint, last)
                foreign += entries.count
                return entries
            })
        let began = Clock.monotonicMicroseconds()
        var progress: Progress?
        var first: Position?
        var reached: Position = 0
        var steps = 0
        while true {
            let outcome = try rebuild.run { position, goal in
                let from = first ?? position
                first = from
                reached = position
                progress = progress ?? Progress("rebuilding \(place.instance)", of: Int(goal), from: Int(from))
                progress?.reached(Int(position))
                return !signals.drain().contains { $0 == .interrupt || $0 == .terminate }
            }
            events = Int(reached - (first ?? reached))
            seconds = Double(Clock.monotonicMicroseconds() - began) / 1_000_000
            guard case .uncompared = outcome, isRunning, steps < Self.patience.steps else { return outcome }
            steps += 1
            _ = try Poll.wait([], milliseconds: Self.patience.milliseconds)
        }
    }
}
