import Crypto
import EventBus
import EventSourcing
import EventStore
import Events
import Host
import Radio
import System
import Vocabulary
import ZeroMQ

/// `furrow bench`: how fast this build is on this machine.
struct BenchCommand {
    private let name: String
    private let events: Int
    private let clients: Int
    private let inflight: Int
    private let file: String?
    private let folder: String
    private let isTCP: Bool

    init(_ arguments: inout Arguments) throws {
        let home = try arguments.value("--home")
        events = try arguments.number("--events", 1...100_000_000) ?? 100_000
        clients = try arguments.number("--clients", 1...1024) ?? 64
        inflight = try arguments.number("--inflight", 1...256) ?? 1
        file = try arguments.value("--file")
        _ = try arguments.number("--size", 1...65_000)
        let transport = try arguments.value("--transport") ?? "ipc"
        guard ["ipc", "tcp"].contains(transport) else { throw Refusal("--transport: ipc or tcp.") }
        isTCP = transport == "tcp"
        _ = arguments.flag("--json")
        guard let name = arguments.word() else {
            throw Refusal("Say what: append, append-local, replay, rebuild, decode.")
        }
        self.name = name
        try arguments.end()
        folder = home ?? "/tmp/furrow-bench-\(Machine.processID)"
    }

    func run() throws -> Int32 {
        guard !File.exists("\(folder)/bench") else { throw Refusal("\(folder) holds an older measurement; remove it.") }
        try Directory.create(folder, mode: 0o700)
        defer { clean() }
        let result =
            switch name {
            case "append": try append()
            case "append-local": try appendLocal()
            case "replay": try replay()
            case "rebuild": try rebuild()
            case "decode": try decode()
            default: throw Refusal("There is no measurement \(name).")
            }
        Terminal.put(result.json + [10])
        return 0
    }

    private func clean() {
        do {
            let command = Process.Command("/bin/rm", ["-rf", folder])
            _ = try Process(command).wait(milliseconds: 60_000)
        } catch {
            Terminal.complain("\(folder) is left behind: \(error)")
        }
    }

    // MARK: In this process

    private var journal: String { "\(folder)/\(SQLiteLog.fileName)" }

    private func fill() throws -> SQLiteLog {
        let log = try SQLiteLog(path: journal, feed: "bench/farm-0", why: "bench", at: HouseClock.machine)
        let source = BenchEvents()
        for start in stride(from: 0, to: events, by: 256) {
            let drafts = (start..<min(start + 256, events)).map { number in
                let (event, time) = source.event(number)
                return Draft(event, in: "device/\(event.device)", at: time, by: .node(event.device))
            }
            _ = try log.stage(Commit(drafts), at: HouseClock.machine)
            try log.commit()
        }
        return log
    }

    /// Batches of 256, one sync each.
    private func appendLocal() throws -> BenchResult {
        let (log, seconds) = try timed { try fill() }
        try log.close()
        let bytes = Double(try File.size(journal))
        return BenchResult(
            bench: name, events: events, seconds: seconds, peakRSSBytes: Machine.peakResidentBytes(),
            bytesPerEvent: bytes / Double(events), fsyncs: (events + 255) / 256)
    }

    /// Folds a view into SQLite from the journal's file.
    private func rebuild() throws -> BenchResult {
        let log = try fill()
        let reader = try log.reader()
        let (_, seconds) = try timed {
            let tables = try SQLiteTables(path: "\(folder)/views.db", Folding<BenchService>.schemas)
            let folding = Folding<BenchService>(of: "bench/farm-0", into: tables)
            var position: Position = 0
            while true {
                let entries = try reader.read(from: position + 1, events: 4096, bytes: 4 << 20)
                guard let last = entries.last else { break }
                for entry in entries { try folding.fold(entry) { _, _, _ in [] } }
                position = last.position
            }
            try tables.flush(at: position)
        }
        return BenchResult(bench: name, events: events, seconds: seconds, peakRSSBytes: Machine.peakResidentBytes())
    }

    /// The packets of a capture, over and over.
    private func decode() throws -> BenchResult {
        guard let file else { throw Refusal("Say which capture: --file F") }
        let frames = try Capture.read(try File.read(file, limit: DecodeCommand.fileBytes))
        guard !frames.isEmpty else { throw Refusal("\(file) holds no packet.") }
        var reports = 0
        let (_, seconds) = try timed {
            var decoder = CaptureDecoder()
            for number in 0..<events { reports += decoder.decode(frames[number % frames.count]).reports.count }
        }
        guard reports > 0 else { throw Refusal("\(file) holds no report.") }
        return BenchResult(bench: name, events: events, seconds: seconds, peakRSSBytes: Machine.peakResidentBytes())
    }

    // MARK: Over the desk of another process

    private func append() throws -> BenchResult {
        try withServer { endpoints, server in
            let load = try AppendLoad(endpoints.ask, clients: clients, inflight: inflight)
            let (latencies, seconds) = try timed { try load.run(events) }
            return BenchResult(
                bench: name, events: latencies.count, seconds: seconds, latencies: latencies,
                peakRSSBytes: Machine.peakResidentBytes(of: server.pid))
        }
    }

    /// Over the reading door into typed values, the chain verified.
    private func replay() throws -> BenchResult {
        try withServer { endpoints, _ in
            _ = try AppendLoad(endpoints.ask, clients: 16, inflight: 16).run(events)
            var count = 0
            let (_, seconds) = try timed {
                let follower = try FeedFollower(context: Context(), bind: nil, dial: endpoints.read)
                try follower.follow("bench/farm-0", after: nil)
                var poller = Poller()
                _ = poller.add(follower.socket)
                while count < events {
                    for news in try follower.receive(at: Clock.monotonicMicroseconds()) {
                        guard case .page(let page) = news, let last = page.entries.last else { continue }
                        for entry in page.entries {
                            if case .sensors = try Told(reading: entry.bytes).fact { count += 1 }
                        }
                        try follower.taken("bench/farm-0", through: last.position)
                    }
                    if count < events { _ = try poller.wait(milliseconds: 1000) }
                }
            }
            return BenchResult(bench: name, events: count, seconds: seconds, peakRSSBytes: Machine.peakResidentBytes())
        }
    }

    private func withServer(
        _ body: ((ask: String, read: String), Process) throws -> BenchResult
    ) throws -> BenchResult {
        guard let program = Machine.executablePath else { throw Refusal("This program does not know where it is.") }
        var environment = Machine.environment
        let endpoints =
            isTCP
            ? (ask: "tcp://127.0.0.1:29701", read: "tcp://127.0.0.1:29702")
            : (ask: "ipc://\(folder)/bench-0.ask", read: "ipc://\(folder)/bench-0.read")
        environment["FURROW_HOME"] = folder
        environment["FURROW_RUN"] = folder
        environment["FURROW_ASK_BENCH"] = endpoints.ask
        environment["FURROW_READ_BENCH"] = endpoints.read
        var command = Process.Command(program, ["bench-serve"], environment: environment)
        command.error = .file("\(folder)/server.log")
        let server = try Process(command)
        defer {
            do {
                try server.kill(15)
                _ = try server.wait(milliseconds: 10_000)
            } catch {
                Terminal.complain("The measured process is left behind: \(error)")
            }
        }
        return try body(endpoints, server)
    }

    private func timed<Value>(_ body: () throws -> Value) throws -> (Value, Double) {
        let began = Clock.monotonicMicroseconds()
        let value = try body()
        return (value, Double(Clock.monotonicMicroseconds() - began) / 1_000_000)
    }
}
