import EventBus
import Glibc
import Host
import JSON
import Postgres
import System
import Wire
import ZeroMQ

/// Runs a standby: Postgres, which receives the farm's data, and its part in a vote. A third machine has only that
/// part.
final class StandbyServer {
    private let farmPaths: FarmPaths
    private let settings: StandbySettings
    private let lock: FileLock
    private let context: Context
    private let requestServer: RequestServer
    private let signals: SignalWatcher
    private let postgres: Child?
    private let vote: VoteGuard?
    private var nextReport: Int64 = 0

    init(_ farmPaths: FarmPaths, _ settings: StandbySettings) throws {
        self.farmPaths = farmPaths
        self.settings = settings
        try Directory.create(farmPaths.logs, mode: 0o700)
        try farmPaths.makeRun()
        guard let lock = try FileLock(path: "\(farmPaths.home)/lock") else {
            throw Refusal("A standby is running in \(farmPaths.home) already; stop it with: deploy/down")
        }
        guard !File.exists("\(farmPaths.home)/\(RestoreMark.fileName)") else {
            throw Refusal("The promotion of \(farmPaths.home) was not finished; run furrow promote again.")
        }
        self.lock = lock
        context = try Context()
        requestServer = try RequestServer(endpoint: farmPaths.control, context: context)
        signals = try SignalWatcher()
        try StandbyFolder(farmPaths).renewCertificate(settings)
        vote = try VoteGuard(farmPaths, settings)
        postgres =
            settings.role == .vote ? nil : Child("postgres", try PrivatePostgres(farmPaths: farmPaths).command())
    }

    /// Whether a standby runs in a home.
    static func isRunning(_ farmPaths: FarmPaths) throws -> Bool {
        guard try farmPaths.isStandby else { return false }
        return try FileLock(path: "\(farmPaths.home)/lock") == nil
    }

    /// What a round found.
    private enum Turn { case goesOn, stops, takesOver }

    /// Runs until a signal or a control request stops it, or the vote is lost to this machine. Then it is promoted.
    ///
    /// - Returns: whether this machine is the farm server now.
    func run() throws -> Bool {
        defer { context.shutdown() }
        Terminal.say(
            (settings.role == .vote
                ? "This machine votes which of two others runs the farm. It has no data.\n"
                : "This is the standby of the farm server at \(settings.peer ?? "an unknown address"). It receives the farm's data.\n"
                    + "If that machine is lost, run:  furrow promote --home \(farmPaths.home)\n")
                + "Stop it with Ctrl-C, or: deploy/down --home \(farmPaths.home)")
        do {
            let takesOver = try runUntilTurn() == .takesOver
            try postgres?.stop(SIGINT, milliseconds: 10_000)
            if takesOver {
                Terminal.say("The farm server has lost the vote; this machine takes over.")
                _ = try Promotion.perform(farmPaths, settings)
            }
            try vote?.stop()
            return takesOver
        } catch {
            try vote?.stop()
            throw error
        }
    }

    private func runUntilTurn() throws -> Turn {
        while true {
            let turn = try round()
            if turn != .goesOn { return turn }
        }
    }

    private func round() throws -> Turn {
        if let said = try vote?.tend() { Terminal.complain(said) }
        if vote?.hasVote == true { return .takesOver }
        SystemdWatchdog.goesOn()
        _ = try Poll.wait(
            [signals.descriptor] + (postgres?.process.map { [$0.descriptor] } ?? []), milliseconds: 200)
        for signal in signals.drain() where signal == .terminate || signal == .interrupt { return .stops }
        switch try postgres?.tend(at: Clock.monotonicMicroseconds()) {
        case nil, .some(.none), .started: break
        case .died(let status): Terminal.say("postgres ended (\(status)); restarting it.")
        case .hung(let reason), .givenUp(let reason):
            throw Refusal("Postgres does not run (\(reason)); see \(farmPaths.logs)/postgres.log.")
        }
        for ask in try requestServer.receive(limit: 16) {
            guard ask.verb == "stop" else {
                try requestServer.answer(ask, Problem(404, "unknown-verb", "A standby obeys stop.").answer)
                continue
            }
            try requestServer.answer(ask, .made { $0.field("stopping", true) })
            return .stops
        }
        if Clock.monotonicMicroseconds() >= nextReport {
            nextReport = Clock.monotonicMicroseconds() + Self.reportMicroseconds
            report()
        }
        return .goesOn
    }

    /// Writes how far it has received.
    private func report() {
        do {
            let folder = StandbyFolder(farmPaths)
            if try folder.renewCertificate(settings), settings.role == .standby {
                try Connection(farmPaths.conninfo).execute("SELECT pg_reload_conf()")
            }
            guard settings.role == .standby else { return }
            try StandbyState.read(settings, farmPaths).write(folder.state)
            try StandbyCopy.resumeIfAbandoned(farmPaths)
        } catch {
            // Postgres is starting, or recovers.
            nextReport = Clock.monotonicMicroseconds() + Self.firstReportMicroseconds
        }
    }

    private static let reportMicroseconds: Int64 = 2_000_000
    private static let firstReportMicroseconds: Int64 = 200_000
}
