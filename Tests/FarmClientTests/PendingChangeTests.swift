import Crypto
import HTTP
import JSON
import Testing
import Vocabulary

@testable import FarmClient

@Suite("Pending changes")
struct PendingChangeTests {
    private func signIn(_ farm: SmallFarm, _ client: FarmClient, _ person: String) async throws {
        farm.set { $0.person = person }
        farm.tells("{}", at: 1, scope: person, me: SmallFarm.me(person))
        try await client.signIn(email: "\(person)@buyers.test", password: "battery staple")
    }

    @discardableResult
    private func order(_ client: FarmClient) throws -> PendingChange {
        try client.order([OrderItem(offer: "o1", quantity: 2)], pickup: "barn")
    }

    private func sent(_ farm: SmallFarm) -> [HTTPRequest] {
        farm.requests.filter { $0.method == "POST" && $0.path == "/v1/sync" }
    }

    @Test func `a pending change is sent with one idempotency key until there is a clear response`() async throws {
        try await withClient { farm, client, _ in
            try await signIn(farm, client, "ann")
            let pendingChange = try order(client)
            let troubles = [HTTPResponse(status: 504), .json(#"{"results":[{"status":202}]}"#), .json("{}", 429)]
            for trouble in troubles {
                farm.set { state in
                    state.answers = { $0.method == "POST" ? trouble : nil }
                    // The server has applied it, but its response is lost.
                    state.done[pendingChange.id] = "order-1"
                }
                #expect(try await client.sync().sent == 0)
                #expect(try client.pendingChanges() == [pendingChange])
            }
            farm.set { $0.answers = nil }
            let synced = try await client.sync()
            #expect(try synced.sent == 1 && client.order(of: pendingChange) == "order-1")
            #expect(try client.pendingChanges().isEmpty && client.record(.orders, "order-1")?.text("state") == "placed")
            let names = sent(farm).map { $0.headers["Idempotency-Key"] }
            print("\(names.count) requests under \(Set(names).count) name")
            #expect(names.count == troubles.count + 1 && Set(names) == [pendingChange.id])
            let body = try JSONAny(json: JSONValue.parse(sent(farm)[0].body))
            #expect(body["person"] == .string("ann"))
            // The market knows an order by this key, however often it is sent.
            guard case .array(let created)? = body["changes"]?["orders"]?["created"] else { return }
            #expect(created.first?["id"] == .string(pendingChange.id) && created.count == 1)
        }
    }

    @Test func `a refused order stays with its reason and a refused favourite is removed`() async throws {
        try await withClient { farm, client, _ in
            try await signIn(farm, client, "ann")
            let pendingChange = try order(client)
            try client.like(.products, "p1")
            farm.set { state in
                state.answers = { request in
                    guard request.method == "POST" else { return nil }
                    return .json(#"{"results":[{"status":409,"answer":{"title":"sold-out","detail":"Sold out."}}]}"#)
                }
            }
            #expect(try await client.sync().sent == 0)
            #expect(try client.pendingChanges().map(\.refusal) == ["Sold out."])
            try await client.sync()
            #expect(sent(farm).count == 2)
            try client.takeBack(pendingChange)
            #expect(try client.pendingChanges().isEmpty)
        }
    }

    @Test(arguments: [#"{"results":[{"status":425,"answer":{"title":"not-here-yet"}}]}"#, nil])
    func `a pending order that is answered 425 is sent again under its key and is not refused`(
        inner: String?
    ) async throws {
        try await withClient { farm, client, _ in
            try await signIn(farm, client, "ann")
            try order(client)
            farm.set { state in
                state.answers = { request in
                    guard request.method == "POST" else { return nil }
                    return inner.map { .json($0) } ?? .json(#"{"title":"not-here-yet","detail":"Not yet."}"#, 425)
                }
            }
            #expect(try await client.sync().sent == 0)
            #expect(try client.pendingChanges().map(\.refusal) == [nil])
            farm.set { $0.answers = nil }
            #expect(try await client.sync().sent == 1)
            let keys = sent(farm).compactMap { $0.headers["Idempotency-Key"] }
            #expect(keys.count == 2 && Set(keys).count == 1)
        }
    }

    @Test func `changes without a clear response do not delay updates or other changes`() async throws {
        try await withClient { farm, client, _ in
            try await signIn(farm, client, "ann")
            for _ in 0..<5 { try order(client) }
            farm.tells(#"{"farms":{"created":[{"id":"f1","title":"F"}]}}"#, at: 2, me: SmallFarm.me("ann"))
            farm.set { state in state.answers = { $0.method == "POST" ? HTTPResponse(status: 503) : nil } }
            #expect(try await client.sync().changed == 1)
            #expect(sent(farm).count == ClientLimits.unclear)
            #expect(try client.pendingChanges().count == 5)
            // Nor does a proxy's page, and the changes after the unclear ones are sent before them.
            let page = HTTPResponse(status: 403, type: "text/html", body: Array("<html>No</html>".utf8))
            farm.set { state in state.answers = { $0.method == "POST" ? page : nil } }
            farm.tells(#"{"farms":{"created":[{"id":"f2","title":"G"}]}}"#, at: 3, me: SmallFarm.me("ann"))
            #expect(try await client.sync().changed == 1)
            let names = sent(farm).compactMap { $0.headers["Idempotency-Key"] }
            #expect(names.count == ClientLimits.unclear + 1 && Set(names).count == names.count)
        }
    }

    @Test func `a pending change is sent only in a session of the person who made it or signed in next`() async throws {
        try await withClient { farm, client, _ in
            try order(client)
            #expect(try await client.sync().needsSignIn)
            try await signIn(farm, client, "ann")
            #expect(try client.pendingChanges().map(\.person) == ["ann"])
            // Ann's session ends before it was sent; she stays known, and Ben signs in.
            farm.set { state in
                state.answers = { $0.method == "POST" && $0.path == "/v1/sync" ? .json("{}", 401) : nil }
            }
            farm.tells("{}", at: 1)
            #expect(try await client.sync().needsSignIn)
            #expect(try client.me()?.person == "ann")
            farm.set { $0.answers = nil }
            try await signIn(farm, client, "ben")
            #expect(try await client.sync().sent == 0)
            #expect(try client.pendingChanges().map(\.person) == ["ann"])
            try await client.signOut()
            try await signIn(farm, client, "ann")
            #expect(try await client.sync().sent == 1)
            let tokens = Set(sent(farm).compactMap { $0.headers["Authorization"] })
            #expect(tokens == ["Bearer token-of-ann"])
        }
    }

    @Test func `an update for one person is not applied after another one has signed in`() async throws {
        try await withClient { farm, client, _ in
            try await signIn(farm, client, "ann")
            try await client.sync()
            let orders = #"{"orders":{"created":[{"id":"o-ann","state":"placed","lines":[],"total":{"minor":1}}]}}"#
            farm.tells(orders, at: 2, scope: "ann", me: SmallFarm.me("ann"))
            farm.set { state in state.holds = { $0.method == "GET" } }
            let before = farm.requests.count
            async let late = client.sync()
            while farm.requests.count == before { await Task.yield() }
            try await signIn(farm, client, "ben")
            farm.release()
            _ = try await late
            #expect(try client.me()?.person == "ben" && client.records(.orders).isEmpty)
            // The update for Ann was not applied; it was requested again, for Ben.
            #expect(farm.requests.last?.headers["Authorization"] == "Bearer token-of-ben")
            // And none of his records are left for the next person.
            let his = orders.replacing("o-ann", with: "o-ben")
            farm.tells(his, at: 3, scope: "ben", me: SmallFarm.me("ben"))
            try await client.sync()
            #expect(try client.records(.orders).map(\.id) == ["o-ben"])
            try await signIn(farm, client, "ann")
            #expect(try client.records(.orders).isEmpty)
        }
    }

    @Test func `a change sent during a sign-out leaves no records on the device`() async throws {
        try await withClient { farm, client, _ in
            try await signIn(farm, client, "ann")
            try order(client)
            farm.tells("{}", at: 2)
            farm.set { state in state.holds = { $0.method == "POST" } }
            async let late = client.sync()
            while sent(farm).isEmpty { await Task.yield() }
            try await client.signOut()
            farm.release()
            #expect(try await late.sent == 1)
            #expect(try client.records(.orders).isEmpty && client.pendingChanges().isEmpty && client.me() == nil)
        }
    }

    @Test func `signing up again after a lost response gives the same account`() async throws {
        try await withClient { farm, client, _ in
            farm.set { state in
                state.person = "ann"
                state.answers = { $0.path == "/v1/buyers" ? HTTPResponse(status: 504) : nil }
            }
            let signUp = { () async throws in
                _ = try await client.signUp(name: "Ann", email: "ann@buyers.test", password: "battery staple")
            }
            #expect(await code(signUp) == "unreachable")
            farm.set { state in state.answers = { $0.path == "/v1/me/contact" ? HTTPResponse(status: 504) : nil } }
            #expect(await code(signUp) == "unreachable")
            farm.set { $0.answers = nil }
            try await signUp()
            try await signUp()
            let keys = farm.requests.filter { $0.path == "/v1/buyers" }.compactMap { $0.headers["Idempotency-Key"] }
            print("\(keys.count) calls, \(Set(keys).count) accounts")
            #expect(keys.count == 4 && Set(keys.prefix(3)).count == 1 && keys[3] != keys[0])
        }
    }

    @Test func `only the last change of a favourite is sent`() async throws {
        try await withClient { farm, client, _ in
            try await signIn(farm, client, "ann")
            for isLiked in [true, false, true, false] { try client.like(.farms, "f1", isLiked) }
            try client.like(.products, "f1")
            #expect(try client.pendingChanges().map(\.kind) == [.favouriteNoMore, .favourite])
            try await client.sync()
            let told = sent(farm).map { String(decoding: $0.body, as: UTF8.self) }
            #expect(told.count == 2 && told[0].contains(#""deleted":["farm.f1"]"#))
            #expect(told[1].contains(#""created":[{"id":"product.f1""#))
            #expect(await code { try client.like(.lots, "L1") } == "misuse")
        }
    }

    @Test func `the number of pending changes is limited, and the limit is an error`() async throws {
        try await withClient { _, client, _ in
            for _ in 0..<ClientLimits.pendingChanges { try order(client) }
            #expect(await code { try order(client) } == "misuse")
            #expect(try client.pendingChanges().count == ClientLimits.pendingChanges)
            #expect(await code { try client.order([], pickup: "barn") } == "misuse")
        }
    }
}

@Suite("Pictures")
struct PictureTests {
    @Test func `a picture is verified by its hash and fetched once`() async throws {
        try await withClient { farm, client, _ in
            let picture = Array("a picture".utf8)
            let name = Hex.encode(SHA256.hash(picture))
            farm.set { state in
                state.answers = { $0.path.hasPrefix("/media/") ? HTTPResponse(status: 200, body: [1]) : nil }
            }
            #expect(await code { _ = try await client.picture(name) } == "missing")
            farm.set { state in
                state.answers = { $0.path == "/media/\(name)" ? HTTPResponse(status: 200, body: picture) : nil }
            }
            farm.tells(
                #"{"farms":{"created":[{"id":"f1","title":"F","picture":"\#(name)"},{"id":"f2","title":"G","picture":"\#(String(repeating: "0", count: 64))"}]}}"#,
                at: 1, all: true)
            let synced = try await client.sync()
            #expect(synced.missingPictures == 1)
            farm.close()
            #expect(try await client.picture(name) == picture)
            #expect(farm.requests.filter { $0.path == "/media/\(name)" }.count == 2)
            #expect(await code { _ = try await client.picture("../etc/passwd") } == "misuse")
        }
    }

    @Test func `small copies are fetched before pictures`() async throws {
        try await withClient { farm, client, _ in
            let (large, small) = (Array("large".utf8), Array("small".utf8))
            let names = [large, small].map { Hex.encode(SHA256.hash($0)) }
            farm.set { state in
                state.answers = { request in
                    guard request.path.hasPrefix("/media/") else { return nil }
                    return HTTPResponse(status: 200, body: request.path.hasSuffix(names[0]) ? large : small)
                }
            }
            farm.tells(
                #"{"farms":{"created":[{"id":"f","title":"F","picture":"\#(names[0])","thumbnail":"\#(names[1])"}]}}"#,
                at: 1, all: true)
            let synced = try await client.sync()
            #expect(synced.missingPictures == 0)
            let order = farm.requests.map(\.path).filter { $0.hasPrefix("/media/") }
            #expect(order == [names[1], names[0]].map { "/media/\($0)" })
        }
    }

    @Test func `pictures in memory are limited in bytes, and those used last stay`() {
        var memory = PictureMemory(bytes: 100)
        for name in ["a", "b", "c", "d"] { memory.put([UInt8](repeating: 1, count: 25), as: name) }
        let first = memory.find("a")
        #expect(first?.count == 25)
        memory.put([UInt8](repeating: 2, count: 40), as: "e")
        let left = ["a", "b", "c", "d", "e"].filter { memory.find($0) != nil }
        #expect(left == ["a", "d", "e"])
        memory.put([UInt8](repeating: 3, count: 101), as: "f")
        let tooLarge = memory.find("f")
        #expect(tooLarge == nil)
    }
}
