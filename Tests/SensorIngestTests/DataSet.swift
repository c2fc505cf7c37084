import Foundation
import JSON
import Vocabulary

/// The recorded captures and packets, which are stored beside the package and not in it.
enum DataSet {
    private static let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "../../../shared/data/ingest").standardizedFileURL

    /// Returns the bytes of a file. Prints a note and returns nil if the data set is missing.
    static func bytes(_ path: String) -> [UInt8]? {
        guard let data = FileManager.default.contents(atPath: folder.appending(path: path).path()) else {
            print("SKIPPED \(path): the data set is not beside the package")
            return nil
        }
        return Array(data)
    }

    static func lines(_ path: String) throws -> [JSONValue]? {
        try bytes(path)?.split(separator: UInt8(ascii: "\n")).map { try JSONValue.parse(Array($0)) }
    }

    /// Returns the body of an `ingest-capture` request with this file.
    static func capture(_ path: String) -> String? {
        bytes(path).map { "{\"capture\":\"\(BaseEncoding.base64.encode($0))\"}" }
    }
}
