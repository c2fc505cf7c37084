import Foundation

/// A temporary folder of one test, removed with this object.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = "\(FileManager.default.temporaryDirectory.path)/sqlite-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("left behind: \(path): \(error)")
        }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}
