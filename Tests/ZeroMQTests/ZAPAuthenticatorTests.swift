import Foundation
import Testing

@testable import ZeroMQ

/// CURVE alone proves only that a client holds some key, not that the key is allowed.
///
/// The mutant below shows why a server needs the ZAP authenticator.
@Suite("ZAP authenticators")
struct ZAPAuthenticatorTests {
    let context: Context
    let serverKeys = Curve.keyPair()
    let knownKeys = Curve.keyPair()
    let strangerKeys = Curve.keyPair()

    init() throws { context = try Context() }

    @Test(arguments: [Meeting.tcp, .ipc])
    func `listed keys are admitted with their user id and all others are refused`(over meeting: Meeting) throws {
        let authenticator = try ZAPAuthenticator(in: context, allow: [knownKeys.public: "node/barn"])
        let desk = try server(at: meeting)
        let stranger = try client(of: desk, strangerKeys)
        try stranger.send([bytes("let me in")])
        #expect(try becomes { authenticator.counts.refused >= 1 })

        let known = try client(of: desk, knownKeys)
        try known.send([bytes("hello"), bytes("again")])
        let message = try #require(try nextWithUser(desk))
        #expect(message.user == "node/barn")
        #expect(message.frames.dropFirst() == [bytes("hello"), bytes("again")])
        #expect(try desk.send([message.frames[0], bytes("welcome")]))
        #expect(try next(known) == [bytes("welcome")])
        #expect(try desk.receive() == nil)
        #expect(authenticator.counts.admitted == 1)
    }

    @Test func `a server with CURVE refuses an unencrypted client`() throws {
        let authenticator = try ZAPAuthenticator(in: context, allow: [knownKeys.public: "node/barn"])
        let desk = try server(at: .tcp)
        var options = SocketOptions()
        options.immediate = true
        let plain = try Socket(.dealer, in: context, options: options)
        try plain.connect(desk.lastEndpoint)
        #expect(try becomes(within: 700) { try plain.send([bytes("hello")]) } == false)
        #expect(try desk.receive() == nil)
        #expect(authenticator.counts.admitted == 0)

        // Without CURVE the same socket is accepted at once, so the refusal was due to the missing key.
        let open = try Socket(.router, in: context)
        try open.bind(Meeting.tcp.endpoint)
        try plain.disconnect(desk.lastEndpoint)
        try plain.connect(open.lastEndpoint)
        #expect(try becomes { try plain.send([bytes("hello")]) })
        let message = try #require(try nextWithUser(open))
        #expect(message.user == nil)
    }

    @Test func `a client refuses a server with another key`() throws {
        let authenticator = try ZAPAuthenticator(in: context, allow: [knownKeys.public: "node/barn"])
        let desk = try server(at: .tcp)
        let client = try client(of: desk, knownKeys, believing: strangerKeys.public, immediate: true)
        #expect(try becomes(within: 700) { try client.send([bytes("hello")]) } == false)
        #expect(authenticator.counts.admitted == 0)
    }

    @Test func `a new allow-list applies to new connections`() throws {
        let authenticator = try ZAPAuthenticator(in: context, allow: [:])
        let desk = try server(at: .tcp)
        let first = try client(of: desk, knownKeys)
        try first.send([bytes("too early")])
        #expect(try becomes { authenticator.counts.refused >= 1 })
        #expect(authenticator.replace(allow: [knownKeys.public: "node/a", "no key": "x"]) == ["no key"])
        let second = try client(of: desk, knownKeys)
        try second.send([bytes("now")])
        #expect(try nextWithUser(desk)?.user == "node/a")
        authenticator.replace(allow: [:])
        let refused = authenticator.counts.refused
        let third = try client(of: desk, knownKeys)
        try third.send([bytes("too late")])
        #expect(try becomes { authenticator.counts.refused > refused })
    }

    @Test func `a client that connects too early retries and is admitted once it is listed`() throws {
        let authenticator = try ZAPAuthenticator(in: context, allow: [:])
        let desk = try server(at: .tcp)
        let early = try client(of: desk, knownKeys)
        try early.send([bytes("too early")])
        #expect(try becomes { authenticator.counts.refused >= 2 })
        #expect(try desk.receive() == nil)
        authenticator.replace(allow: [knownKeys.public: "node/barn"])
        let message = try #require(try nextWithUser(desk))
        #expect(message.frames.last == bytes("too early"))
        #expect(message.user == "node/barn")
    }

