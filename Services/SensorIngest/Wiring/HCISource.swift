import Host
import Radio
import System

/// A Bluetooth controller's live HCI stream: a Unix socket, a pipe, a serial line, or a file that a monitor appends to.
///
/// One process owns it, by the same kind of lock as a slot's.
///
/// Of a file, only what is appended from now on is read, as from every other stream; old captures are uploaded instead.
final class HCISource: Source {
    let name: String
    private let path: String
    private let lockPath: String
    private var lock: FileLock?
    private var stream: ByteStream?
    /// The header of a btsnoop file whose existing records were skipped; it is returned by the next read.
    private var ahead: [UInt8] = []
    /// Whether a file is read to its current end.
    private var isAtEnd = false
    /// Whether the source was never opened; the contents that a file has then are skipped.
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
            // The writer is gone, or it is the end of the file; `reopen` tries again.
            if stream.isFile { isAtEnd = true } else { self.stream = nil }
            return ahead
        }
    }

    /// Does nothing: the stream is read-only.
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
            // The path does not exist yet, or no longer.
            stream = nil
            isAtEnd = false
        }
        return stream != nil
    }

    /// Skips what a file already contains.
    ///
    /// Of a btsnoop file it skips whole records, because the start of a record cannot be recognised by its bytes.
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
