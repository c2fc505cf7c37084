import Foundation
import Testing
import ZeroMQ

@Suite("ZeroMQ sockets")
struct SocketTests {
    let context: Context

    init() throws { context = try Context() }

    @Test(arguments: Meeting.allCases)
    func `a router receives a request and its response is delivered`(over meeting: Meeting) throws {
        let desk = try Socket(.router, in: context)
        try desk.bind(meeting.endpoint)
        let requestClient = try Socket(.dealer, in: context)
        try requestClient.connect(desk.lastEndpoint)

        #expect(try requestClient.send([bytes("how many?")]))
        let question = try next(desk)
        #expect(question.count == 2)
        #expect(question.last == bytes("how many?"))
        #expect(try desk.send([question[0], bytes("three")]))
        #expect(try next(requestClient) == [bytes("three")])
        #expect(try requestClient.receive() == nil)
    }

    @Test(arguments: Meeting.allCases)
    func `every frame of a message is delivered, also empty and large ones`(over meeting: Meeting) throws {
        let left = try Socket(.pair, in: context)
        try left.bind(meeting.endpoint)
        let right = try Socket(.pair, in: context)
        try right.connect(left.lastEndpoint)
        let large = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let messages: [[[UInt8]]] = [[[]], [[], []], [[], bytes("a"), []], [large, [], large], [bytes("end")]]
        for message in messages { #expect(try left.send(message)) }
        for message in messages { #expect(try next(right) == message) }
        #expect(try right.receive() == nil)
    }

    @Test func `sending returns false when the queue is full, and queued messages are delivered`() throws {
        var options = SocketOptions()
        options.sendHighWater = 3
        options.linger = patience
        let endpoint = "ipc://@furrow-\(UUID().uuidString)"  // an abstract name, which leaves no file
        let sender = try Socket(.dealer, in: context, options: options)
        try sender.connect(endpoint)
        for number in 1...3 { #expect(try sender.send([[UInt8(number)], [], bytes("tail")])) }
        #expect(try sender.send([[4], [], bytes("tail")]) == false)
        #expect(try sender.send([[5]]) == false)

        let late = try Socket(.dealer, in: context)
        try late.bind(endpoint)
        for number in 1...3 { #expect(try next(late) == [[UInt8(number)], [], bytes("tail")]) }
        #expect(try becomes { try sender.send([[6]]) })
        #expect(try next(late) == [[6]])
    }

    @Test func `a router with the mandatory option returns false for an unknown peer`() throws {
        let desk = try Socket(.router, in: context)
        try desk.bind(Meeting.tcp.endpoint)
        #expect(try desk.send([bytes("nobody"), bytes("hello")]) == false)
        #expect(try desk.send([bytes("nobody"), [], bytes("hello"), []]) == false)

        var options = SocketOptions()
        options.routingID = bytes("somebody")
        let peer = try Socket(.dealer, in: context, options: options)
        try peer.connect(desk.lastEndpoint)
        #expect(try becomes { try desk.send([bytes("somebody"), bytes("hello")]) })
        #expect(try next(peer) == [bytes("hello")])
    }

    @Test func `a router without the mandatory option drops messages to unknown peers`() throws {
        var options = SocketOptions()
        options.routerMandatory = false
        let desk = try Socket(.router, in: context, options: options)
        try desk.bind(Meeting.tcp.endpoint)
        #expect(try desk.send([bytes("nobody"), bytes("hello")]))
    }

    @Test func `a reconnecting peer takes over its routing id`() throws {
        var deskOptions = SocketOptions()
        deskOptions.routerHandover = true
        let desk = try Socket(.router, in: context, options: deskOptions)
        try desk.bind(Meeting.tcp.endpoint)
        var options = SocketOptions()
        options.routingID = bytes("barn")
        let old = try Socket(.dealer, in: context, options: options)
        try old.connect(desk.lastEndpoint)
        try old.send([bytes("old")])
        #expect(try next(desk) == [bytes("barn"), bytes("old")])
        let new = try Socket(.dealer, in: context, options: options)
        try new.connect(desk.lastEndpoint)
        try new.send([bytes("new")])
        #expect(try next(desk) == [bytes("barn"), bytes("new")])
        #expect(try desk.send([bytes("barn"), bytes("welcome")]))
        #expect(try next(new) == [bytes("welcome")])
    }

    @Test func `a subscriber receives only the subscribed messages`() throws {
        let bell = try Socket(.pub, in: context)
        try bell.bind(Meeting.inproc.endpoint)
        let ear = try Socket(.sub, in: context)
        try ear.connect(bell.lastEndpoint)
        try ear.subscribe(bytes("lot/"))
        #expect(
            try becomes {
                try bell.send([bytes("plot/1")])
                try bell.send([bytes("lot/1"), bytes("7")])
                return try ear.receive() == [bytes("lot/1"), bytes("7")]
            })
        try ear.unsubscribe(bytes("lot/"))
    }

    @Test func `a peer that sends too large a frame is disconnected, and the socket stays usable`() throws {
        var options = SocketOptions()
        options.maxMessageBytes = 1000
        let desk = try Socket(.router, in: context, options: options)
        try desk.bind(Meeting.tcp.endpoint)
        let peer = try Socket(.dealer, in: context)
        try peer.connect(desk.lastEndpoint)
        try peer.send([[UInt8](repeating: 1, count: 1001)])
        let other = try Socket(.dealer, in: context)
        try other.connect(desk.lastEndpoint)
        try other.send([[UInt8](repeating: 2, count: 1000)])
        #expect(try next(desk).last == [UInt8](repeating: 2, count: 1000))
        #expect(try becomes { try peer.send([bytes("sorry")]) })
        #expect(
            try becomes {
                try peer.send([bytes("sorry")])
                return try desk.receive()?.last == bytes("sorry")
            })
    }

    @Test func `a message of too many frames is reported, and the socket stays usable`() throws {
        let left = try Socket(.pair, in: context)
        try left.bind(Meeting.inproc.endpoint)
        let right = try Socket(.pair, in: context)
        try right.connect(left.lastEndpoint)
        try left.send([[UInt8]](repeating: [1], count: 4096))
        try left.send([[UInt8]](repeating: [1], count: 4097))
        try left.send([bytes("next")])
        #expect(try next(right).count == 4096)
        let error = #expect(throws: ZeroMQError.self) { try next(right) }
        #expect(error?.code == EMSGSIZE)
        #expect(try next(right) == [bytes("next")])
    }

    @Test func `a socket reports its port and unbinds it`() throws {
        let socket = try Socket(.router, in: context)
        #expect(socket.lastEndpoint == "")
        try socket.bind("tcp://127.0.0.1:*")
        let endpoint = socket.lastEndpoint
        #expect(endpoint.hasPrefix("tcp://127.0.0.1:"))
        #expect(UInt16(endpoint.split(separator: ":").last ?? "") != nil)
        let second = try Socket(.router, in: context)
        let error = #expect(throws: ZeroMQError.self) { try second.bind(endpoint) }
        #expect(error?.code == EADDRINUSE)
        #expect(error?.operation == "bind")
        try socket.unbind(endpoint)
        #expect(
            try becomes {
                do { try second.bind(endpoint) } catch { return false }
                return true
            })
    }

    @Test func `sockets connect over IPv6`() throws {
        let desk = try Socket(.router, in: context)
        do {
            try desk.bind("tcp://[::1]:*")
        } catch {
            print("SKIPPED IPv6: \(error.message)")
            return
        }
        let peer = try Socket(.dealer, in: context)
        try peer.connect(desk.lastEndpoint)
        try peer.send([bytes("six")])
        #expect(try next(desk).last == bytes("six"))
    }

    @Test(arguments: [
        "tcp://localhost:5", "tcp://farm.test:5", "tcp://127.0.0.1", "tcp://127.0.0.1;name:5", "tcp://:5",
    ])
    func `an endpoint with a host name is refused`(in endpoint: String) throws {
        let socket = try Socket(.dealer, in: context)
        let error = #expect(throws: ZeroMQError.self) { try socket.connect(endpoint) }
        #expect(error?.code == EINVAL)
    }

    @Test(arguments: [
        "", "nonsense", "udp-ish://x", "tcp://127.0.0.1:port", "ipc://\(String(repeating: "p", count: 200))",
    ])
    func `a malformed endpoint is refused`(like endpoint: String) throws {
        let socket = try Socket(.dealer, in: context)
        #expect(throws: ZeroMQError.self) { try socket.bind(endpoint) }
    }

    @Test func `a message without frames, a bad routing id and sending out of turn are refused`() throws {
        let dealer = try Socket(.dealer, in: context)
        #expect(throws: ZeroMQError.self) { try dealer.send([]) }
        var options = SocketOptions()
        options.routingID = []
        #expect(throws: ZeroMQError.self) { try Socket(.dealer, in: context, options: options) }
        let rep = try Socket(.rep, in: context)
        #expect(throws: ZeroMQError.self) { try rep.send([bytes("answer")]) }
        let sub = try Socket(.sub, in: context)
        #expect(throws: ZeroMQError.self) { try sub.send([bytes("news")]) }
    }

    @Test func `calls fail with isShutdown after the context has ended`() throws {
        let own = try Context()
        let socket = try Socket(.router, in: own)
        try socket.bind(Meeting.tcp.endpoint)
        own.shutdown()
        let error = #expect(throws: ZeroMQError.self) { try socket.receive() }
        #expect(error?.isShutdown == true)
        #expect(throws: ZeroMQError.self) { try socket.send([[], []]) }
        #expect(throws: ZeroMQError.self) { try Socket(.router, in: own) }
    }
}
