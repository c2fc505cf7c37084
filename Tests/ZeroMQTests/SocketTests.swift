import Foundation
import Testing
import ZeroMQ

@Suite("A socket")
struct SocketTests {
    let context: Context

    init() throws { context = try Context() }

    @Test(arguments: Meeting.allCases)
    func `carries a question to a router and the answer back`(over meeting: Meeting) throws {
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
    func `keeps every frame of a message, empty and large ones too`(over meeting: Meeting) throws {
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

    @Test func `says false when the queue is full and keeps what it took`() throws {
        var options = SocketOptions()
        options.sendHighWater = 3
        options.linger = patience
        let endpoint = "ipc://@furrow-\(UUID().uuidString)"  // a name in memory, which leaves no file
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

    @Test func `says false to a peer that a router does not know`() throws {
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

    @Test func `swallows messages to unknown peers when told not to mind`() throws {
        var options = SocketOptions()
        options.routerMandatory = false
        let desk = try Socket(.router, in: context, options: options)
        try desk.bind(Meeting.tcp.endpoint)
        #expect(try desk.send([bytes("nobody"), bytes("hello")]))
    }

    @Test func `lets a peer that comes back take over its routing id`() throws {
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

    @Test func `hears only what it subscribed to`() throws {
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

    @Test func `disconnects the peer that sends too large a frame, and goes on`() throws {
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

    @Test func `reports a message of too many frames and stays usable`() throws {
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

    @Test func `tells its port, and lets go of it`() throws {
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

    @Test func `meets over IPv6`() throws {
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
    func `refuses to look up names`(in endpoint: String) throws {
        let socket = try Socket(.dealer, in: context)
        let error = #expect(throws: ZeroMQError.self) { try socket.connect(endpoint) }
        #expect(error?.code == EINVAL)
    }

    @Test(arguments: [
        "", "nonsense", "udp-ish://x", "tcp://127.0.0.1:port", "ipc://\(String(repeating: "p", count: 200))",
    ])
    func `refuses endpoints that mean nothing`(like endpoint: String) throws {
        let socket = try Socket(.dealer, in: context)
        #expect(throws: ZeroMQError.self) { try socket.bind(endpoint) }
    }

    @Test func `refuses a message of no frames, a bad routing id, and sending out of turn`() throws {
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

    @Test func `fails as shut down once its context ends`() throws {
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
