import Foundation
import HTTP
import Synchronization
import Testing

@Suite("Streamed responses")
struct HTTPStreamTests {
    /// Starts a server that passes its streams to the test.
    private func start(
        limits: HTTPLimits = .init()
    ) throws -> (server: HTTPServer, url: String, streams: Shelf<HTTPStream>, opened: Signal) {
        let streams = Shelf<HTTPStream>()
        let opened = Signal()
        let (server, url) = try HTTPServerTests.start(limits: limits) { exchange in
            streams.put(
                exchange.stream(HTTPResponse(status: 200, type: "text/event-stream", body: Array(": hello\n\n".utf8))))
            opened.raise()
        }
        return (server, url, streams, opened)
    }

    @Test func `events are delivered when they are sent`() throws {
        let (server, url, streams, opened) = try start()
        let sender = Thread {
            guard opened.wait(), let stream = streams.all.first else { return }
            for number in 0..<1_000 { _ = stream.send(Array("data: \(number)\r\n\r\n".utf8)) }
            stream.close()
            stream.close()
        }
        sender.start()
        var numbers: [Int] = []
        try HTTPClient().events(url) { line in
            if line.hasPrefix("data: ") { numbers.append(Int(line.dropFirst(6)) ?? -1) }
            return true
        }
        #expect(numbers == Array(0..<1_000))
        #expect(streams.all.first?.isOpen == false)
        #expect(streams.all.first?.send([1]) == false)
        print("events: checked \(numbers.count)")
        server.stop()
    }

    @Test func `one event is delivered without waiting for another`() throws {
        let (server, _, streams, opened) = try start(limits: HTTPLimits(idleSeconds: 1))
        let raw = try RawConnection(port: server.port)
        raw.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(opened.wait())
        #expect(raw.read { $0.contains(": hello") }.contains("text/event-stream"))
        let stream = try #require(streams.all.first)
        for number in 0..<5 {
            // Longer than the idle limit in all: a stream may be silent.
            usleep(500_000)
            let began = ContinuousClock.now
            #expect(stream.send(Array("data: \(number)\n\n".utf8)))
            #expect(raw.read { $0.contains("data: \(number)") }.contains("data: \(number)"))
            #expect(ContinuousClock.now - began < .milliseconds(400))
        }
        #expect(stream.isOpen)
        server.stop()
    }

    @Test func `a stream detects that its client has disconnected`() throws {
        let (server, _, streams, opened) = try start()
        let closed = Signal()
        let raw = try RawConnection(port: server.port)
        raw.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(opened.wait())
        let stream = try #require(streams.all.first)
        stream.whenClosed { closed.raise() }
        #expect(raw.read { $0.contains(": hello") }.contains("200"))
        #expect(stream.isOpen)
        raw.hangUp()
        // Nothing is sent: the disconnection is detected without a write.
        #expect(closed.wait())
        #expect(!stream.isOpen)
        #expect(!stream.send([1]))
        stream.whenClosed { closed.raise() }
        #expect(closed.count == 2)
        server.stop()
    }

    @Test func `reading events ends when the listener returns false`() throws {
        let (server, url, streams, opened) = try start()
        let closed = Signal()
        let watcher = Thread {
            guard opened.wait(), let stream = streams.all.first else { return }
            stream.whenClosed { closed.raise() }
            _ = stream.send(Array("data: 1\n\ndata: 2\n\n".utf8))
        }
        watcher.start()
        var lines: [String] = []
        try HTTPClient().events(url) { line in
            lines.append(line)
            return line != "data: 1"
        }
        #expect(lines == [": hello", "", "data: 1"])
        #expect(closed.wait())
        server.stop()
    }

