import Glibc
import System
import Testing

@Suite("The signal watcher", .serialized)
struct SignalWatcherTests {
    @Test func `signals to the process make a descriptor readable`() throws {
        let watcher = try SignalWatcher()
        #expect(throws: SystemError(code: EBUSY, operation: "sigaction")) { try SignalWatcher() }
        for (signal, meaning) in [(SIGTERM, SignalWatcher.Signal.terminate), (SIGINT, .interrupt), (SIGHUP, .hangUp)] {
            _ = watcher.drain()
            try #require(kill(getpid(), signal) == 0)
            try #require(kill(getpid(), signal) == 0)
            #expect(try Poll.wait([watcher.descriptor], milliseconds: 20_000) == [watcher.descriptor])
            #expect(watcher.drain().contains(meaning))
        }
        // Writing to a closed pipe is an error and does not end the process.
        let childOutput = try OutputPipe()
        close(childOutput.reading)
        #expect(unsafe write(childOutput.writing, "x", 1) == -1)
        #expect(errno == EPIPE)
    }

    @Test func `the end of a child process is reported`() throws {
        let watcher = try SignalWatcher()
        let child = try Process(Process.Command("/bin/true"))
        var seen: [SignalWatcher.Signal] = []
        while !seen.contains(.child) {
            try #require(try Poll.wait([watcher.descriptor], milliseconds: 20_000) == [watcher.descriptor])
            seen += watcher.drain()
        }
        #expect(try child.wait(milliseconds: 20_000) == .exited(0))
    }

    @Test func `the signal handlers are restored when the watcher is released`() throws {
        func caught() throws -> UInt64 {
            try #require(UInt64(statusLine("SigCgt:", in: "/proc/self/status"), radix: 16))
        }
        let hangUp: UInt64 = 1 << UInt64(SIGHUP - 1)
        #expect(try caught() & hangUp == 0)
        var watcher: SignalWatcher? = try SignalWatcher()
        #expect(try caught() & hangUp != 0)
        #expect(watcher != nil)
        watcher = nil
        #expect(try caught() & hangUp == 0)
    }
}
