import Crypto
import EventBus
import EventSourcing
import Glibc
import HTTP
import Host
import JSON
import System
import Vocabulary
import Wire
import ZeroMQ

/// Runs a farm server: Postgres, the services, and for a demonstration the simulated farm.
///
/// One thread does all of this in a fixed order: detect ended processes, restart them, serve control requests, write
/// `run.json`.
final class Supervisor {
    private let options: RunOptions
    private let farmPaths: FarmPaths
    private let lock: FileLock
    private let context: Context
    private let requestServer: RequestServer
    private let signals: SignalWatcher
    private let clock: AdjustableClock
    /// Advanced by the simulator. It is created here so that the file exists before any process reads it.
    private let gate: SharedNumber?
    private let client = HTTPClient()
    private var postgres: Child
    private var children: [Child] = []
    private var runFile: RunFile
    private var written = ""
    /// Tasks that failed in the last round and are retried in the next one.
    private var troubles: Set<String> = []
    private var ports: FreePorts
    private var opsPorts: OpsPorts
    private var httpsPort = HTTPSPort.usual
    private let token: String?
    /// The port of the demonstration's MQTT broker.
    private var brokerPort: Int?
    private var sandbox: SandboxProvider?
    private var nodes: DemoNodes?
    private var nightly: NightlyBackupProcess?
    private let vote: VoteGuard?

    init(_ options: RunOptions) throws {
        self.options = options
        ports = FreePorts(besides: [options.port, options.httpsPort ?? HTTPSPort.usual])
        farmPaths = try FarmPaths(home: options.home)
        opsPorts = OpsPorts(in: farmPaths.home)
        for folder in [farmPaths.home, farmPaths.logs] { try Directory.create(folder, mode: 0o700) }
        try farmPaths.makeRun()
        guard let lock = try FileLock(path: "\(farmPaths.home)/lock") else {
            throw Refusal("A farm server is running in \(farmPaths.home) already; stop it with: deploy/down")
        }
        guard !File.exists("\(farmPaths.home)/\(RestoreMark.fileName)") else {
            throw Refusal("A restore into \(farmPaths.home) was not finished; run furrow restore again.")
        }
        self.lock = lock
        try StandbyFence(farmPaths).check()
        let settings = try farmPaths.standbySettings
        if let settings { try StandbyFolder(farmPaths).renewCertificate(settings) }
        vote = try VoteGuard(farmPaths, settings)
        context = try Context()
        requestServer = try RequestServer(endpoint: farmPaths.control, context: context)
        signals = try SignalWatcher()
        clock = try RequestedClock.make(options, farmPaths)
        // Removes a clock gate of an earlier run, which would hold the clock.
        if File.exists(farmPaths.clockGate) { try File.remove(farmPaths.clockGate) }
        gate =
            options.isDemo && !clock.isReal
            ? try SharedNumber(path: farmPaths.clockGate, first: clock.start.microseconds) : nil
        token = options.isDemo ? Hex.encode(Random.bytes(24)) : nil
        runFile = RunFile(http: "http://127.0.0.1:\(options.port)", supervisor: Int(Machine.processID))
        runFile.token = token
        let database = PrivatePostgres(farmPaths: farmPaths)
        try database.prepare()
        postgres = Child("postgres", try database.command())
    }

    /// Runs until a signal or a control request stops it.
    func run() throws {
        defer { context.shutdown() }
        do {
            try begin()
            try waitUntilReady()
            try introduce()
            while try round(milliseconds: 200) {}
        } catch {
            try stop()
            throw error
        }
        try stop()
    }

    // MARK: Starting

    private func begin() throws {
        guard try FreePorts.isFree(options.port) else {
            throw Refusal("Port \(options.port) is taken by another program; choose one with --port.")
        }
        httpsPort = try HTTPSPort.choose(options, in: Machine.environment, from: &ports)
        runFile.https = "https://127.0.0.1:\(httpsPort)"
        // The farm's own certificate is issued by a CA of its own, which browsers must trust.
        runFile.ca = Machine.environment["FURROW_TLS_CERT"] ?? "" == "" ? farmPaths.authority : nil
        if options.hasSandbox { sandbox = SandboxProvider(port: try ports.take()) }
        if options.isDemo { brokerPort = try ports.take() }
        if options.hasNodes { nodes = try DemoNodes(from: &ports) }
        runFile.nodes = nodes?.addresses ?? []
        try startDatabase()
        children = [
            try child("trace-ledger", slot: 0), try child("catalog-orders", slot: 0),
            try child("recommender", slot: 0),
            try child("sync-gateway", slot: 0),
        ]
        for slot in 0..<options.ingest { children.append(try child("sensor-ingest", slot: slot)) }
        children.append(WatchCommand.child(farmPaths))
        if try isPrimary() { children.append(StandbySendProcess.child(farmPaths)) }
        nightly = options.isDemo ? nil : NightlyBackupProcess(farmPaths)
        if let sandbox { children.append(sandbox.child(farmPaths, options)) }
        if options.isDemo { children += [simulator(), DemoHub.child(farmPaths, farm: runFile.http)] }
        if let nodes {
            try Directory.create(farmPaths.home + "/furrow-node", mode: 0o700)
            children += nodes.children(farmPaths, farm: runFile.http)
        }
    }

