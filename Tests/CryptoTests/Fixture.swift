import Foundation
import Testing

/// Returns the bytes of a hexadecimal text; spaces are ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Returns the text of a file of the shared data sets; nil if they are not available.
func sharedData(_ path: String) -> Data? {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    let file = root.appending(path: "../shared/data/" + path)
    guard let data = FileManager.default.contents(atPath: file.path) else {
        print("SKIPPED \(path) is not there")
        return nil
    }
    return data
}

/// Returns the bytes with one bit flipped.
func flipping(_ bit: Int, of bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[bit / 8] ^= 1 << (bit % 8)
    return bytes
}

/// Returns a program's output and exit code; nil, with a printed note, if it is not installed.
func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String)? {
    let path = "/usr/bin/" + program
    guard FileManager.default.isExecutableFile(atPath: path) else {
        print("SKIPPED \(program) is not installed")
        return nil
    }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}

/// Calls `body` with a new folder and removes it afterwards.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            Issue.record(error)
        }
    }
    return try body(folder)
}
