import Foundation
import JSON
import Testing
import Vocabulary

/// The recorded packets with their expected values, which are stored beside the package and not in it.
enum Vectors {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../shared/data/ingest").standardizedFileURL

    /// Returns the lines of a file. Prints a note and returns nil if the data set is missing.
    static func lines(_ path: String) throws -> [JSONAny]? {
        guard let data = bytes(path) else { return nil }
        return try data.split(separator: UInt8(ascii: "\n")).map { try JSONValue.parse(Array($0)).read() }
    }

    static func bytes(_ path: String) -> [UInt8]? {
        guard let data = FileManager.default.contents(atPath: folder.appending(path: path).path()) else {
            print("SKIPPED \(path): the data set is not beside the package")
            return nil
        }
        return Array(data)
    }
}

/// The number of lines of a file that were checked, and the failures.
struct Tally {
    var file: String
    var passed = 0
    var failed: [String] = []
    var leftOut: [String: Int] = [:]

    init(_ file: String) {
        self.file = file
    }

    var checked: Int { passed + failed.count }

    mutating func note(_ passed: Bool, _ what: @autoclosure () -> String) {
        if passed { self.passed += 1 } else { failed.append(what()) }
    }

    mutating func leaveOut(_ why: String) {
        leftOut[why, default: 0] += 1
    }

    func finish(floor: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        let rest = leftOut.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        print("\(file): checked \(checked), passed \(passed), left out \(leftOut.values.reduce(0, +)) (\(rest))")
        for failure in failed.prefix(20) { Issue.record("\(file): \(failure)", sourceLocation: sourceLocation) }
        #expect(failed.isEmpty, sourceLocation: sourceLocation)
        #expect(checked >= floor, sourceLocation: sourceLocation)
    }
}

extension JSONAny {
    var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    var isNull: Bool { self == .null }

    var members: [(String, JSONAny)] {
        guard case .object(let members) = self else { return [] }
        return members
    }

    var elements: [JSONAny] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var hexBytes: [UInt8]? { string.flatMap(Hex.decode) }

    subscript(path keys: String...) -> JSONAny? {
        var value: JSONAny? = self
        for key in keys { value = value?[key] }
        return value
    }
}

extension Double {
    /// Whether the other value equals this one within the printed precision.
    func isClose(to other: Double, within tolerance: Double = 1e-9) -> Bool {
        abs(self - other) <= tolerance * max(1, abs(other))
    }
}
