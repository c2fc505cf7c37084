import Synchronization

/// The progress of a service's thread, as it reports it to its watchdog. It includes the present activity where that
/// may take longer than a round of the event loop.
final class EventLoopProgress: Sendable {
    /// An activity of the thread.
    enum Activity: UInt8, CaseIterable {
        /// Rounds of the event loop.
        case turning
        /// Opening the journal, tables and sockets at the start; no progress is reported in between.
        case opening
        /// Projecting events at the start; each page is reported.
        case projecting
        /// Waiting for the disk or the database.
        case syncing
        /// Reading all tables for an audit.
        case reading

        /// Returns the seconds of running time without progress after which the process counts as hung.
        func seconds(usual: Int64) -> Int64 {
            switch self {
            case .turning, .projecting: usual
            case .syncing: max(usual, HostLimits.syncSeconds)
            case .opening, .reading: max(usual, HostLimits.openingSeconds)
            }
        }

        /// What was not done, in words for operators.
        var sentence: String {
            switch self {
            case .turning: "its loop made no turn"
            case .opening: "its start got no further"
            case .projecting: "the projection of its journal got no further"
            case .syncing: "the disk or the database did not answer"
            case .reading: "reading its tables did not end"
            }
        }
    }

    /// The number of reports, with the activity in the lowest eight bits. Only one thread writes it.
    private let state = Atomic<UInt64>(UInt64(Activity.opening.rawValue))

    /// Reports progress of an activity, or the beginning of another.
    func report(_ activity: Activity) {
        let count = state.load(ordering: .relaxed) >> 8 &+ 1
        state.store(count << 8 | UInt64(activity.rawValue), ordering: .relaxed)
    }

    /// Runs `body` as an activity that may take longer than a round, and reports the end.
    func during<Result, Failure: Error>(
        _ activity: Activity, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        report(activity)
        defer { report(.turning) }
        return try body()
    }

    /// The last report; read by the watchdog's thread.
    var last: (count: UInt64, activity: Activity) {
        let word = state.load(ordering: .relaxed)
        return (word >> 8, Activity(rawValue: UInt8(truncatingIfNeeded: word)) ?? .turning)
    }
}