    @Test func `after the authenticator has ended, no client is admitted`() throws {
        var authenticator: ZAPAuthenticator? = try ZAPAuthenticator(in: context, allow: [knownKeys.public: "node/barn"])
        let desk = try server(at: .tcp)
        #expect(authenticator?.counts.refused == 0)
        authenticator = nil
        let known = try client(of: desk, knownKeys, immediate: true)
        #expect(try becomes(within: 700) { try known.send([bytes("hello")]) } == false)
        #expect(try desk.receive() == nil)
    }

    @Test func `a server without ZAP enforcement admits any key when there is no authenticator`() throws {
        let desk = try server(at: .tcp, needsAuthenticator: false)
        let stranger = try client(of: desk, strangerKeys)
        try stranger.send([bytes("let me in")])
        let message = try #require(try nextWithUser(desk))
        #expect(message.frames.last == bytes("let me in"))
        #expect(message.user == nil)
    }

    @Test func `a context has one authenticator, which accepts valid keys only`() throws {
        let authenticator = try ZAPAuthenticator(in: context, allow: [:])
        let second = #expect(throws: ZeroMQError.self) { try ZAPAuthenticator(in: context, allow: [:]) }
        #expect(second?.code == EADDRINUSE)
        #expect(throws: ZeroMQError.self) { try ZAPAuthenticator(in: Context(), allow: ["short": "x"]) }
        #expect(authenticator.counts.admitted == 0)
    }

    @Test func `an authenticator ends with its context`() throws {
        let own = try Context()
        let authenticator = try ZAPAuthenticator(in: own, allow: [:])
        own.shutdown()
        #expect(authenticator.counts.refused == 0)
    }

    @Test(arguments: [
        [], ["1.0"], ["1.0", "7"], ["2.0", "7", "furrow", "::1", "", "CURVE", "x"],
        ["1.0", "7", "furrow", "::1", "", "CURVE", "short"], ["1.0", "7", "furrow", "::1", "", "NULL"],
        ["1.0", "7", "furrow", "::1", "", "PLAIN", "user", "word"],
    ])
    func `a malformed authentication request is refused`(like request: [String]) throws {
        var ends = Pipe()
        let booth = try ZAPHandler(in: Context(), allow: [:], leash: ends.fileHandleForReading.fileDescriptor)
        let answer = booth.reply(to: request.map { Array($0.utf8) })
        #expect(answer.count == 6)
        #expect(answer[1] == Array((request.count > 1 ? request[1] : "").utf8))
        #expect(answer[2] == bytes("400"))
        ends = Pipe()
    }

    @Test func `generated keys match each other and are not printed`() throws {
        #expect(try Curve.publicKey(of: serverKeys.secret) == serverKeys.public)
        // The library's own tests cover RFC 32's example of Z85 and RFC 26's test keys; here, malformed keys are
        // refused.
        for text in ["", "short", String(repeating: "\u{e9}", count: 20), String(repeating: "\"", count: 40)] {
            #expect(throws: ZeroMQError.self) { try Curve.publicKey(of: text) }
            #expect(Curve.isKey(text) == false)
            var options = SocketOptions()
            options.curve = .server(secretKey: text)
            #expect(throws: ZeroMQError.self) { try Socket(.router, in: context, options: options) }
        }
        var options = SocketOptions()
        options.curve = .client(
            serverKey: serverKeys.public, publicKey: knownKeys.public, secretKey: knownKeys.secret)
        var dumped = ""
        dump(options, to: &dumped)
        for text in ["\(options)", String(reflecting: options), dumped] {
            #expect(!text.contains(knownKeys.secret))
            #expect(text.contains("client"))
        }
    }

    private func server(at meeting: Meeting, needsAuthenticator: Bool = true) throws -> Socket {
        var options = SocketOptions()
        options.curve = .server(secretKey: serverKeys.secret)
        options.needsAuthenticator = needsAuthenticator
        let socket = try Socket(.router, in: context, options: options)
        try socket.bind(meeting.endpoint)
        return socket
    }

    private func client(
        of server: Socket, _ keys: (public: String, secret: String), believing serverKey: String? = nil,
        immediate: Bool = false
    ) throws -> Socket {
        var options = SocketOptions()
        options.immediate = immediate
        options.curve = .client(
            serverKey: serverKey ?? serverKeys.public, publicKey: keys.public, secretKey: keys.secret)
        let socket = try Socket(.dealer, in: context, options: options)
        try socket.connect(server.lastEndpoint)
        return socket
    }
}
