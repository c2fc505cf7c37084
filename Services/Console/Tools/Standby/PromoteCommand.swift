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
        try DropPrivileges.ifNeeded(of: farmPaths.home)
        guard let settings = try StandbySettings(of: farmPaths.home), settings.role == .standby else {
            throw Refusal("\(farmPaths.home) is no standby.")
        }
        let began = Clock.monotonicMicroseconds()
        try stopServer()
        guard let lock = try FileLock(path: "\(farmPaths.home)/lock") else {
            throw Refusal("The standby in \(farmPaths.home) does not stop; stop it with: deploy/down")
        }
        defer { withExtendedLifetime(lock) {} }
        try File.writeAtomically(
            "\(farmPaths.home)/\(RestoreMark.fileName)", Array("a promotion\n".utf8), mode: 0o600)
        let promoted = try Promotion(farmPaths).run()
        var own = settings
        (own.role, own.peer) = (.primary, nil)
        try own.write(to: farmPaths.home)
        try File.remove("\(farmPaths.home)/\(RestoreMark.fileName)")
        try Directory.synchronize(farmPaths.home)
        report(promoted, seconds: Double(Clock.monotonicMicroseconds() - began) / 1_000_000)
        return 0
    }

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
                json.field("home", farmPaths.home)
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
                + "Start it with:  deploy/up --home \(farmPaths.home)\n"
                + "If the other machine comes back it refuses to run the farm, once it reaches this one.")
    }
}
