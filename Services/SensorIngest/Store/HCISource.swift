import Host
import Radio
import System

/// A Bluetooth controller's live HCI stream: a Unix socket, a pipe, a serial line, or a file that a monitor writes on.
/// One process owns it, held by the same kind of lock as a slot.
///
/// Of a file only what is written from now on counts, as of every other stream; captures of the past are uploaded.
final class HCISource: Source {
    let name: String
    private let path: String
    private let lockPath: String
    private var lock: FileLock?
    private var stream: ByteStream?
    /// How a btsnoop file begins, when reading goes on further behind.
    private var ahead: [UInt8] = []
    /// All of a file is read for now.
    private var isAtEnd = false
    /// What is there when it is looked for the first time is of the past.
    private var isFirstLook = true

    init(name: String, path: String, locksIn folder: String) {
        self.name = name
        self.path = path
        lockPath = SerialSource.lockPath(of: path, in: folder)
        _ = reopen()
    }

    var descriptor: Int32? { isAtEnd ? nil : stream?.descriptor }

    func read() -> [UInt8] {
        guard let stream, !isAtEnd else { return [] }
        defer { ahead = [] }
        do {
            return ahead + (try stream.read(limit: SerialSource.chunk))
        } catch {
            // Whoever wrote is gone, or it is the end of the file: `reopen` looks again.
            if stream.isFile { isAtEnd = true } else { self.stream = nil }
            return ahead
        }
    }

    /// It is only listened to.
    func write(_ bytes: [UInt8]) {}

    func reopen() -> Bool {
        do {
            if lock == nil { lock = try FileLock(path: lockPath) }
            guard lock != nil else { return false }
            defer { isFirstLook = false }
            if let stream, try stream.isSame() {
                isAtEnd = try stream.size() == stream.position()
                return false
            }
            stream = nil
            isAtEnd = false
            let opened = try ByteStream(path: path)
            if opened.isFile {
                if isFirstLook { try skipPast(opened) }
                isAtEnd = try opened.size() == opened.position()
            }
            stream = opened
        } catch {
            // Not there yet, or not any more.
            stream = nil
            isAtEnd = false
        }
        return stream != nil
    }

    /// Leaves out what a file holds already; of btsnoop whole records, because their beginnings tell nothing of
    /// themselves.
    private func skipPast(_ file: ByteStream) throws(SystemError) {
        let size = try file.size()
        guard try file.bytes(at: 0, count: HCIStream.fileMagic.count) == HCIStream.fileMagic else {
            try file.seek(to: size)
            return
        }
        ahead = try file.bytes(at: 0, count: HCIStream.fileHeaderBytes)
        var place = ahead.count
        while let length = HCIStream.recordBytes(try file.bytes(at: place, count: HCIStream.recordHeaderBytes)),
            place + length <= size
        {
            place += length
        }
        try file.seek(to: place)
    }
}
