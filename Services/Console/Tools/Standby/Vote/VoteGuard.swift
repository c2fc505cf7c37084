import Glibc
import Host
import System

/// The processes by which a machine takes part in the vote, and whether it has the vote.
final class VoteGuard {
    private let children: [Child]
    private let number: SharedNumber
    private let armed: String

    /// Nil if no third machine votes.
    init?(_ farmPaths: FarmPaths, _ settings: StandbySettings?) throws {
        guard let settings, !settings.votes.isEmpty else { return nil }
        try EtcdServer.checkInstalled()
        try farmPaths.makeRun()
        let etcd = try EtcdServer(farmPaths: farmPaths, settings: settings).child()
        children = [etcd, VoteProcess.child(farmPaths)]
        armed = StandbyFolder(farmPaths).armed
        number = try SharedNumber(path: VoteProcess.number(farmPaths), first: 0)
        // What an earlier run wrote is of another boot, or has ended.
        number.store(0)
    }

    /// Whether this machine has the vote now.
    var hasVote: Bool { Clock.monotonicMicroseconds() < number.value }

    /// Whether the farm may run here: with the vote, or before the three machines have voted for the first time.
    var mayRun: Bool { hasVote || !File.exists(armed) }

    /// Keeps the processes running. Returns what the operator should know.
    func tend() throws -> String? {
        for child in children {
            switch try child.tend(at: Clock.monotonicMicroseconds()) {
            case .none, .started, .hung: break
            case .died(let status): return "\(child.name) ended (\(status)); restarting it."
            case .givenUp(let status):
                // Without it the vote is lost, so it is started again.
                child.isWanted = true
                return "\(child.name) ends at once (\(status)); see its log."
            }
        }
        return nil
    }

    /// Ends the processes; the vote stays with this machine.
    func stop() throws {
        for child in children.reversed() { try child.stop(milliseconds: 5_000) }
    }
}
