import Foundation
import Glibc
import System
import Testing

@Suite("File locks")
struct FileLockTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a file lock has one holder and is free after it`() throws {
        let path = folder("lock")
        var first = try FileLock(path: path)
        #expect(first != nil)
        #expect(try FileLock(path: path) == nil)
        first = nil
        #expect(File.exists(path))
        #expect(try File.read(path, limit: 10).isEmpty)
        #expect(try FileLock(path: path) != nil)
    }

    /// A child that is forked on another thread has such a copy.
    @Test func `a file lock is free after its holder even if its descriptor was duplicated`() throws {
        let path = folder("lock")
        var first = try FileLock(path: path)
        #expect(first != nil)
        let copies = try copies(of: path)
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        first = nil
        #expect(try FileLock(path: path) != nil)
    }

    private func copies(of path: String) throws -> [Int32] {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .filter { (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
            .map { dup($0) }
    }

    @Test func `a file lock excludes other processes and is excluded by them`() throws {
        let path = folder("lock")
        var held = try FileLock(path: path)
        #expect(held != nil)
        #expect(try shell("flock -n '\(path)' true").0 == .exited(1))
        held = nil

        let childOutput = try OutputPipe()
        var command = Process.Command("/bin/sh", ["-c", "exec 9>>'\(path)'; flock 9; echo locked; exec sleep 60"])
        command.environment = ["PATH": "/usr/bin:/bin"]
        command.output = .descriptor(childOutput.writing)
        let child = try Process(command)
        #expect(try childOutput.line() == "locked")
        #expect(try FileLock(path: path) == nil)
        try child.kill(SIGKILL)
        #expect(try child.wait(milliseconds: 20_000) == .signalled(SIGKILL))
        _ = try soon { try FileLock(path: path) }
    }

    @Test func `a file lock is not inherited by child processes`() throws {
        let path = folder("lock")
        var held = try FileLock(path: path)
        #expect(held != nil)
        let child = try Process(Process.Command("/bin/sleep", ["60"]))
        held = nil
        // The child runs for a minute.
        _ = try soon { try FileLock(path: path) }
        try child.kill(SIGKILL)
        #expect(try child.wait(milliseconds: 20_000) == .signalled(SIGKILL))
    }

    @Test func `an error names why a file lock cannot be taken`() throws {
        #expect(throws: SystemError(code: ENOENT, operation: "open", path: folder("no/lock"))) {
            try FileLock(path: folder("no/lock"))
        }
        try #require(unsafe symlink("elsewhere", folder("link")) == 0)
        #expect(throws: SystemError(code: ELOOP, operation: "open", path: folder("link"))) {
            try FileLock(path: folder("link"))
        }
    }
}
