import Foundation
import Testing
import ZeroMQ

@Suite("Pollers")
struct PollerTests {
    let context: Context
    let left: Socket
    let right: Socket

    init() throws {
        context = try Context()
        left = try Socket(.pair, in: context)
        try left.bind(Meeting.inproc.endpoint)
        right = try Socket(.pair, in: context)
        try right.connect(left.lastEndpoint)
    }

    @Test func `a poller waits on sockets and descriptors at once`() throws {
        let pipe = Pipe()
        var poller = Poller()
        let socket = poller.add(right)
        let descriptor = poller.add(descriptor: pipe.fileHandleForReading.fileDescriptor)
        #expect(try poller.wait(milliseconds: 0) == [])
        try left.send([[1]])
        #expect(try poller.wait(milliseconds: patience) == [socket])
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        #expect(try poller.wait(milliseconds: patience) == [socket, descriptor])
        #expect(try right.receive() == [[1]])
        #expect(try poller.wait(milliseconds: patience) == [descriptor])
        _ = try pipe.fileHandleForReading.read(upToCount: 1)
        #expect(try poller.wait(milliseconds: 0) == [])
    }

    @Test func `a poller returns a socket as long as messages are left`() throws {
        var poller = Poller()
        let slot = poller.add(right)
        for number in 0..<50 { try left.send([[UInt8(number)]]) }
        for number in 0..<50 {
            #expect(try poller.wait(milliseconds: patience) == [slot])
            #expect(try right.receive() == [[UInt8(number)]])
        }
        #expect(try poller.wait(milliseconds: 0) == [])
    }

    @Test func `a poller detects that the other end of a pipe is closed`() throws {
        let pipe = Pipe()
        var poller = Poller()
        let slot = poller.add(descriptor: pipe.fileHandleForReading.fileDescriptor)
        try pipe.fileHandleForWriting.close()
        #expect(try poller.wait(milliseconds: patience) == [slot])
    }

    @Test func `the slot of a removed item is reused`() throws {
        let pipe = Pipe()
        var poller = Poller()
        let first = poller.add(right)
        let second = poller.add(descriptor: pipe.fileHandleForReading.fileDescriptor)
        try left.send([[1]])
        poller.remove(first)
        poller.remove(first)
        poller.remove(99)
        #expect(try poller.wait(milliseconds: 0) == [])
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        #expect(try poller.wait(milliseconds: patience) == [second])
        #expect(poller.add(right) == first)
        #expect(try poller.wait(milliseconds: patience) == [first, second])
    }

    @Test func `a poller holds references to its sockets`() throws {
        var poller = Poller()
        var socket: Socket? = try Socket(.pair, in: context)
        _ = poller.add(try #require(socket))
        socket = nil
        #expect(try poller.wait(milliseconds: 0) == [])
    }

    @Test func `a poller watches many sockets`() throws {
        var poller = Poller()
        var senders: [Socket] = []
        for number in 0..<100 {
            let sender = try Socket(.pair, in: context)
            try sender.bind(Meeting.inproc.endpoint)
            let receiver = try Socket(.pair, in: context)
            try receiver.connect(sender.lastEndpoint)
            #expect(poller.add(receiver) == number)
            senders.append(sender)
        }
        try senders[17].send([[1]])
        try senders[99].send([[1]])
        #expect(try becomes { try poller.wait(milliseconds: 100) == [17, 99] })
    }

    @Test func `waiting without a timeout on no items is refused`() throws {
        var poller = Poller()
        #expect(throws: ZeroMQError.self) { try poller.wait(milliseconds: -1) }
        poller.remove(poller.add(right))
        #expect(throws: ZeroMQError.self) { try poller.wait(milliseconds: -1) }
        #expect(try poller.wait(milliseconds: 1) == [])
    }

    @Test func `the end of the context wakes a poller`() throws {
        let own = try Context()
        let stopper = Thread { own.shutdown() }
        let socket = try Socket(.router, in: own)
        var poller = Poller()
        _ = poller.add(socket)
        stopper.start()
        let error = #expect(throws: ZeroMQError.self) { try poller.wait(milliseconds: -1) }
        #expect(error?.isShutdown == true)
    }
}
