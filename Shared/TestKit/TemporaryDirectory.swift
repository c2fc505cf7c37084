// Only tests link this room, so Foundation's memory doesn't matter here.
import Foundation

/// Runs `body` with a new folder, readable to its owner alone, and removes it with everything in it.
public func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    return try body(folder.path)
}

/// Runs `body` with a new folder, readable to its owner alone, and removes it with everything in it.
public func withTemporaryDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    return try await body(folder.path)
}

/// A folder of its own for one test.
private struct TemporaryDirectory {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("furrow-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = folder.path
    }

    func remove() {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            FileHandle.standardError.write(Data("could not remove \(path): \(error)\n".utf8))
        }
    }
}
