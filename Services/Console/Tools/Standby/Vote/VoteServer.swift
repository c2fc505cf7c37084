import Glibc
import Host
import System
import Vocabulary

/// Runs the third machine of a vote, which has no data.
struct VoteServer {
    private let farmPaths: FarmPaths
    private let settings: StandbySettings
    private let lock: FileLock
    private let vote: VoteGuard

    init(_ farmPaths: FarmPaths, _ settings: StandbySettings) throws {
        self.farmPaths = farmPaths
        self.settings = settings
        try Directory.create(farmPaths.logs, mode: 0o700)
        guard let lock = try FileLock(path: "\(farmPaths.home)/\(HomeContents.lock)") else {
            throw Refusal("A vote runs in \(farmPaths.home) already.")
        }
        guard let vote = try VoteGuard(farmPaths, settings) else {
            throw Refusal("\(farmPaths.home) has no part in a vote.")
        }
        (self.lock, self.vote) = (lock, vote)
    }

    func run() throws {
        let signals = try SignalWatcher()
        Terminal.say("This machine votes which of two others runs the farm. Stop it with Ctrl-C.")
        while true {
            SystemdWatchdog.goesOn()
            try StandbyFolder(farmPaths).renewCertificate(settings)
            if let said = try vote.tend() { Terminal.complain(said) }
            _ = try Poll.wait([signals.descriptor], milliseconds: Self.milliseconds)
            if signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt }) { return try vote.stop() }
        }
    }

    private static let milliseconds = 1_000
}
