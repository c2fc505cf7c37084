import Foundation
import Testing

/// Data sets of shoppers, which are stored beside the package and not in it.
enum DataSet {
    /// Returns the unpacked bytes of a file. If the file is missing, prints that the test is skipped and returns nil.
    static func read(_ name: String) throws -> [UInt8]? {
        let file = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../../../shared/data/recsys/\(name)").standardizedFileURL
        guard FileManager.default.fileExists(atPath: file.path()) else {
            print("SKIPPED \(name): the data set is not beside the package")
            return nil
        }
        let unzip = Process()
        unzip.executableURL = URL(filePath: "/usr/bin/gunzip")
        unzip.arguments = ["-c", file.path()]
        let pipe = Pipe()
        unzip.standardOutput = pipe
        try unzip.run()
        let bytes = try pipe.fileHandleForReading.readToEnd().map { Array($0) } ?? []
        unzip.waitUntilExit()
        try #require(unzip.terminationStatus == 0)
        return bytes
    }

    static func number(_ text: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in text {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        return text.isEmpty ? nil : value
    }
}
