import Glibc
import Synchronization
import System
import Testing

/// A folder that is removed when the test is over.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = "\(P_tmpdir)/furrow-system-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        try Directory.create(path, mode: 0o755)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    deinit {
        for name in (try? Directory.list(path)) ?? [] {
            if unsafe unlink(self(name)) != 0 { unsafe rmdir(self(name)) }
        }
        unsafe rmdir(path)
    }
}

/// A pipe that receives the output of a child process.
final class OutputPipe: Sendable {
    let reading: Int32
    let writing: Int32
    private let heard = Mutex<[UInt8]>([])
    private let isOpen = Mutex(true)

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
    }

    /// Waits for a line and returns it; further output is returned by the next call.
    func line() throws -> String {
        try heard.withLock { text in
            while !text.contains(UInt8(ascii: "\n")) {
                try #require(try Poll.wait([reading], milliseconds: 20_000) == [reading])
                var chunk = [UInt8](repeating: 0, count: 256)
                let count = unsafe Glibc.read(reading, &chunk, chunk.count)
                try #require(count > 0)
                text += chunk.prefix(count)
            }
            let line = text.prefix { $0 != UInt8(ascii: "\n") }
            text.removeFirst(line.count + 1)
            return String(decoding: line, as: UTF8.self)
        }
    }

    /// Waits until no process has the writing end open.
    func waitUntilClosed() throws {
        hangUp()
        var chunk = [UInt8](repeating: 0, count: 256)
        repeat {
            try #require(try Poll.wait([reading], milliseconds: 20_000) == [reading])
        } while unsafe Glibc.read(reading, &chunk, chunk.count) > 0
    }

    /// Closes this process's own writing end.
    private func hangUp() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { close(writing) }
    }

    deinit {
        close(reading)
        hangUp()
    }
}

/// Repeats an attempt until it returns a value: a child that another test is starting may still have a copy of a closed
/// descriptor.
func soon<Result>(_ attempt: () throws -> Result?) throws -> Result {
    let deadline = Clock.monotonicMicroseconds() + 20_000_000
    while true {
        if let result = try attempt() { return result }
        try #require(Clock.monotonicMicroseconds() < deadline)
        sched_yield()
    }
}

/// Runs a shell line to its end. Returns its exit status and its output.
func shell(_ line: String, _ change: (inout Process.Command) -> Void = { _ in }) throws -> (Process.ExitStatus, String)
{
    let folder = try TemporaryFolder()
    var command = Process.Command("/bin/sh", ["-c", line], environment: ["PATH": "/usr/bin:/bin"])
    command.output = .file(folder("output"))
    command.error = .file(folder("output"))
    change(&command)
    let process = try Process(command)
    let status = try #require(try process.wait(milliseconds: 20_000))
    let output = try File.read(folder("output"), limit: 1 << 20)
    return (status, String(decoding: output, as: UTF8.self).trimmingEnd())
}

extension String {
    func trimmingEnd() -> String {
        var text = self
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}

/// Returns the value of a line in a `/proc/…/status` file.
func statusLine(_ label: String, in path: String) throws -> String {
    let text = String(decoding: try File.read(path, limit: 1 << 16), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(label) })
    return String(line.dropFirst(label.count)).filter { !$0.isWhitespace }
}

let isRoot = geteuid() == 0
