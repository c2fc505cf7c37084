import Crypto
import HTTP
import JSON
import Sharing
import Synchronization
import System
import TestKit
import Testing
import Vocabulary
import Wire

@testable import FarmClient

/// Content that comes from nodes and other clients in the network, while the farm is not reached.
@Suite("Sharing in a network without the farm")
struct SharingTests {
    private static let records =
        #"{"products":{"created":[{"id":"tomatoes","title":"Tomatoes","farm":"f1","unit":"box"}],"updated":[],"deleted":[]}}"#
    private static let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]

    /// A farm with a product, a picture and a story, and a client that has seen them and shares them.
    private struct Scene {
        let farm: SmallFarm
        let first: FarmClient
        let address: String
        let label: String
        let pictureName = Hex.encode(SHA256.hash(SharingTests.picture))
        let folder: String

        /// Another client, which knows the farm by its key.
        func client(_ name: String, _ neighbours: [String]) throws -> FarmClient {
            try FarmClient(
                server: farm.url, folder: "\(folder)/\(name)",
                sharing: SharingOptions(neighbours: neighbours, isDiscovering: false))
        }
    }

    private func withScene(_ body: (Scene) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let farm = try SmallFarm()
            defer { farm.close() }
            var log = farm.log
            for lot in ["A-0", "TOM-1", "A-2"] { try log.issue(lot) }
            let grown = log
            farm.set { state in
                state.log = grown
                state.pictures = [Hex.encode(SHA256.hash(Self.picture)): Self.picture]
            }
            farm.tells(Self.records, at: 5)
            let options = SharingOptions(isDiscovering: false, address: "127.0.0.1")
            let first = try FarmClient(server: farm.url, folder: "\(folder)/first", sharing: options)
            let label = try farm.log.label("TOM-1", serial: "BOX1")
            try await first.sync()
            _ = try await first.story(of: label)
            _ = try await first.picture(Hex.encode(SHA256.hash(Self.picture)))
            let (ports, started) = AsyncStream.makeStream(of: Int.self)
            let sharing = Task { try await first.share { started.yield($0) } }
            var port = ports.makeAsyncIterator()
            let address = "http://127.0.0.1:\(try #require(await port.next()))"
            do {
                try await body(Scene(farm: farm, first: first, address: address, label: label, folder: folder))
            } catch {
                sharing.cancel()
                throw error
            }
            sharing.cancel()
            _ = await sharing.result
        }
    }

    @Test func `without the farm a client has records, pictures and stories from another client`() async throws {
        try await withScene { scene in
            let second = try scene.client("second", [scene.address])
            // It has met the farm once, before there was anything.
            scene.farm.tells("{}", at: 1)
            try await second.sync()
            #expect(try second.records(.products).isEmpty)
            scene.farm.close()
            let synced = try await second.sync()
            #expect(synced.source == .client(scene.address) && synced.changed == 1)
            #expect(try second.newsCount() == 1, "a record of others waits for consent as one of the farm")
            try await second.applyNews()
            #expect(try second.record(.products, "tomatoes")?.text("title") == "Tomatoes")
            let story = try await second.story(of: scene.label)
            #expect(story.source == .client(scene.address) && story.product == "Tomatoes" && story.isLabelSigned)
            #expect(try await second.picture(scene.pictureName) == Self.picture)
            // From then on it has them itself.
            #expect(try await second.story(of: scene.label).source == .device)
            let neighbours = try second.neighbours()
            let targets = Set(neighbours.flatMap(\.entries).map(\.target))
            #expect(neighbours.count == 1 && !neighbours[0].isNode && neighbours[0].refused == 0)
            #expect(targets.isSuperset(of: ["/v1/sync", "/ledger/keys", "/media/\(scene.pictureName)"]))
            var opened = 0
            for target in targets {
                let content = try await second.content(target)
                #expect(!content.body.isEmpty)
                opened += 1
            }
            print("sharing: \(opened) of \(targets.count) entries of another client's index opened")
            #expect(opened == targets.count && opened >= 4)
        }
    }

    @Test func `a client that has never met the farm takes nothing but pictures, which prove themselves`() async throws
    {
        try await withScene { scene in
            scene.farm.close()
            let stranger = try scene.client("stranger", [scene.address])
            #expect(await code { try await stranger.sync() } == "unreachable")
            #expect(await code { _ = try await stranger.story(of: scene.label) } == "unreachable")
            #expect(try stranger.records(.products).isEmpty)
        }
    }

    @Test func `a node is asked before this device, and this device before another client`() async throws {
        try await withScene { scene in
            let node = try Forwarder(kind: .node, scene.farm)
            let third = try scene.client("third", [scene.address, node.address])
            try await third.sync()
            _ = try await third.story(of: scene.label)
            node.learn(scene.farm, ["/v1/sync", "/v1/lots/TOM-1/passport?gtin=\(SignedLog.gtin)"])
            scene.farm.close()
            #expect(try await third.story(of: scene.label).source == .node(node.address))
            node.close()
            #expect(try await third.story(of: scene.label).source == .device)
            // Another client is asked for what is not on this device.
            #expect(try await third.picture(scene.pictureName) == Self.picture)
        }
    }

    @Test func `of 10,000 false responses of a neighbour none is accepted, and it is avoided`() async throws {
        try await withScene { scene in
            let liar = try Forwarder(kind: .client, scene.farm)
            let honest = scene.farm.sign(
                .json(#"{"a":"story that is long enough to be changed anywhere"}"#), as: "/v1/site")
            let second = try scene.client("second", [liar.address])
            try await second.sync()
            scene.farm.close()
            var random = SplitMix64(seed: 11)
            var refused = 0
            for number in 0..<10_000 {
                var response = honest
                switch number % 4 {
                case 0:
                    response.body[Int.random(in: 0..<response.body.count, using: &random)] ^= 1
                case 1: response.body.removeLast(1 + number % 20)
                case 2:
                    response.headers["Signature"] =
                        "farm=:\(BaseEncoding.base64.encode((0..<64).map { _ in UInt8.random(in: 0...255, using: &random) })):"
                default: response.headers["Content-Type"] = "text/html; n=\(number)"
                }
                let shared = try #require(second.shared)
                if case .failure(let refusal) = shared.accept(response, shared.cacheKey("/v1/site")), refusal.isFalse {
                    refused += 1
                }
            }
            print("sharing: \(refused) of 10000 false responses refused")
            #expect(refused == 10_000)
            var changed = honest
            changed.body[0] ^= 1
            liar.says("/v1/site", changed)
            #expect(await code { _ = try await second.content("/v1/site") } == "missing")
            let seen = try #require(try second.neighbours().first)
            #expect(seen.refused == 1 && !seen.isUsable && seen.reason != nil)
        }
    }

    @Test func `a node that answers falsely for the farm is avoided, and the change stays`() async throws {
        try await withScene { scene in
            let node = try Forwarder(kind: .node, scene.farm)
            let second = try scene.client("second", [node.address])
            scene.farm.set { $0.person = "ann" }
            scene.farm.tells(Self.records, at: 6, scope: "ann", me: SmallFarm.me("ann"))
            try await second.signIn(email: "ann@buyers.test", password: "battery staple")
            try await second.sync()
            try second.order([OrderItem(offer: "o1", quantity: 2)], pickup: "barn")
            scene.farm.close()
            var random = SplitMix64(seed: 5)
            let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
            node.says(ObliviousHTTP.path, HTTPResponse(status: 200, type: ObliviousHTTP.responseType, body: noise))
            #expect(await code { try await second.sync() } == "unreachable")
            let pending = try second.pendingChanges()
            #expect(pending.count == 1 && pending[0].refusal == nil)
            let seen = try #require(try second.neighbours().first)
            #expect(seen.refused == 1 && !seen.isUsable)
            // What the node got is nothing that it could read.
            let sent = try #require(node.bodies.first)
            let text = String(decoding: sent, as: UTF8.self)
            #expect(!text.contains("token-of") && !text.contains("barn") && sent.count > 100)
        }
    }

    @Test func `records of others never replace newer ones, and change nothing of a person`() async throws {
        try await withScene { scene in
            let second = try scene.client("second", [scene.address])
            scene.farm.set { $0.person = "ann" }
            scene.farm.tells(
                #"{"products":{"created":[{"id":"leeks","title":"Leeks","farm":"f1","unit":"box"}],"updated":[],"deleted":[]}}"#,
                at: 9, scope: "ann", me: SmallFarm.me("ann"))
            try await second.signIn(email: "ann@buyers.test", password: "battery staple")
            try await second.sync()
            scene.farm.close()
            // The other client's records are of position 5.
            #expect(await code { try await second.sync() } == "unreachable")
            #expect(try second.records(.products).map(\.id) == ["leeks"])
            #expect(try second.me()?.person == "ann")
        }
    }

    @Test func `what a client serves names no person, and only what every visitor may read`() async throws {
        try await withScene { scene in
            scene.farm.set { $0.person = "ann" }
            scene.farm.tells(Self.records, at: 6, scope: "ann", me: SmallFarm.me("ann"))
            try await scene.first.signIn(email: "ann@buyers.test", password: "battery staple")
            try await scene.first.sync()
            let http = HTTPClient()
            let index = try http.send("GET", scene.address + PeerIndex.path)
            let targets = try PeerIndex(json: JSONValue.parse(index.body)).entries.map(\.target)
            var read = 0
            for target in targets + [PeerIndex.path] {
                let response = try http.send("GET", scene.address + target)
                let text = String(decoding: response.body, as: UTF8.self) + "\(response.headers.fields)"
                for secret in ["ann", "token-of", "battery", "buyers.test"] {
                    #expect(!text.contains(secret), "\(target) has \(secret)")
                }
                read += response.status == 200 ? 1 : 0
            }
            print("sharing: \(read) responses of a signed-in person's client name no person")
            #expect(read == targets.count + 1 && read >= 4)
            for target in ["/", "/farm.db", "/v1/me", "/v1/sync?last_pulled_at=1", "/../farm.db", "/v1/publisher-key"] {
                let status = try http.send("GET", scene.address + target).status
                #expect([404, 504].contains(status), "\(target): \(status)")
            }
            #expect(try http.send("POST", scene.address + "/v1/sync", body: [1]).status >= 400)
        }
    }
}

/// A node or client that answers with what a test says.
private final class Forwarder: Sendable {
    private let responses = Mutex<[String: HTTPResponse]>([:])
    private let received = Mutex<[[UInt8]]>([])
    private let server: HTTPServer

    var address: String { "http://127.0.0.1:\(server.port)" }
    /// The bodies of the requests that it has received.
    var bodies: [[UInt8]] { received.withLock { $0.filter { !$0.isEmpty } } }

    init(kind: PeerKind, _ farm: SmallFarm) throws {
        let key = ResponseSignature.identifier(of: farm.state.withLock { $0.publisherKey.publicKey })
        let box = Box()
        server = try HTTPServer(address: "127.0.0.1", port: 0) { exchange in
            let target = exchange.request.address
            box.forwarder.withLock { $0 }?.received.withLock { $0.append(exchange.request.body) }
            exchange.respond(box.forwarder.withLock { $0 }?.response(target) ?? HTTPResponse(status: 404))
        }
        box.forwarder.withLock { $0 = self }
        let index = SharedIndex(
            node: "forwarder", kind: kind, farms: [SharedIndex.Farm(key: key, port: server.port)], entries: [])
        says(PeerIndex.path, HTTPResponse(status: 200, type: "application/json", body: index.json))
    }

    private final class Box: Sendable { let forwarder = Mutex<Forwarder?>(nil) }

    func says(_ target: String, _ response: HTTPResponse) { responses.withLock { $0[target] = response } }

    /// Fetches responses from the farm as a node does.
    func learn(_ farm: SmallFarm, _ targets: [String]) {
        for target in targets {
            let response = Result { () throws(HTTPError) in
                try HTTPClient().send(
                    "GET", farm.url + target, headers: [("Accept-Signature", ResponseSignature.request)])
            }
            if case .success(let response) = response { says(target, response) }
        }
    }

    func close() { server.stop() }

    private func response(_ target: String) -> HTTPResponse? { responses.withLock { $0[target] } }
}