    /// Starts Postgres and waits for it; a failed start is retried until the timeout.
    ///
    /// An earlier instance may need time to end, and after a crash Postgres first recovers from its log.
    private func startDatabase() throws {
        let end = Clock.monotonicMicroseconds() + Int64(options.patienceSeconds) * 1_000_000
        while true {
            SystemdWatchdog.goesOn()
            if case .givenUp(let end) = try postgres.tend(at: Clock.monotonicMicroseconds()) {
                throw Refusal("Postgres does not start (\(end)); see \(farmPaths.logs)/postgres.log.")
            }
            do {
                return try PrivatePostgres(farmPaths: farmPaths).awaken(milliseconds: 500)
            } catch {
                guard Clock.monotonicMicroseconds() < end else { throw error }
            }
        }
    }

    /// Prepares the database for a standby, if one may join. Returns whether that is so.
    private func isPrimary() throws -> Bool {
        guard let settings = try farmPaths.standbySettings else { return false }
        try StandbyDatabase.prepare(farmPaths.conninfo, password: settings.password)
        return true
    }

    private func child(_ service: String, slot: Int) throws -> Child {
        var environment = Machine.environment
        environment["FURROW_HOME"] = farmPaths.home
        environment["FURROW_RUN"] = farmPaths.run
        environment["FURROW_SITE"] = environment["FURROW_SITE"] ?? "farm"
        environment["FURROW_SLOT"] = String(slot)
        environment["FURROW_POSTGRES"] = farmPaths.conninfo
        environment["FURROW_HTTP_PORT"] = String(options.port)
        environment["FURROW_HTTPS_PORT"] = String(httpsPort)
        environment["FURROW_WEB"] = environment["FURROW_WEB"] ?? options.web
        if try farmPaths.standbySettings?.isSynchronous == true { environment["FURROW_SYNCHRONOUS"] = "1" }
        if !clock.isReal { environment["FURROW_CLOCK"] = clock.description }
        environment["FURROW_CLOCK_GATE"] = gate.map { _ in farmPaths.clockGate }
        if let token { environment["FURROW_DEMO_TOKEN"] = token }
        sandbox?.tell(&environment)
        if options.isDemo, environment["FURROW_PUBLIC_URL"] == nil { environment["FURROW_PUBLIC_URL"] = runFile.http }
        if service == "sensor-ingest", slot == 0 {
            let own = environment["FURROW_SOURCES"] ?? ""
            environment["FURROW_SOURCES"] = options.isDemo && own.isEmpty ? "znp:\(farmPaths.coordinator)" : own
            if let brokerPort, environment["FURROW_MQTT"] == nil {
                environment["FURROW_MQTT"] = "mqtt://127.0.0.1:\(brokerPort)"
            }
        } else {
            environment["FURROW_SOURCES"] = ""
        }
        let name = "\(service)/\(environment["FURROW_SITE"] ?? "farm")-\(slot)"
        let port = try opsPorts.take(for: name, from: &ports)
        environment["FURROW_OPS_PORT"] = String(port)
        var command = Process.Command("\(farmPaths.programs)/\(service)", environment: environment)
        command.error = .file("\(farmPaths.logs)/\(service)-\(slot).log")
        command.output = .file("\(farmPaths.logs)/\(service)-\(slot).log")
        return Child(
            name, command, opsPort: port,
            heartbeat: try Heartbeat("\(farmPaths.run)/\(service)-\(slot).heartbeat", environment: environment))
    }

