import Glibc
import Host
import System
import Vocabulary

/// The nightly backup of a farm server without containers: a process of its own, which exists while it works.
final class NightlyBackupProcess {
    private let farmPaths: FarmPaths
    private let schedule = BackupSchedule(began: AdjustableClock.machine)
    private let zone = MachineZone.read()
    private var process: Process?
    private var tried: Instant?
    private var nextLook: Int64 = 0

    private static let lookMicroseconds: Int64 = 30_000_000
    /// How many backups remain.
    private static let sets = "14"

    /// Nil if another program makes the backups, as a timer of systemd does (`FURROW_NIGHTLY_BACKUP=off`).
    init?(_ farmPaths: FarmPaths) {
        guard Machine.environment["FURROW_NIGHTLY_BACKUP"] != "off" else { return nil }
        self.farmPaths = farmPaths
    }

    /// Starts the backup when it is due. Returns what the operator should know.
    func tend(at now: Int64) throws -> String? {
        if let process {
            guard let status = try process.wait() else { return nil }
            self.process = nil
            return status == .exited(0)
                ? "The nightly backup was made." : "The nightly backup failed (\(status)); see \(log)."
        }
        guard now >= nextLook else { return nil }
        nextLook = now + Self.lookMicroseconds
        let time = AdjustableClock.machine
        guard schedule.isDue(at: time, in: zone, last: NightlyBackupLoop.last(farmPaths), tried: tried) else {
            return nil
        }
        tried = time
        var command = Process.Command(
            "\(farmPaths.programs)/furrow",
            ["backup", "--home", farmPaths.home, "--keep", Self.sets, "--test-restore"],
            environment: Machine.environment)
        command.output = .file(log)
        command.error = .file(log)
        process = try Process(command)
        return nil
    }

    private var log: String { "\(farmPaths.logs)/backup.log" }

    /// Ends a backup that is being made; it is made after the next start.
    func stop() throws {
        guard let process else { return }
        try process.kill(SIGTERM)
        _ = try process.wait(milliseconds: 3_000)
        self.process = nil
    }
}
