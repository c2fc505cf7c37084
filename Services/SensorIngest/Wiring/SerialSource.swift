import Host
import System

/// A coordinator's serial line. One process owns it, by the same kind of lock as a slot's.
final class SerialSource: Source {
    let name: String
    private let path: String
    private let baud: UInt32
    private let lockPath: String
    private var lock: FileLock?
    private var port: SerialPort?

    /// The most bytes of one read.
    static let chunk = 16_384

    init(name: String, path: String, baud: UInt32, locksIn folder: String) {
        self.name = name
        self.path = path
        self.baud = baud
        lockPath = Self.lockPath(of: path, in: folder)
        _ = reopen()
    }

    /// Returns the path of a device's lock file; the same for every kind of source.
    static func lockPath(of path: String, in folder: String) -> String {
        "\(folder)/source-\(path.replacing("/", with: "_")).lock"
    }

    var descriptor: Int32? { port?.descriptor }

    func read() -> [UInt8] {
        guard let port else { return [] }
        do {
            var bytes: [UInt8] = []
            _ = try port.read(into: &bytes, limit: Self.chunk)
            return bytes
        } catch {
            // The device is unplugged; `reopen` tries again.
            self.port = nil
            return []
        }
    }

    func write(_ bytes: [UInt8]) {
        do {
            try port?.write(bytes)
        } catch {
            port = nil
        }
    }

    func reopen() -> Bool {
        do {
            if lock == nil { lock = try FileLock(path: lockPath) }
            guard lock != nil, port == nil else { return false }
            port = try SerialPort(path: path, baud: baud)
        } catch {
            port = nil
        }
        return port != nil
    }
}