    private func simulator() -> Child {
        var environment = Machine.environment
        environment["FURROW_HOME"] = farmPaths.home
        environment["FURROW_RUN"] = farmPaths.run
        environment["FURROW_DEMO_TOKEN"] = token
        environment["FURROW_DEMO_URL"] = runFile.http
        environment["FURROW_DEMO_BROKER"] = brokerPort.map { "\($0)" }
        environment["FURROW_DEMO_NODES"] = nodes?.addresses.joined(separator: " ")
        if !clock.isReal { environment["FURROW_CLOCK"] = clock.description }
        environment["FURROW_CLOCK_GATE"] = gate.map { _ in farmPaths.clockGate }
        var command = Process.Command("\(farmPaths.programs)/furrow", ["simulate"], environment: environment)
        command.error = .file("\(farmPaths.logs)/simulate.log")
        command.output = .file("\(farmPaths.logs)/simulate.log")
        return Child("simulate", command)
    }

    // MARK: Supervision

    /// Does one round of all tasks. Returns false if it is time to stop.
    private func round(milliseconds: Int) throws -> Bool {
        SystemdWatchdog.goesOn()
        _ = try Poll.wait(
            [signals.descriptor] + children.compactMap { $0.process?.descriptor }, milliseconds: milliseconds)
        for signal in signals.drain() where signal == .terminate || signal == .interrupt { return false }
        try tendVote()
        for child in [postgres] + children {
            switch try child.tend(at: Clock.monotonicMicroseconds(), mayStart: hasWhatItNeeds(child)) {
            case .none, .started: break
            case .died(let status):
                if child.name == StandbySendProcess.name { try StandbyFence(farmPaths).check() }
                Terminal.say("\(child.name) ended (\(status)); restarting it.")
            case .hung(let reason):
                Terminal.say("\(child.name) hung: \(reason); restarting it.")
                if let reason = child.staysDown { Terminal.complain("\(child.name) stays down: \(reason).") }
            case .givenUp(let end):
                throw Refusal(
                    "\(child.name) failed \(Child.failuresAtMost) times within a minute, the last time with \(end); "
                        + "see \(farmPaths.logs).")
            }
            attempt("set the log of \(child.name) aside") { try child.log?.turnOver() }
        }
        children.removeAll { !$0.isWanted && $0.process == nil }
        for ask in try requestServer.receive(limit: 16) {
            let (answer, goesOn) = try obey(ask)
            try requestServer.answer(ask, answer)
            if !goesOn { return false }
        }
        try noteReadiness()
        attempt("make the nightly backup") {
            if let said = try nightly?.tend(at: Clock.monotonicMicroseconds()) { Terminal.say(said) }
        }
        attempt("write \(farmPaths.runFile)", writeRunFile)
        return true
    }

    /// Ends all services at once if this machine has lost the vote. They start again when it has the vote.
    private func tendVote() throws {
        if let said = try vote?.tend() { Terminal.complain(said) }
        guard vote?.mayRun == false else { return _ = troubles.remove(Self.voteTrouble) }
        for child in children where child.opsPort != nil { child.signal(SIGKILL) }
        if troubles.insert(Self.voteTrouble).inserted { Terminal.complain(Self.voteTrouble) }
    }

    private static let voteTrouble =
        "The farm does not run here: this machine does not have the vote of two of three machines."

    /// Runs a task that can wait for the next round, such as writing a file on a full disk. Its failure is logged once.
    private func attempt(_ what: String, _ work: () throws -> Void) {
        do {
            try work()
            troubles.remove(what)
        } catch {
            guard troubles.insert(what).inserted else { return }
            Terminal.complain("Could not \(what): \(error); it will be retried.")
        }
    }

    /// Returns whether a process can start: the ledger ends without its database, so it must not start before that is
    /// back.
    private func hasWhatItNeeds(_ child: Child) -> Bool {
        if vote?.mayRun == false, child.opsPort != nil { return false }
        if child.name == DemoHub.name { return DemoHub.mayStart(farmPaths, clock) }
        return !child.name.hasPrefix("trace-ledger/") || PrivatePostgres(farmPaths: farmPaths).isAwake
    }

    private func obey(_ ask: IncomingRequest) throws -> (Response, goesOn: Bool) {
        switch ask.verb {
        case "stop": return (.made { $0.field("stopping", true) }, false)
        case "scale":
            do throws(Problem) {
                let count: Int = try RequestBody(ask.body).get("ingest")
                guard (1...16).contains(count) else { throw Problem(400, "malformed", "ingest: 1 to 16.") }
                do {
                    try scale(to: count)
                } catch {
                    throw Problem(500, "scale", "\(error)")
                }
                return (.made { $0.field("ingest", count) }, true)
            } catch {
                return (error.answer, true)
            }
        default: return (Problem(404, "unknown-verb", "The supervisor obeys stop and scale.").answer, true)
        }
    }

