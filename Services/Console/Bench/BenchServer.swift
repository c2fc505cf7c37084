import EventBus
import EventSourcing
import EventStore
import Host
import JSON
import System
import ZeroMQ

/// The measured service in a process of its own.
final class BenchServer {
    /// The desk's address, and where the journal is read.
    let ask: String
    let read: String
    let journal: String
    /// With what clients and readers come; nil where the doors are open.
    let curve: Curve?
    /// From its beginning to its first answer.
    private(set) var secondsToAnswer = 0.0
    private let process: Process
    private let requestClient: RequestClient
    private let complaints: String
    private var isStopped = false

    /// How long a service that has something to fold may take to begin.
    private static let patience = 600

    /// Starts it over a journal that `fill` may write first, and waits until it answers.
    init(_ options: BenchOptions, fill: (_ journal: String) throws -> Void = { _ in }) throws {
        guard let program = Machine.executablePath else { throw Refusal("This program does not know where it is.") }
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
            // The service would look for keys that the shell happens to name.
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

    /// How many disk syncs the measured process has asked for so far.
    func syncs() throws -> Int {
        guard let syncs = try stats(seconds: 60) else { throw Refusal("The measured service does not answer.") }
        return syncs
    }

    /// Ends it; what it acknowledged is on the disk. False if it had to be killed.
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
            Terminal.complain("The measured process is left behind: \(error)")
        }
        return false
    }

    /// Ends it without a word.
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
        throw Refusal("The measured service does not answer after \(Self.patience) s.")
    }

    private func stats(seconds: Double) throws -> Int? {
        let outcome = try requestClient.askAndWait(
            verb: BenchService.statsVerb, body: [], actor: .service("console"), key: nil,
            entropy: Array(repeating: 0, count: BusLimits.entropyBytes), seconds: seconds)
        guard case .answer(let answer) = outcome else { return nil }
        return try JSONValue.parse(answer.body).get("syncs")
    }

    /// Makes the service's secret and the list of who may come, as `furrow init` does; the clients' side of it.
    private static func exchangeKeys(in folder: String) throws -> Curve {
        try Directory.create(folder, mode: 0o700)
        let (own, client) = (Curve.keyPair(), Curve.keyPair())
        try File.writeAtomically("\(folder)/\(CurveKeys.secretName)", Array(own.secret.utf8), mode: 0o400)
        // The gateway's name is the one under which everything may be asked.
        let list = KeyList([(BenchService.name, own.public), ("sync-gateway", client.public)])
        try File.writeAtomically("\(folder)/\(KeyList.fileName)", Array(list.text.utf8))
        return .client(serverKey: own.public, publicKey: client.public, secretKey: client.secret)
    }

    /// An address of this machine that nobody listens at.
    private static func freeAddress(_ context: Context) throws -> String {
        let socket = try Socket(.router, in: context)
        try socket.bind("tcp://127.0.0.1:*")
        return socket.lastEndpoint
    }
}
