import Host
import JSON
import System
import Vocabulary

/// What the doctor says of a standby.
enum StandbyFindings {
    /// The age after which the last written state says that nothing is sent any more.
    private static let stateSeconds = 60.0

    /// Returns the finding of a home that belongs to a pair; none for any other home.
    static func look(_ farmPaths: FarmPaths, at now: Instant) -> [Finding] {
        do {
            guard let settings = try StandbySettings(of: farmPaths.home) else { return [] }
            let path = StandbyFolder(of: farmPaths.home).state
            let state = File.exists(path) ? try StandbyState.Reported(of: File.read(path, limit: 65_536)) : nil
            return [rule(settings, state, at: now)]
        } catch {
            return [
                Finding(
                    "standby", .act, "The state of the standby cannot be read: \(error)",
                    do: "See: furrow standby status")
            ]
        }
    }

    /// - Parameter state: what the process that sends or receives has written last; nil if it has written nothing.
    static func rule(_ settings: StandbySettings, _ state: StandbyState.Reported?, at now: Instant) -> Finding {
        let advice =
            settings.role == .primary
            ? "See that the standby runs and is reached: furrow standby status. Until then a loss of this machine loses more."
            : "See that the farm server runs and is reached. If it is lost for good: furrow promote"
        guard settings.role == .standby || settings.peer != nil else {
            return Finding(
                "standby", .mind, "A standby may join, and none has.",
                do: "On the other machine: furrow standby join FILE --address ITS-ADDRESS")
        }
        let other = settings.role == .primary ? "the standby at" : "the farm server at"
        let place = "\(other) \(settings.peer ?? "")"
        guard let state, now.seconds(since: state.at) < stateSeconds else {
            return Finding("standby", .act, "Nothing was heard of \(place) for a minute.", do: advice)
        }
        guard state.isConnected else {
            return Finding("standby", .act, "No connection to \(place).", do: advice)
        }
        guard state.isGood else {
            let seconds = max(state.databaseSeconds ?? 0, state.filesSeconds ?? 0)
            return Finding("standby", .act, "Far behind: \(place), by \(Amount.time(seconds: seconds)).", do: advice)
        }
        if settings.isSynchronous, state.isSynchronous == false {
            return Finding("standby", .act, "Events are acknowledged without \(place).", do: advice)
        }
        return Finding("standby", .ok, "Connected, with everything but the last seconds: \(place).")
    }
}

extension StandbyState {
    /// The state as it was written to a file.
    struct Reported: Equatable {
        let at: Instant
        let isGood: Bool
        let isConnected: Bool
        let databaseSeconds: Double?
        let filesSeconds: Double?
        let isSynchronous: Bool?

        init(
            at: Instant, isGood: Bool, isConnected: Bool, databaseSeconds: Double? = nil, filesSeconds: Double? = nil,
            isSynchronous: Bool? = nil
        ) {
            self.at = at
            self.isGood = isGood
            self.isConnected = isConnected
            self.databaseSeconds = databaseSeconds
            self.filesSeconds = filesSeconds
            self.isSynchronous = isSynchronous
        }

        init(of bytes: [UInt8]) throws {
            let json = try JSONValue.parse(bytes)
            at = try json.get("at")
            isGood = try json.get("good")
            isConnected = try json.get("connected")
            databaseSeconds = try json.find("databaseSeconds")
            filesSeconds = try json.find("filesSeconds")
            isSynchronous = try json.find("synchronous")
        }
    }
}