    @Test func `a stream refuses more bytes when its client is too far behind`() throws {
        let (server, _, streams, opened) = try start()
        let raw = try RawConnection(port: server.port)
        raw.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(opened.wait())
        let stream = try #require(streams.all.first)
        #expect(!stream.send([UInt8](repeating: 0, count: 300_000)), "more than the buffer at once")
        let block = [UInt8](repeating: 0x78, count: 10_000)
        var taken = 0
        while stream.send(block), taken < 10_000 { taken += 1 }
        #expect(taken >= 20)
        #expect(taken < 10_000)
        #expect(stream.isOpen)
        stream.close()
        let body = raw.read()
        #expect(body.count { $0 == "x" } >= taken * block.count)
        server.stop()
    }

    @Test func `a stream closes when it is released and when the server stops`() throws {
        let (server, _, streams, opened) = try start()
        let dropped = try RawConnection(port: server.port)
        dropped.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(opened.wait())
        streams.clear()
        #expect(dropped.read { $0.hasSuffix("0\r\n\r\n") }.hasSuffix("0\r\n\r\n"))
        let kept = try RawConnection(port: server.port)
        kept.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(opened.wait())
        let closed = Signal()
        streams.all.first?.whenClosed { closed.raise() }
        server.stop()
        #expect(closed.wait())
        #expect(kept.read().hasSuffix("0\r\n\r\n"))
    }

    @Test func `a stream delivers a download of many megabytes`() throws {
        let (server, url) = try HTTPServerTests.start { exchange in
            let stream = exchange.stream(HTTPResponse(status: 200, type: "application/octet-stream"))
            let sender = Thread {
                for part in 0..<500 {
                    let block = [UInt8](repeating: UInt8(truncatingIfNeeded: part), count: 50_000)
                    while !stream.send(block), stream.isOpen { usleep(200) }
                }
                stream.close()
            }
            sender.start()
        }
        let answer = try HTTPClient().send("GET", url)
        #expect(answer.body.count == 25_000_000)
        #expect((0..<500).allSatisfy { answer.body[$0 * 50_000 + 49_999] == UInt8(truncatingIfNeeded: $0) })
        server.stop()
    }

    @Test func `a sender is notified when what was queued is sent, and when the client is gone`() throws {
        let (server, _, streams, opened) = try start()
        let sent = Signal()
        let raw = try RawConnection(port: server.port)
        raw.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(opened.wait())
        let stream = try #require(streams.all.first)
        stream.whenSent { sent.raise() }
        #expect(sent.wait())
        #expect(stream.send(Array("data: 1\n\n".utf8)))
        stream.whenSent { sent.raise() }
        #expect(sent.wait())
        #expect(raw.read { $0.contains("data: 1") }.contains("data: 1"))
        raw.hangUp()
        let closed = Signal()
        stream.whenClosed { closed.raise() }
        #expect(closed.wait())
        stream.whenSent { sent.raise() }
        #expect(sent.wait())
        #expect(!stream.isOpen)
        server.stop()
    }

    @Test func `the client of an aborted stream notices that the body is not whole`() throws {
        let (server, _, streams, opened) = try start()
        let raw = try RawConnection(port: server.port)
        raw.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(opened.wait())
        #expect(raw.read { $0.contains(": hello") }.contains("200"))
        streams.all.first?.abort()
        #expect(!raw.read().hasSuffix("0\r\n\r\n"))
        server.stop()
    }

    @Test func `many streams open and close without a leak`() throws {
        let (server, _, streams, opened) = try start()
        let closed = Signal()
        let clients = try (0..<100).map { _ in try RawConnection(port: server.port) }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        for _ in clients { #expect(opened.wait()) }
        for stream in streams.all { stream.whenClosed { closed.raise() } }
        for stream in streams.all { #expect(stream.send(Array("data: 1\n\n".utf8))) }
        for client in clients { #expect(client.read { $0.contains("data: 1") }.contains("data: 1")) }
        for client in clients { client.hangUp() }
        for _ in clients { #expect(closed.wait()) }
        server.stop()
        #expect(server.counters.connectionsOpen == 0)
        print("streams: checked \(closed.count)")
    }
}
