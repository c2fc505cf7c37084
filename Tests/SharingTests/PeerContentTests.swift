import Crypto
import DBus
import HTTP
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Sharing

@Suite("Responses that other nodes pass on")
struct PeerContentTests {
    private static let story = CacheKey(farm: "https://farm.test", target: "/v1/lots/A/passport?label=1", isPage: false)
    private static let now: Int64 = 1_800_000_000_000_000
    private static let fields: [(name: String, value: String)] = [
        ("Content-Type", "application/json"), ("Furrow-Cache-Control", "max-age=5, stale-if-error=604800"),
        ("Content-Security-Policy", "default-src 'none'"), ("ETag", "\"a\""),
    ]
    private static let body = Array(
        #"{"hub":"farm","entry":"a story that is long enough to be changed anywhere"}"#.utf8)

    private let key = Ed25519Key.generate()

    private func signed(
        _ body: [UInt8] = body, for target: String = story.target, by key: Ed25519Key? = nil, at real: Int64 = now
    ) -> HTTPResponse {
        let signature = ResponseSignature.fields(
            of: ResponseSignature.Target(target), headers: Self.fields, body: body, key: key ?? self.key,
            created: real / 1_000_000)
        let headers = (Self.fields + signature).map { ($0.name, $0.value) }
        return HTTPResponse(status: 200, headers: HTTPHeaders(headers), body: body)
    }

    private func accept(_ response: HTTPResponse, _ key: CacheKey = story, at real: Int64 = now + 5_000_000)
        -> Result<StoredResponse, PeerContent.Refusal>
    {
        PeerContent.accept(response, for: key, farmKey: self.key.publicKey, at: real)
    }

    @Test func `a response with the farm's signature is taken, with its proven fields and the farm's time`() throws {
        var response = signed()
        response.headers["Age"] = "0"
        response.headers["X-Evil"] = "1"
        let stored = try accept(response).get()
        #expect(stored.body == Self.body && stored.receivedAt == Self.now && stored.age(at: Self.now + 5_000_000) == 5)
        #expect(stored.headers["Content-Security-Policy"] == "default-src 'none'" && stored.headers["X-Evil"] == nil)
        // What was taken can be passed on once more.
        let again = HTTPResponse(status: 200, headers: stored.headers, body: stored.body)
        #expect(try accept(again).get().receivedAt == Self.now)
    }

    @Test func `a picture is taken if its name is its hash, and is nothing but a picture to browsers`() throws {
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
        let name = CacheKey(
            farm: "https://farm.test", target: "/media/" + Hex.encode(SHA256.hash(picture)), isPage: false)
        let response = HTTPResponse(
            status: 200, headers: ["Content-Type": "text/html", "Content-Encoding": "gzip"], body: picture)
        let stored = try accept(response, name).get()
        #expect(stored.headers["Content-Type"] == "image/jpeg" && stored.headers["Content-Encoding"] == nil)
        let script = Array("<script>alert(1)</script>".utf8)
        let other = CacheKey(
            farm: "https://farm.test", target: "/media/" + Hex.encode(SHA256.hash(script)), isPage: false)
        #expect(throws: PeerContent.Refusal.self) { try accept(HTTPResponse(status: 200, body: script), other).get() }
    }

    @Test func `of 10,000 forged responses none is taken`() throws {
        var random = SplitMix64(seed: 7)
        let strangers = (0..<8).map { _ in Ed25519Key.generate() }
        let old = ResponseSignature.seconds * 1_000_000
        var refused = 0
        for number in 0..<10_000 {
            var response = signed()
            switch number % 8 {
            case 0:
                response.body[Int.random(in: 0..<response.body.count, using: &random)] ^= UInt8(
                    1 << Int.random(in: 0..<8, using: &random))
            case 1: response.body.removeLast(1 + Int.random(in: 0..<40, using: &random))
            case 2: response.body += [UInt8](repeating: 32, count: 1 + Int.random(in: 0..<4_000, using: &random))
            case 3: response = signed(by: strangers[Int.random(in: 0..<strangers.count, using: &random)])
            case 4: response = signed(for: "/v1/lots/B\(number)/passport?label=1")
            case 5: response = signed(at: Self.now - old - Int64(Int.random(in: 0..<1_000_000, using: &random)) * 1_000)
            case 6:
                let name = ["Signature", "Signature-Input", "Content-Digest"][Int.random(in: 0..<3, using: &random)]
                var value = Array((response.headers[name] ?? "").utf8)
                value[Int.random(in: 0..<value.count, using: &random)] ^= UInt8(
                    1 << Int.random(in: 0..<7, using: &random))
                response.headers[name] = String(decoding: value, as: UTF8.self)
            default:
                let field = Self.fields[Int.random(in: 0..<Self.fields.count, using: &random)]
                response.headers[field.name] = number.isMultiple(of: 3) ? nil : field.value + "x"
            }
            if case .failure(let refusal) = accept(response), refusal.isFalse { refused += 1 }
        }
        print("peers: \(refused) of 10000 forged responses refused")
        #expect(refused == 10_000)
    }

    @Test func `a node without the farm's key takes no record, and says so`() {
        let result = PeerContent.accept(signed(), for: Self.story, farmKey: nil, at: Self.now)
        guard case .failure(let refusal) = result else {
            Issue.record("it was taken")
            return
        }
        #expect(refusal == PeerContent.Refusal("the farm's key is not known here", isFalse: false))
    }

    @Test(arguments: [
        ("192.168.1.7", true), ("10.0.0.1", true), ("172.16.0.1", true), ("169.254.3.4", true), ("100.64.0.1", true),
        ("172.32.0.1", false), ("8.8.8.8", false), ("127.0.0.1", false), ("fe80::1", false), ("10.0.0", false),
        ("10.0.0.256", false), ("", false),
    ])
    func `only nodes of a private network are called`(address: String, isCalled: Bool) {
        let text = ["v=1", "id=other"].map { BusValue.bytes(Array($0.utf8)) }
        let values: [BusValue] = [
            .integer(2), .integer(0), .text("furrow-node-1"), .text("_furrow._tcp"), .text("local"), .text("a.local"),
            .integer(0), .text(address), .integer(8090), .list(text), .integer(0),
        ]
        #expect(Avahi.address(values, except: "this") == (isCalled ? "http://\(address):8090" : nil))
        #expect(Avahi.address(values, except: "other") == nil, "a node does not find itself")
    }

    @Test func `an announcement names what is requested most, in at most 200 bytes`() {
        let long = "/v1/lots/" + String(repeating: "x", count: 90) + "/passport"
        let announcement = Announcement(
            node: "0123456789abcdef", kind: .node, port: 8090,
            popular: ["/v1/sync", long, "/v1/lots/A/passport", long, "/v1/site", "/b"])
        let text = announcement.text.map { String(decoding: $0, as: UTF8.self) }
        #expect(
            text == [
                "v=1", "id=0123456789abcdef", "t1=/v1/sync", "t2=\(long)", "t3=/v1/lots/A/passport", "t5=/v1/site",
            ])
        #expect(announcement.text.reduce(0) { $0 + $1.count + 1 } <= SharingLimits.announcementBytes)
    }
}
