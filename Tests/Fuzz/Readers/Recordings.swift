import Foundation
import JSON
import Vocabulary

/// The sources of seeds: golden events, and packets recorded over the air, which are beside the package.
enum Recordings {
    private static let package = URL(filePath: #filePath).resolvingSymlinksInPath()
        .appending(path: "../../../..").standardizedFileURL
    private static let folder = package.appending(path: "../shared/data/ingest").standardizedFileURL

    /// Returns a published event, without a line break at its end.
    static func event(_ name: String) throws -> [UInt8] {
        let bytes = try Data(contentsOf: package.appending(path: "Tests/Fixtures/Events/\(name).json"))
        return Array(bytes.reversed().drop { $0 == 0x0A }.reversed())
    }

    /// Returns the lines of a file of recorded packets; none, with a printed note, if the file is missing.
    static func lines(_ path: String) throws -> [JSONAny] {
        try bytes(path).split(separator: 0x0A).map { try JSONValue.parse(Array($0)).read() }
    }

    static func bytes(_ path: String) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: folder.appending(path: path).path()) else {
            print("SKIPPED \(path): the recordings are not beside the package")
            return []
        }
        return Array(data)
    }
}

extension JSONAny {
    var string: String? { if case .string(let text) = self { text } else { nil } }

    /// Returns the bytes of a member in hex digits.
    func bytes(_ key: String) -> [UInt8]? {
        guard let text = self[key]?.string, let bytes = Hex.decode(text), !bytes.isEmpty else { return nil }
        return bytes
    }
}
