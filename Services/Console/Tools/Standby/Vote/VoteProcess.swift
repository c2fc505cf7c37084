import Glibc
import Host
import System
import Vocabulary

/// `furrow standby vote`: prolongs the vote of a farm server, or watches for its loss at a standby. It writes until
/// when this machine has the vote into the run folder (microseconds of the monotonic clock).
struct VoteProcess {
    let farmPaths: FarmPaths

    private static let milliseconds = 1_000

    /// The number in the run folder.
    static func number(_ farmPaths: FarmPaths) -> String { "\(farmPaths.run)/vote" }

    static func child(_ farmPaths: FarmPaths) -> Child {
        var environment = Machine.environment
        environment["FURROW_RUN"] = farmPaths.run
        var command = Process.Command(
            "\(farmPaths.programs)/furrow", ["standby", "vote", "--home", farmPaths.home], environment: environment)
        command.output = .file("\(farmPaths.logs)/vote.log")
        command.error = .file("\(farmPaths.logs)/vote.log")
        return Child("vote", command)
    }

    func run() throws {
        let signals = try SignalWatcher()
        let until = try SharedNumber(path: Self.number(farmPaths), first: 0)
        guard let settings = try farmPaths.standbySettings else { throw Refusal("This machine has no part in a vote.") }
        let client = EtcdClient(socket: EtcdServer.socket(farmPaths))
        var vote = Vote(client, own: settings.address)
        var takeover = Takeover()
        var last: VoteState?
        var said = ""
        while true {
            let began = Clock.monotonicMicroseconds()
            var problem = ""
            do {
                if try has(&vote, &takeover) {
                    until.store(began + Int64(Vote.seconds - Vote.marginSeconds) * 1_000_000)
                } else {
                    until.store(0)
                }
            } catch {
                problem = "No majority of the three machines is reached: \(error)"
            }
            do {
                try note(vote, client, &last)
            } catch {
                // A full disk is no reason to lose the vote.
                problem += " The state cannot be written: \(error)"
            }
            if problem != said { Terminal.complain(problem.isEmpty ? "The vote works again." : problem) }
            said = problem
            _ = try Poll.wait([signals.descriptor], milliseconds: Self.milliseconds)
            guard signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt }) else { continue }
            // A machine that is stopped by intent is not replaced.
            do { try vote.stay() } catch { Terminal.complain("The vote ends in seconds: \(error)") }
            return
        }
    }

    /// Writes what is known, when it changes and every 20 seconds.
    private func note(_ vote: Vote, _ client: EtcdClient, _ last: inout VoteState?) throws {
        var state = VoteState(at: AdjustableClock.machine, holder: nil, others: 0)
        do {
            state = VoteState(at: state.at, holder: try vote.holder(), others: try client.activePeers())
        } catch {
            // Not reached: nothing is known.
        }
        if let last, last.holder == state.holder, last.others == state.others,
            state.at.seconds(since: last.at) < VoteState.seconds
        {
            return
        }
        try state.write(farmPaths)
        last = state
    }

    private func has(_ vote: inout Vote, _ takeover: inout Takeover) throws -> Bool {
        guard let settings = try farmPaths.standbySettings else { return false }
        // A farm server that has no standby cannot be replaced, and does not depend on other machines.
        guard settings.role == .standby || settings.role == .primary && settings.peer != nil else { return false }
        guard settings.role == .standby else {
            guard try vote.hold() == .isOwn else { return false }
            arm()
            return true
        }
        let state = StandbyFolder(farmPaths).state
        let isGood = File.exists(state) ? try StandbyState(json: File.read(state, limit: 65_536)).isGood : false
        guard takeover.shouldTake(try vote.look(), isGood: isGood, at: Clock.monotonicMicroseconds() / 1_000_000) else {
            return false
        }
        return try vote.hold() == .isOwn
    }

    /// From the first vote on, the farm runs with one only.
    private func arm() {
        let path = StandbyFolder(farmPaths).armed
        guard !File.exists(path) else { return }
        do {
            try File.writeAtomically(path, [], mode: 0o600)
        } catch {
            Terminal.complain("\(path) cannot be written: \(error)")
        }
    }
}
