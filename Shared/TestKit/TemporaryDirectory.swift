// Only tests link this module, so Foundation's memory use does not matter here.
import Foundation

/// Calls `body` with a new folder, readable to its owner only, and removes it afterwards with its contents.
public func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    return try body(folder.path)
}

/// Calls `body` with a new folder, readable to its owner only, and removes it afterwards with its contents.
public func withTemporaryDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    return try await body(folder.path)
}

/// A temporary folder of one test.
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
