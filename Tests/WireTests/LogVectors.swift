import Foundation
import Testing

/// The published test vectors of transparency logs, in the data folder beside the package.
enum LogVectors {
    static let folder = URL(filePath: #filePath).appending(path: "../../../../shared/data/tlog").standardized

    /// Returns all JSON files below a folder, ordered by path; none, with a printed note, if there is no data.
    static func files(below path: String) -> [URL] {
        let root = folder.appending(path: path)
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        if paths.isEmpty { print("SKIPPED \(path): there is no data folder beside the package") }
        return paths.filter { $0.hasSuffix(".json") }.sorted().map { root.appending(path: $0) }
    }

    static func read(_ path: String) -> Data? {
        let data = FileManager.default.contents(atPath: folder.appending(path: path).path)
        if data == nil { print("SKIPPED \(path): there is no data folder beside the package") }
        return data
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from path: String) throws -> Value? {
        guard let data = read(path) else { return nil }
        return try JSONDecoder().decode(type, from: data)
    }

    /// A base64 text that may be no hash: in the vectors, malformed hashes are words.
    static func bytes(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64) ?? Data(base64.utf8))
    }
}
