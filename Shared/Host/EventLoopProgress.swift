import Synchronization

/// What the thread of a service reports to its watchdog: that it goes on, and what it is at where that may take longer
/// than a turn of its loop.
final class EventLoopProgress: Sendable {
    /// What the thread is at.
    enum Activity: UInt8, CaseIterable {
        /// Turns of the loop.
        case turning
        /// Opening journal, tables and sockets at the start: nothing in between is reported.
        case opening
        /// Projecting events at the start; each page is reported.
        case projecting
        /// Waiting for the disk or the database.
        case syncing
        /// Reading all of the tables, as an audit asks for.
        case reading

        /// Seconds of running time without progress after which the process counts as hung.
        func seconds(usual: Int64) -> Int64 {
            switch self {
            case .turning, .projecting: usual
            case .syncing: max(usual, HostLimits.syncSeconds)
            case .opening, .reading: max(usual, HostLimits.openingSeconds)
            }
        }

        /// For operators: what was not done.
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

    /// The count of reports, and the activity in the lowest eight bits. One thread writes it.
    private let state = Atomic<UInt64>(UInt64(Activity.opening.rawValue))

    /// The thread goes on with something, or begins something else.
    func report(_ activity: Activity) {
        let count = state.load(ordering: .relaxed) >> 8 &+ 1
        state.store(count << 8 | UInt64(activity.rawValue), ordering: .relaxed)
    }

    /// Does something that may take longer than a turn, and goes on with turns.
    func during<Result, Failure: Error>(
        _ activity: Activity, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        report(activity)
        defer { report(.turning) }
        return try body()
    }

    /// What was reported last, for the watchdog's thread.
    var last: (count: UInt64, activity: Activity) {
        let word = state.load(ordering: .relaxed)
        return (word >> 8, Activity(rawValue: UInt8(truncatingIfNeeded: word)) ?? .turning)
    }
}
