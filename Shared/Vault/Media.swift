import Crypto
public import EventSourcing
import System
import Vocabulary

/// The error of a `Media` operation.
public enum MediaError: Error, Equatable, Sendable {
    /// The file is larger than `VaultLimits.mediaBytes`.
    case tooLarge(bytes: Int)
    /// The name is not 64 lower-case hexadecimal digits.
    case noName
    /// The stored bytes do not match their name.
    case damaged
    /// All files together would exceed the caller's limit; `bytes` is their present size.
    case full(bytes: Int)
    /// The file system returned an error.
    case failed(LogFailure)
}

/// Photographs and documents: files in one folder, named by the SHA-256 of their bytes.
///
/// A file is synced before it gets its name, so a named file is complete. It never changes. Any thread may use this.
///
/// ```
/// let media = try Media(folder: "\(folder)/media")
/// let name = try media.put(bytes)
/// let photo = try media.get(name)
/// ```
public struct Media: Sendable {
    private let folder: String

    /// Opens a folder, which is created if it is missing.
    public init(folder: String) throws(MediaError) {
        self.folder = folder
        try Self.reaching("open the media") { () throws(SystemError) in try Directory.create(folder, mode: 0o700) }
    }

    /// Stores the bytes and returns their name: SHA-256 in lower-case hex.
    ///
    /// - Parameter most: the limit for the bytes of all files together. Throws `full` for a new file that exceeds it.
    public func put(_ bytes: [UInt8], most: Int = .max) throws(MediaError) -> String {
        guard bytes.count <= VaultLimits.mediaBytes else { throw .tooLarge(bytes: bytes.count) }
        let name = Hex.encode(SHA256.hash(bytes))
        if most < .max, !File.exists(path(of: name)) {
            let held = try bytesHeld()
            guard held + bytes.count <= most else { throw .full(bytes: held) }
        }
        // An existing file is written again, because it may be damaged and these bytes are correct.
        try Self.reaching("store a file") { () throws(SystemError) in
            try File.writeAtomically(path(of: name), bytes, mode: 0o600)
        }
        return name
    }

    /// Returns the total size of all files in bytes.
    public func bytesHeld() throws(MediaError) -> Int {
        try Self.reaching("measure the media") { () throws(SystemError) in
            var total = 0
            for name in try Directory.list(folder) where Self.isName(name) { total += try File.size(path(of: name)) }
            return total
        }
    }

    /// Returns the bytes with that name, verified; nil if there is no such file. Throws `damaged` if they do not match.
    public func get(_ name: String) throws(MediaError) -> [UInt8]? {
        guard Self.isName(name) else { throw .noName }
        let path = path(of: name)
        guard File.exists(path) else { return nil }
        let bytes = try Self.reaching("read a file") { () throws(SystemError) in
            try File.read(path, limit: VaultLimits.mediaBytes)
        }
        guard Hex.encode(SHA256.hash(bytes)) == name else { throw .damaged }
        return bytes
    }

    /// Removes the file with that name, for example when the law requires it. Does nothing if there is none.
    public func remove(_ name: String) throws(MediaError) {
        guard Self.isName(name) else { throw .noName }
        try Self.reaching("remove a file") { () throws(SystemError) in try File.remove(path(of: name)) }
    }

    /// Removes the file with that name if it was written at least `seconds` ago. Returns false if it is younger.
    public func remove(_ name: String, olderThan seconds: Double) throws(MediaError) -> Bool {
        guard Self.isName(name) else { throw .noName }
        let written = try Self.reaching("look at a file") { () throws(SystemError) in
            try File.written(path(of: name))
        }
        guard let written else { return true }
        // The absolute value: after a clock was set back, files are from the future, and they are not new.
        guard abs(Double(Clock.realMicroseconds() - written)) >= seconds * 1_000_000 else { return false }
        try remove(name)
        return true
    }

    private func path(of name: String) -> String { "\(folder)/\(name)" }

    private static func isName(_ name: String) -> Bool {
        name.utf8.count == 64
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }

    private static func reaching<Result>(
        _ operation: String, _ body: () throws(SystemError) -> Result
    ) throws(MediaError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            // 28 is ENOSPC and 122 EDQUOT on Linux.
            throw .failed(
                LogFailure(operation: operation, message: "\(error)", isFull: error.code == 28 || error.code == 122))
        }
    }
}
