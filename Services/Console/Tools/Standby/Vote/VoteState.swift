import Host
import JSON
import System
import Vocabulary

/// What a machine knows of the vote, as its process wrote it last.
struct VoteState: Equatable {
    let at: Instant
    /// The address of the machine that has the vote; nil if none has, or no majority is reached.
    let holder: String?
    /// How many of the two other machines are connected.
    let others: Int

    init(at: Instant, holder: String?, others: Int) {
        self.at = at
        self.holder = holder
        self.others = others
    }

    init(json bytes: [UInt8]) throws {
        let json = try JSONValue.parse(bytes)
        self.init(at: try json.get("at"), holder: try json.find("holder"), others: try json.get("others"))
    }

    /// Reads the state of a home; nil if none was written.
    static func read(_ farmPaths: FarmPaths) throws -> VoteState? {
        let path = StandbyFolder(farmPaths).voteState
        return File.exists(path) ? try VoteState(json: File.read(path, limit: 4_096)) : nil
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("at", at)
            json.field("holder", ifPresent: holder)
            json.field("others", others)
        }
        return json.bytes
    }

    func write(_ farmPaths: FarmPaths) throws {
        try File.writeAtomically(StandbyFolder(farmPaths).voteState, json + [10], mode: 0o600)
    }

    /// Seconds between two writings of a state that does not change.
    static let seconds = 20.0
    /// The age after which a state says nothing any more.
    private static let staleSeconds = 60.0

    /// What the doctor says of it.
    static func finding(_ state: VoteState?, at now: Instant) -> Finding {
        let advice = "See that all three machines run and reach each other: furrow standby status on each."
        guard let state, now.seconds(since: state.at) < staleSeconds else {
            return Finding("vote", .act, "Nothing is known of the vote of three machines.", do: advice)
        }
        guard let holder = state.holder else {
            return Finding(
                "vote", .act, "No machine has the vote, or the other two are not reached: the farm does not run then.",
                do: advice)
        }
        guard state.others >= 2 else {
            return Finding(
                "vote", .act, "Only one other machine votes. If that is lost, too, the farm stops.", do: advice)
        }
        return Finding("vote", .ok, "Three machines vote, and \(holder) runs the farm.")
    }
}
