import Host
import System
import Vocabulary

/// `furrow backup --nightly`: makes a backup every night until it is ended.
struct NightlyBackupLoop {
    private let farmPaths: FarmPaths
    private let schedule = BackupSchedule(began: AdjustableClock.machine)
    private let zone = MachineZone.read()

    private static let milliseconds = 30_000

    init(_ farmPaths: FarmPaths) {
        self.farmPaths = farmPaths
    }

    /// Calls `back` whenever a backup is due.
    func run(_ back: () throws -> Void) throws -> Int32 {
        let signals = try SignalWatcher()
        var tried: Instant?
        while true {
            let now = AdjustableClock.machine
            if schedule.isDue(at: now, in: zone, last: Self.last(farmPaths), tried: tried) {
                tried = now
                do {
                    try back()
                } catch {
                    // The record has it, and the doctor notifies; the next attempt is in a quarter of an hour.
                    Terminal.complain("The backup failed: \(error)")
                }
            }
            _ = try Poll.wait([signals.descriptor], milliseconds: Self.milliseconds)
            if signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt }) { return 0 }
        }
    }

    static func last(_ farmPaths: FarmPaths) -> Instant? { BackupRecord.read(farmPaths.home(of: nil)).made }
}
