import EventSourcing
import EventStore
import HubStore
import JSON
import System
import Vocabulary

/// `furrow standby`: a second machine that has all of a farm's data.
struct StandbyCommand {
    private enum Action {
        case allow(address: String, port: Int, invitation: String, isSynchronous: Bool)
        case join(invitation: String, address: String)
        case status
        case lost
        case send
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
        switch arguments.word() {
        case "allow":
            guard let address else {
                throw Refusal("Say how the standby reaches this machine: --address 192.168.1.10", isMisuse: true)
            }
            action = .allow(
                address: address, port: port ?? Self.usualPort,
                invitation: out ?? "\(farmPaths.home)/standby-invitation.json", isSynchronous: isSynchronous)
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
        case let other?:
            throw Refusal("standby has no action \(other); it has allow, join, status, lost.", isMisuse: true)
        }
        try arguments.end()
    }

    func run() throws -> Int32 {
        try farmPaths.refuseInStack(insteadOf: "a standby of containers is not supported yet", "")
        switch action {
        case .allow(let address, let port, let invitation, let isSynchronous):
            try DropPrivileges.ifNeeded(of: farmPaths.home)
            try StandbyAllow(
                farmPaths: farmPaths, address: address, port: port, invitation: invitation,
                isSynchronous: isSynchronous
            ).run()
            Terminal.say(
                "Restart the farm server: deploy/down, then deploy/up. Then copy \(invitation), which is a secret, to the\n"
                    + "other machine, and run there:  furrow standby join FILE --address ITS-ADDRESS --home DIR")
        case .join(let path, let address):
            let invitation = try StandbyInvitation(path: path)
            try DropPrivileges.ifNeeded(toMake: farmPaths)
            try StandbyJoin(farmPaths: farmPaths, invitation: invitation, address: address).run()
            Terminal.say(
                "Joined. Start it with:  deploy/up --home \(farmPaths.home)\n"
                    + "It receives all data from then on; see: furrow standby status --home \(farmPaths.home)")
        case .status: return try Self.status(farmPaths, isJSON: isJSON)
        case .lost: return try lost()
        case .send: try StandbySendProcess(farmPaths: farmPaths).run()
        }
        return 0
    }

    /// Prints how far the standby has come. Returns 1 if that is not well.
    static func status(_ farmPaths: FarmPaths, isJSON: Bool) throws -> Int32 {
        guard let settings = try StandbySettings(of: farmPaths.home) else {
            throw Refusal("No standby belongs to \(farmPaths.home). See: furrow standby --help")
        }
        let state: StandbyState
        do {
            state =
                settings.role == .primary
                ? try StandbyState(sendingBy: farmPaths.conninfo) : try StandbyState(receivingBy: farmPaths.conninfo)
        } catch {
            throw Refusal("The database in \(farmPaths.home) does not run: \(error)")
        }
        if isJSON { Terminal.put(state.json + [10]) } else { Terminal.say(state.text) }
        return state.isGood ? 0 : 1
    }

    /// Prints the events that only this machine has, one a line, because the standby was promoted before it had them.
    private func lost() throws -> Int32 {
        guard let kept = try StandbyFence(farmPaths).kept() else {
            throw Refusal("No other machine has taken over this farm; nothing is lost here.")
        }
        try DropPrivileges.ifNeeded(of: farmPaths.home)
        guard let lock = try FileLock(path: "\(farmPaths.home)/lock") else {
            throw Refusal("The farm server in \(farmPaths.home) still runs; it stops by itself within seconds.")
        }
        defer { withExtendedLifetime(lock) {} }
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
