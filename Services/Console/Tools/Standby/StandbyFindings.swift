import Host
import JSON
import System
import Vocabulary

/// What the doctor says of a standby.
enum StandbyFindings {
    /// The age after which the last written state says that nothing is sent any more.
    private static let stateSeconds = 60.0

    /// Returns the finding of a machine that belongs to a pair; none for any other.
    static func look(_ farmPaths: FarmPaths, at now: Instant) -> [Finding] {
        do {
            let path = StandbyFolder(farmPaths).state
            let settings = try farmPaths.standbySettings
            let vote =
                settings.map { $0.votes.isEmpty || $0.role == .primary && $0.peer == nil } ?? true
                ? [] : [VoteState.finding(try VoteState.read(farmPaths), at: now)]
            if settings?.role == .vote { return vote }
            if File.exists(path) {
                return [rule(try StandbyState(json: File.read(path, limit: 65_536)), at: now)] + vote
            }
            // Nothing was written yet.
            guard let settings else { return [] }
            return [rule(StandbyState(settings, at: Instant(microseconds: 0)), at: now)] + vote
        } catch {
            return [
                Finding(
                    "standby", .act, "The state of the standby cannot be read: \(error)",
                    do: "See: furrow standby status")
            ]
        }
    }

    /// - Parameter state: what the process that sends or receives has written last.
    static func rule(_ state: StandbyState, at now: Instant) -> Finding {
        let advice =
            state.role == .primary
            ? "See that the standby runs and is reached: furrow standby status. Until then a loss of this machine loses more."
            : "See that the farm server runs and is reached. If it is lost for good: furrow promote"
        guard state.role == .standby || state.peer != nil else {
            return Finding(
                "standby", .mind, "A standby may join, and none has.",
                do: "On the other machine: furrow standby join FILE --address ITS-ADDRESS")
        }
        let other = state.role == .primary ? "the standby at" : "the farm server at"
        let place = "\(other) \(state.peer ?? "")"
        guard now.seconds(since: state.at) < stateSeconds else {
            return Finding("standby", .act, "Nothing was heard of \(place) for a minute.", do: advice)
        }
        guard state.isConnected else {
            return Finding("standby", .act, "No connection to \(place).", do: advice)
        }
        guard state.isGood else {
            let seconds = max(state.databaseSeconds ?? 0, state.filesSeconds ?? 0)
            return Finding("standby", .act, "Far behind: \(place), by \(Amount.time(seconds: seconds)).", do: advice)
        }
        if state.wantsSynchronous, state.isSynchronous == false {
            return Finding("standby", .act, "Events are acknowledged without \(place).", do: advice)
        }
        return Finding("standby", .ok, "Connected, with everything but the last seconds: \(place).")
    }
}