    /// Starts or stops ingest processes to reach `count`; those with the highest slots are stopped first.
    private func scale(to count: Int) throws {
        var ingest = children.filter { $0.name.hasPrefix("sensor-ingest/") }
        while ingest.count > count { try ingest.removeLast().stop(milliseconds: 8000) }
        for slot in ingest.count..<max(count, ingest.count) { children.append(try child("sensor-ingest", slot: slot)) }
    }

    private func noteReadiness() throws {
        for child in children where child.process != nil && !child.isReady {
            guard let port = child.opsPort else {
                child.isReady = true
                continue
            }
            do {
                let answer = try client.send("GET", "http://127.0.0.1:\(port)/readyz", timeoutSeconds: 1)
                child.isReady = answer.status == 200
                child.folded = StartupTimeout.folded(in: answer.body)
            } catch {
                // Not listening yet.
                child.isReady = false
            }
        }
    }

    private func waitUntilReady() throws {
        var patience = StartupTimeout(seconds: options.patienceSeconds, at: Clock.monotonicMicroseconds())
        while try round(milliseconds: 20) {
            let isComplete = !options.isDemo || sampleTrace != nil
            if children.allSatisfy(\.isReady), isComplete { return }
            guard !patience.isOver(children.map(\.folded), at: Clock.monotonicMicroseconds()) else {
                let late = children.filter { !$0.isReady }.map(\.name).joined(separator: ", ")
                throw Refusal("Not ready within \(options.patienceSeconds) s: \(late). See \(farmPaths.logs).")
            }
        }
        throw Refusal("Stopped while starting.")
    }

    private var sampleTrace: String? {
        do {
            return try JSONValue.parse(File.read(farmPaths.demoFile, limit: 65_536)).find("sampleTrace")
        } catch {
            // The simulator has not written it yet.
            return nil
        }
    }

    // MARK: Output

    private func introduce() throws {
        runFile.setup = try setupLink()
        runFile.sampleTrace = options.isDemo ? sampleTrace : nil
        attempt("write \(farmPaths.runFile)", writeRunFile)
        Terminal.say("Furrow is running.  Open \(runFile.http)" + (runFile.https.map { " or \($0)" } ?? ""))
        if let ca = runFile.ca { Terminal.say("For https, make browsers trust this farm's CA:  \(ca)") }
        if let setup = runFile.setup {
            Terminal.say("Create the first administrator (once, within 15 minutes):  \(setup)")
        }
        Terminal.say("All data is in \(farmPaths.home)")
        Terminal.say("Stop it with Ctrl-C, or: deploy/down --home \(farmPaths.home)")
        for page in nodes?.pages ?? [] { Terminal.say("A node, and who has what:  \(page)") }
        if let sample = runFile.sampleTrace { Terminal.say("A tomato's story:  \(sample)") }
    }

    /// The link of the setup page; nil once there is an administrator.
    private func setupLink() throws -> String? {
        let answer = try Console.ask(GatewayRequestName.setupLink, farmPaths, context)
        guard answer.status == 200 else { return nil }
        let token: String = try JSONValue.parse(answer.body).get("token")
        return "\(runFile.http)/setup#\(token)"
    }

    private func writeRunFile() throws {
        runFile.services = children.compactMap { child in
            child.pid.flatMap { pid in
                child.opsPort.map { (child.name, "http://127.0.0.1:\($0)", Int(pid)) }
            }
        }
        runFile.database = postgres.pid.map(Int.init)
        let now = "\(runFile)"
        guard now != written else { return }
        try runFile.write(farmPaths.runFile)
        written = now
    }

    // MARK: Stopping

    /// Stops sources first and the hub last, so that every acknowledged event reaches the hub if there is time.
    private func stop() throws {
        try nightly?.stop()
        let order = [
            "watch", "standby", "furrow-hub", "simulate", "furrow-node/", "sandbox-pay", "sync-gateway/",
            "recommender/", "catalog-orders/", "sensor-ingest/", "trace-ledger/",
        ]
        for name in order {
            let going = children.filter { $0.name.hasPrefix(name) }
            for child in going {
                child.isWanted = false
                child.signal(SIGTERM)
            }
            for child in going { try child.stop(milliseconds: 3000) }
        }
        try postgres.stop(SIGINT, milliseconds: 4000)
        try vote?.stop()
        if File.exists(farmPaths.runFile) { try File.remove(farmPaths.runFile) }
    }
}
