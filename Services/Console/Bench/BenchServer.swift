import EventBus
import EventSourcing
import EventStore
import Host
import JSON
import System
import ZeroMQ

/// The measured service, in its own process.
final class BenchServer {
    /// The endpoint of the request server.
    let ask: String
    /// The endpoint of the journal's feed.
    let read: String
    let journal: String
    /// The keys with which clients and readers connect; nil for transports without CURVE.
    let curve: Curve?
    /// The time from its start to its first response.
    private(set) var secondsToAnswer = 0.0
    private let process: Process
    private let requestClient: RequestClient
    private let complaints: String
    private var isStopped = false

    /// The time in seconds that a service with views to rebuild may take to start.
    private static let patience = 600

    /// Starts it on a journal that `fill` may write first, and waits until it responds.
    init(_ options: BenchOptions, fill: (_ journal: String) throws -> Void = { _ in }) throws {
        guard let program = Machine.executablePath else { throw Refusal("The path of this program is unknown.") }
        let slot = "\(options.folder)/\(BenchService.name)/0"
        try Directory.create(slot, mode: 0o700)
        journal = "\(slot)/\(SQLiteLog.fileName)"
        try fill(journal)
        let context = try Context()
        (ask, read) =
            switch options.transport {
            case .ipc: ("ipc://\(options.run)/ask", "ipc://\(options.run)/read")
            case .tcp, .curve: (try Self.freeAddress(context), try Self.freeAddress(context))
            }
        complaints = "\(options.folder)/server.log"
        var environment = Machine.environment
        environment["FURROW_HOME"] = options.folder
        environment["FURROW_RUN"] = options.run
        environment["FURROW_ASK_BENCH"] = ask
        environment["FURROW_READ_BENCH"] = read
        if options.transport == .curve {
            let keys = "\(options.folder)/keys"
            curve = try Self.exchangeKeys(in: keys)
            environment["FURROW_KEYS"] = keys
            environment["FURROW_PUBLIC_KEYS"] = keys
        } else {
            curve = nil
            // The shell's environment may name keys that the service would use.
            environment["FURROW_KEYS"] = nil
            environment["FURROW_PUBLIC_KEYS"] = nil
        }
        var command = Process.Command(
            program, [Command.benchServe.rawValue] + (options.foldsViews ? ["--views"] : []), environment: environment)
        command.output = .file(complaints)
        command.error = .file(complaints)
        let began = Clock.monotonicMicroseconds()
        process = try Process(command)
        requestClient = try RequestClient(endpoint: ask, context: context, curve: curve)
        try awaitReady()
        secondsToAnswer = Double(Clock.monotonicMicroseconds() - began) / 1_000_000
    }

    var pid: Int32 { process.pid }

    /// The number of disk syncs of the measured process so far.
    func syncs() throws -> Int {
        guard let syncs = try stats(seconds: 60) else { throw Refusal("The measured service does not respond.") }
        return syncs
    }

    /// Stops it; everything acknowledged is on the disk. Returns false if it had to be killed.
    @discardableResult
    func stop() -> Bool {
        guard !isStopped else { return true }
        isStopped = true
        do {
            try process.kill(15)
            if let status = try process.wait(milliseconds: 10_000) { return status == .exited(0) }
            try process.kill(9)
            _ = try process.wait(milliseconds: 10_000)
        } catch {
            Terminal.complain("The measured process is still running: \(error)")
        }
        return false
    }

    /// Kills it with SIGKILL.
    func kill() throws {
        isStopped = true
        try process.kill(9)
        _ = try process.wait(milliseconds: 10_000)
    }

    private func awaitReady() throws {
        var progress = Progress("waiting for the measured service, seconds", of: Self.patience)
        for second in 0..<Self.patience {
            if let status = try process.wait() {
                let said = try File.read(complaints, limit: 1 << 20)
                throw Refusal("The measured service ended (\(status)):\n\(String(decoding: said, as: UTF8.self))")
            }
            if try stats(seconds: 1) != nil { return }
            progress.reached(second)
        }
        throw Refusal("The measured service does not respond after \(Self.patience) s.")
    }

    private func stats(seconds: Double) throws -> Int? {
        let outcome = try requestClient.askAndWait(
            verb: BenchService.statsVerb, body: [], actor: .service("console"), key: nil,
            entropy: Array(repeating: 0, count: BusLimits.entropyBytes), seconds: seconds)
        guard case .answer(let answer) = outcome else { return nil }
        return try JSONValue.parse(answer.body).get("syncs")
    }

    /// Creates the service's secret and its allow-list, as `furrow init` does. Returns the clients' keys.
    private static func exchangeKeys(in folder: String) throws -> Curve {
        try Directory.create(folder, mode: 0o700)
        let (own, client) = (Curve.keyPair(), Curve.keyPair())
        try File.writeAtomically("\(folder)/\(CurveKeys.secretName)", Array(own.secret.utf8), mode: 0o400)
        // The gateway's name is the one that may send every request.
        let list = KeyList([(BenchService.name, own.public), ("sync-gateway", client.public)])
        try File.writeAtomically("\(folder)/\(KeyList.fileName)", Array(list.text.utf8))
        return .client(serverKey: own.public, publicKey: client.public, secretKey: client.secret)
    }

    /// Returns a TCP address of this machine on which nothing listens.
    private static func freeAddress(_ context: Context) throws -> String {
        let socket = try Socket(.router, in: context)
        try socket.bind("tcp://127.0.0.1:*")
        return socket.lastEndpoint
    }
}
