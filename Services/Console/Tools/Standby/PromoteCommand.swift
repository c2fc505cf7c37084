import Crypto
import EventSourcing
import EventStore
import Glibc
import Host
import HubStore
import JSON
import Postgres
import System
import Vocabulary
import ZeroMQ

/// `furrow promote`: makes a standby the farm server, because the other machine is lost.
///
/// The hub becomes writable, each journal is written again from it, and vaults, pictures and segments are decrypted
/// beside them. Every journal begins a new epoch. A promotion that was interrupted is done again from its beginning.
struct PromoteCommand {
    private let farmPaths: FarmPaths
    private let isJSON: Bool

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        try arguments.end()
    }

    func run() throws -> Int32 {
        try StandbyCommand.requirePair(farmPaths, for: "promote")
        try DropPrivileges.ifNeeded(of: farmPaths.pair)
        guard let settings = try farmPaths.standbySettings, settings.role == .standby else {
            throw Refusal("\(farmPaths.pair) is no standby.")
        }
        let began = Clock.monotonicMicroseconds()
        if !settings.votes.isEmpty { try refuseWhileHolderRuns(settings) }
        if !farmPaths.isStack { try stopServer() }
        let locks = try HomeContents.lock(farmPaths.allHomes) { home in
            Refusal(
                farmPaths.isStack
                    ? "\(home) is in use; stop the services first: docker compose stop"
                    : "The standby in \(home) does not stop; stop it with: deploy/down")
        }
        defer { withExtendedLifetime(locks) {} }
        if !settings.votes.isEmpty { try seizeVote(settings) }
        let promoted = try Promotion.perform(farmPaths, settings)
        report(promoted, seconds: Double(Clock.monotonicMicroseconds() - began) / 1_000_000)
        return 0
    }

    private func vote(_ settings: StandbySettings) -> Vote {
        Vote(EtcdClient(socket: EtcdServer.socket(farmPaths)), own: settings.address)
    }

    /// Throws `Refusal` if the farm server prolongs its vote. It is not known if the standby's process does not run.
    private func refuseWhileHolderRuns(_ settings: StandbySettings) throws {
        let holder: String?
        do {
            holder = try vote(settings).runningHolder()
        } catch {
            Terminal.complain("It is not known which machine has the vote (\(error)).")
            return
        }
        if let holder { throw Refusal("The farm server at \(holder) runs; stop it first: deploy/down") }
    }

    /// Takes the vote, by a member of etcd that runs for this only: the standby's own process would promote itself.
    ///
    /// Without a majority the promotion goes on, because a person has decided it.
    private func seizeVote(_ settings: StandbySettings) throws {
        let etcd = try EtcdServer(farmPaths: farmPaths, settings: settings).child()
        _ = try etcd.tend(at: Clock.monotonicMicroseconds())
        let end = Clock.monotonicMicroseconds() + Self.voteMicroseconds
        var problem: (any Error)?
        repeat {
            do {
                try vote(settings).seize()
                problem = nil
            } catch {
                problem = error
                _ = try Poll.wait([], milliseconds: 200)
            }
        } while problem != nil && Clock.monotonicMicroseconds() < end
        try etcd.stop(milliseconds: 5_000)
        if let problem {
            Terminal.complain(
                "The vote could not be taken (\(problem)); an old machine may not learn of this promotion.")
        }
    }

    private static let voteMicroseconds: Int64 = 10_000_000

    /// Stops the standby's process if it runs.
    private func stopServer() throws {
        if try FileLock(path: "\(farmPaths.home)/lock") != nil { return }
        // What counts is that it ends: its response may be lost as it does.
        do {
            _ = try Console.ask("supervisor", "stop", farmPaths, Context(), seconds: 1)
        } catch is Refusal {}
        let end = Clock.monotonicMicroseconds() + 20_000_000
        while try FileLock(path: "\(farmPaths.home)/lock") == nil, Clock.monotonicMicroseconds() < end {
            _ = try Poll.wait([], milliseconds: 50)
        }
    }

    private func report(_ promoted: Promotion.Promoted, seconds: Double) {
        if isJSON {
            var json = JSONWriter()
            json.object { json in
                json.field("ok", true)
                json.field("home", farmPaths.homes ?? farmPaths.home)
                json.field("seconds", seconds)
                json.field("journals", promoted.journals)
                json.field("events", promoted.events)
                json.field("files", promoted.files)
                json.field("filesAsOf", ifPresent: promoted.filesAsOf)
            }
            Terminal.put(json.bytes + [10])
            return
        }
        Terminal.say(
            "Promoted in \(Int(seconds.rounded(.up))) s: \(promoted.journals) journals with \(promoted.events) events, "
                + "\(promoted.files) files" + (promoted.filesAsOf.map { " as of \($0)" } ?? "") + ".\n"
                + (farmPaths.isStack
                    ? "Its services start by themselves within seconds.\n"
                    : "Start it with:  deploy/up --home \(farmPaths.home)\n")
                + "If the other machine comes back it refuses to run the farm, once it reaches this one.")
    }
}
