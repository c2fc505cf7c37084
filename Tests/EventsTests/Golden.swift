import EventSourcing
import Events
import Foundation
import JSON
import Testing
import Wire

/// The bytes of the published events: one file for each wire name, never edited.
enum Golden {
    static let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "../Fixtures/Events").standardizedFileURL
    static let sums = "SHA256SUMS"

    /// Returns the bytes of a wire name's file; nil if it has none.
    static func bytes(of name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: folder.appending(path: name + ".json").path()).map { Array($0) }
    }

    static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
    }

    /// Returns the hash list, in the format of `sha256sum`: file name to SHA-256 in hex.
    static func hashes() throws -> [String: String] {
        let text = try String(contentsOf: folder.appending(path: sums), encoding: .utf8)
        var hashes: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", omittingEmptySubsequences: true)
            let pair = try #require(parts.count == 2 ? (String(parts[1]), String(parts[0])) : nil, "\(line)")
            #expect(hashes.updateValue(pair.1, forKey: pair.0) == nil, "\(pair.0) stands twice in \(sums)")
        }
        return hashes
    }
}

/// Returns an event's name and fields as they are written: equal for equal events.
func spelled(_ event: any Event) -> String {
    var json = JSONWriter()
    json.object { json in event.write(fields: &json) }
    return "\(type(of: event).name) \(json.text)"
}
