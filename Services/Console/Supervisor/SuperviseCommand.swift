import Glibc
import Host
import System

/// `furrow supervise SERVICE`: the first process of a container.
///
/// It runs the container's one service, forwards a request to stop, and restarts the service if it hangs. Any other end
/// of the service ends the container with the same exit status; the engine decides whether to restart it.
struct SuperviseCommand {
    private let child: Child
    /// Watches the whole stack, beside its gateway; its end does not end the container.
    private let watch: Child?
    private let service: String
    /// Whether this machine may run the farm; nil outside of a pair of machines.
    private let gate: PairGate?

    /// The time for which a start waits for the first look at the other machine of a pair.
    private static let lookMicroseconds: Int64 = 10_000_000
    /// Less than the 15 s after which the engine kills the container.
    private static let stopMilliseconds = 14_000

    init(_ arguments: inout Arguments) throws {
        let farmPaths = try FarmPaths(home: nil)
        guard let service = arguments.word(), Self.services.contains(service) else {
            throw Refusal("The service must be one of: \(Self.services.joined(separator: ", ")).", isMisuse: true)
        }
        try arguments.end()
        self.service = service
        gate = farmPaths.published.map(PairGate.init(folder:))
        let environment = Machine.environment
        var command = Process.Command("\(farmPaths.programs)/\(service)", environment: environment)
        command.output = .descriptor(1)
        command.error = .descriptor(2)
        watch = service == "sync-gateway" ? Self.watch(farmPaths, environment) : nil
        child = Child(
            service, command,
            heartbeat: try Heartbeat(
                "\(environment["FURROW_HEARTBEAT_FOLDER"] ?? "/tmp")/\(service).heartbeat", environment: environment))
    }

    private static func watch(_ farmPaths: FarmPaths, _ environment: [String: String]) -> Child {
        var command = Process.Command("\(farmPaths.programs)/furrow", ["watch"], environment: environment)
        command.output = .descriptor(1)
        command.error = .descriptor(2)
        return Child("watch", command)
    }

    private static let services = ["trace-ledger", "catalog-orders", "recommender", "sync-gateway", "sensor-ingest"]

    func run() throws -> Int32 {
        let signals = try SignalWatcher()
        guard try awaitGate(signals) else { return 0 }
        while true {
            if let state = try gate?.read(), state != .primary {
                _ = try stop()
                guard try awaitGate(signals) else { return 0 }
                child.isWanted = true
                watch?.isWanted = true
            }
            switch try child.tend(at: Clock.monotonicMicroseconds()) {
            case .none, .started: break
            case .hung(let reason):
                Terminal.complain("\(service) hung: \(reason); restarting it.")
                if let reason = child.staysDown { Terminal.complain("\(service) stays down: \(reason).") }
            case .died, .givenUp: return code(child.lastStatus)
            }
            if let watch, case .givenUp(let end) = try watch.tend(at: Clock.monotonicMicroseconds()) {
                Terminal.complain("watch failed \(Child.failuresAtMost) times within a minute: \(end)")
            }
            _ = try Poll.wait([signals.descriptor] + (child.process.map { [$0.descriptor] } ?? []), milliseconds: 200)
            if signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt }) { return try stop() }
        }
    }

    /// Waits until this machine may run the farm. Returns false if a signal stops it first.
    ///
    /// A machine of a pair that starts may have been replaced by the other one, so it looks there first.
    private func awaitGate(_ signals: SignalWatcher) throws -> Bool {
        guard let gate, let before = try gate.written() else { return true }
        let end = Clock.monotonicMicroseconds() + Self.lookMicroseconds
        var reported: PairGate.State?
        while true {
            let state = try gate.read()
            let hasLooked = try gate.written() != before || Clock.monotonicMicroseconds() >= end
            if state == .primary, hasLooked { return true }
            if state != reported {
                switch state {
                case .standby: Terminal.complain("\(service) waits: this machine is a standby. See: furrow promote")
                case .fenced:
                    Terminal.complain("\(service) must not run: the standby was promoted and runs this farm now.")
                case .primary, nil: break
                }
                reported = state
            }
            _ = try Poll.wait([signals.descriptor], milliseconds: 200)
            if signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt }) { return false }
        }
    }

    private func stop() throws -> Int32 {
        watch?.isWanted = false
        watch?.signal(SIGTERM)
        child.isWanted = false
        child.signal(SIGTERM)
        let status = try child.process?.wait(milliseconds: Self.stopMilliseconds)
        try child.stop(milliseconds: 0)
        try watch?.stop(milliseconds: 0)
        return code(status)
    }

    /// Returns the exit code, encoded as shells do: 128 + signal number if a signal ended it.
    private func code(_ status: Process.ExitStatus?) -> Int32 {
        switch status {
        case .exited(let code): code
        case .signalled(let number): 128 + number
        case nil: 128 + SIGKILL
        }
    }
}
