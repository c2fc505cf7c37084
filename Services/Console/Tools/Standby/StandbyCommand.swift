import EventSourcing
import EventStore
import Host
import HubStore
import JSON
import System
import Vocabulary

/// `furrow standby`: a second machine that has all of a farm's data.
struct StandbyCommand {
    private enum Action {
        case allow(StandbyAllow)
        case join(invitation: String, address: String)
        case status
        case lost
        case send
        case vote
    }

    private let farmPaths: FarmPaths
    private let isJSON: Bool
    private let action: Action

    private static let usualPort = 5_433

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        let address = try arguments.value("--address")
        let port = try arguments.number("--port", 1_024...65_535)
        let out = try arguments.value("--to")
        let isSynchronous = arguments.flag("--synchronous")
        let votes = try arguments.value("--votes")?.split(separator: ",").map(String.init) ?? []
        switch arguments.word() {
        case "allow":
            guard let address else {
                throw Refusal("Say how the standby reaches this machine: --address 192.168.1.10", isMisuse: true)
            }
            let usual =
                farmPaths.isStack ? StandbyInvitation.standardStream : "\(farmPaths.home)/standby-invitation.json"
            action = .allow(
                StandbyAllow(
                    farmPaths: farmPaths, address: address, port: port ?? Self.usualPort, invitation: out ?? usual,
                    isSynchronous: isSynchronous, others: votes))
        case "join":
            guard let invitation = arguments.word() else {
                throw Refusal("Name the file that furrow standby allow has written.", isMisuse: true)
            }
            guard let address else {
                throw Refusal("Say how the farm server reaches this machine: --address 192.168.1.11", isMisuse: true)
            }
            action = .join(invitation: invitation, address: address)
        case "status", nil: action = .status
        case "lost": action = .lost
        case "send": action = .send
        case "vote": action = .vote
        case let other?:
            throw Refusal("standby has no action \(other); it has allow, join, status, lost.", isMisuse: true)
        }
        try arguments.end()
    }

    func run() throws -> Int32 {
        if case .status = action {} else { try Self.requirePair(farmPaths, for: "standby") }
        switch action {
        case .allow(let allow):
            try DropPrivileges.ifNeeded(of: farmPaths.home)
            try allow.run()
            Terminal.complain(
                farmPaths.isStack
                    ? "Start the farm server with deploy/compose.standby.yaml. The invitation is a secret; on the other machine:\n"
                        + "docker compose run --rm --no-deps -T operator furrow standby join - --address ITS-ADDRESS < FILE"
                    : "Restart the farm server: deploy/down, then deploy/up. Then copy \(allow.invitation), which is a secret, to the\n"
                        + "other machine, and run there:  furrow standby join FILE --address ITS-ADDRESS --home DIR"
                        + (allow.others.isEmpty
                            ? ""
                            : "\nThe same with \(allow.invitation)\(StandbyAllow.voteSuffix) on the third machine."))
        case .join(let path, let address):
            let invitation = try StandbyInvitation(path: path)
            try DropPrivileges.ifNeeded(toMake: farmPaths)
            try StandbyJoin(farmPaths: farmPaths, invitation: invitation, address: address).run()
            Terminal.say(
                farmPaths.isStack
                    ? "Joined. Start it as the farm server was started. See: docker compose exec standby furrow standby status"
                    : "Joined. Start it with:  deploy/up --home \(farmPaths.home)\n"
                        + "It receives all data from then on; see: furrow standby status --home \(farmPaths.home)")
        case .status: return try Self.status(farmPaths, isJSON: isJSON)
        case .lost: return try lost()
        case .send: try StandbySendProcess(farmPaths: farmPaths).run()
        case .vote: try VoteProcess(farmPaths: farmPaths).run()
        }
        return 0
    }

    /// Throws `Refusal` in a container that does not have what belongs to a pair.
    static func requirePair(_ farmPaths: FarmPaths, for command: String) throws(Refusal) {
        guard farmPaths.isStack, farmPaths.homes == nil || farmPaths.pair == farmPaths.home else { return }
        throw Refusal(
            "This container has no part in a pair of machines. Run it with the file for it: docker compose "
                + "-f compose.yaml -f deploy/compose.standby.yaml run --rm operator furrow \(command)")
    }

    /// Prints how far the standby has come. Returns 1 if that is not well.
    static func status(_ farmPaths: FarmPaths, isJSON: Bool) throws -> Int32 {
        let vote = VoteState.finding(try VoteState.read(farmPaths), at: AdjustableClock.machine)
        if try farmPaths.standbySettings?.role == .vote {
            if isJSON { Terminal.put(try VoteState.read(farmPaths).map { $0.json + [10] } ?? []) }
            if !isJSON { Terminal.say(vote.said) }
            return vote.state == .ok ? 0 : 1
        }
        let state = try state(farmPaths)
        if isJSON { Terminal.put(state.json + [10]) } else { Terminal.say(state.text) }
        guard try farmPaths.standbySettings?.votes.isEmpty == false else { return state.isGood ? 0 : 1 }
        if !isJSON { Terminal.say(vote.said) }
        return state.isGood && vote.state == .ok ? 0 : 1
    }

    /// Returns the state: as the database says, or in containers, of which few reach it, as it was written last.
    private static func state(_ farmPaths: FarmPaths) throws -> StandbyState {
        let path = StandbyFolder(farmPaths).state
        if farmPaths.isStack, File.exists(path) { return try StandbyState(json: try File.read(path, limit: 65_536)) }
        guard let settings = try farmPaths.standbySettings else {
            throw Refusal("No standby belongs to \(farmPaths.home). See: furrow standby --help")
        }
        do {
            return try StandbyState.read(settings, farmPaths)
        } catch {
            throw Refusal("The database in \(farmPaths.home) does not run: \(error)")
        }
    }

    /// Prints the events that only this machine has, one a line, because the standby was promoted before it had them.
    private func lost() throws -> Int32 {
        guard let kept = try StandbyFence(farmPaths).kept() else {
            throw Refusal("No other machine has taken over this farm; nothing is lost here.")
        }
        try DropPrivileges.ifNeeded(of: farmPaths.home)
        let locks = try HomeContents.lock(farmPaths.allHomes) { home in
            Refusal("The farm server in \(home) still runs; it stops by itself within seconds.")
        }
        defer { withExtendedLifetime(locks) {} }
        var count = 0
        for item in try HomeContents(farmPaths.allHomes).journals {
            count += try printEvents(of: SQLiteReader(path: item.path), after: kept)
        }
        // The ledger's journal is in the database.
        let database = try HomeDatabase(farmPaths, isRunning: false)
        do {
            count += try printEvents(of: OriginReader(ownOf: database.conninfo), after: kept)
        } catch {
            try database.stop()
            throw error
        }
        try database.stop()
        if !isJSON { Terminal.complain("\(count) events are on this machine only.") }
        return count == 0 ? 0 : 1
    }

    /// Prints the events of a journal behind the position that is kept of it. Returns their number.
    private func printEvents(of reader: any LogReader, after kept: [String: Position]) throws -> Int {
        var next = (kept[try reader.head().feed] ?? 0) + 1
        var count = 0
        while case let page = try reader.read(
            from: next, events: EventLimits.pageEvents, bytes: EventLimits.pageBytes), let last = page.last
        {
            for entry in page { Terminal.put(entry.bytes + [10]) }
            count += page.count
            next = last.position + 1
        }
        return count
    }
}
