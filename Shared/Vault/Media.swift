import Crypto
public import EventSourcing
import System
import Vocabulary

/// Why a photograph or document was not kept or given.
public enum MediaError: Error, Equatable, Sendable {
    /// More than `VaultLimits.mediaBytes`.
    case tooLarge(bytes: Int)
    /// Not 64 lower-case hexadecimal digits.
    case noName
    /// The bytes on the disk are not those that were put there.
    case damaged
    /// All files together would be more than the caller allows.
    case full(bytes: Int)
    case failed(LogFailure)
}

/// Photographs and documents: files in one folder, named by the SHA-256 of their bytes.
///
/// A file is synced before it gets its name, so what has a name is whole; it never changes. May be used on any thread.
public struct Media: Sendable {
    private let folder: String

    /// Uses a folder, which is made if it is missing.
    public init(folder: String) throws(MediaError) {
        self.folder = folder
        try Self.reaching("open the media") { () throws(SystemError) in try Directory.create(folder, mode: 0o700) }
    }

    /// Keeps the bytes and gives their name: SHA-256 in lower-case hex.
    ///
    /// - Parameter most: bytes of all files together; beyond it nothing new is kept.
    public func put(_ bytes: [UInt8], most: Int = .max) throws(MediaError) -> String {
        guard bytes.count <= VaultLimits.mediaBytes else { throw .tooLarge(bytes: bytes.count) }
        let name = Hex.encode(SHA256.hash(bytes))
        if most < .max, !File.exists(path(of: name)) {
            let held = try bytesHeld()
            guard held + bytes.count <= most else { throw .full(bytes: held) }
        }
        // Also where a file of the name is there: it may be damaged, and these bytes are good.
        try Self.reaching("keep a file") { () throws(SystemError) in
            try File.writeAtomically(path(of: name), bytes, mode: 0o600)
        }
        return name
    }

    /// Returns the bytes of all files together.
    public func bytesHeld() throws(MediaError) -> Int {
        try Self.reaching("measure the media") { () throws(SystemError) in
            var total = 0
            for name in try Directory.list(folder) where Self.isName(name) { total += try File.size(path(of: name)) }
            return total
        }
    }

    /// The bytes of that name, verified; nil if there are none.
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

    /// Removes the bytes of that name, for the law's sake; fine if there are none.
    public func remove(_ name: String) throws(MediaError) {
        guard Self.isName(name) else { throw .noName }
        try Self.reaching("remove a file") { () throws(SystemError) in try File.remove(path(of: name)) }
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
