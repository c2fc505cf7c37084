import System

/// The folder of one service instance, locked while the instance runs. It must be locked before any socket is bound: a
/// second process that binds the same socket path would silently take it over.
public final class Slot {
    /// The number of the instance, from 0.
    public let number: Int
    /// The folder with the instance's journal and views.
    public let folder: String
    private let lock: FileLock

    private init(number: Int, folder: String, lock: FileLock) {
        self.number = number
        self.folder = folder
        self.lock = lock
    }

    /// The most instances of one service.
    public static let most = 64

    /// The longest wait for a slot of a given number, because another process may be serving its journal to the hub.
    static let patienceMilliseconds = 15_000

    /// Locks the slot `fixed`, or the lowest free one. Throws if it is in use, none is free, or the file system is not
    /// local.
    public static func claim(service: String, home: String, fixed: Int?) throws -> Slot {
        let folder = "\(home)/\(service)"
        try Directory.create(folder, mode: 0o700)
        let (local, kind) = try isLocalFileSystem(folder)
        guard local else {
            throw SettingError(
                name: "FURROW_HOME", reason: "lies on \(kind): locks there don't hold; use a disk of this machine")
        }
        if let fixed {
            let end = Clock.monotonicMicroseconds() + Int64(patienceMilliseconds) * 1000
            while Clock.monotonicMicroseconds() < end {
                if let slot = try take(fixed, below: folder) { return slot }
                _ = try Poll.wait([], milliseconds: 50)
            }
            throw SettingError(name: "FURROW_SLOT", reason: "\(fixed) of \(service) is held by another process")
        }
        for number in 0..<most {
            if let slot = try take(number, below: folder) { return slot }
        }
        throw SettingError(name: "FURROW_SLOT", reason: "all \(most) slots of \(service) are held")
    }

    /// Locks a slot; returns nil if another process holds it.
    public static func take(_ number: Int, below folder: String) throws -> Slot? {
        let path = "\(folder)/\(number)"
        try Directory.create(path, mode: 0o700)
        guard let lock = try FileLock(path: "\(path)/lock") else { return nil }
        return Slot(number: number, folder: path, lock: lock)
    }
}
