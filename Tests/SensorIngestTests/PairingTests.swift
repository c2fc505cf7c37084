import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Keys of sensors that encrypt")
struct PairingTests {
    /// The example of bthome.io: 25.06 °C and 50.55 %, encrypted under this key.
    private static let address = "54:48:e6:8f:80:a5"
    private static let device = DeviceID("ble:5448e68f80a5")
    private static let sealed = "1216d2fc41a47266c95f730011223378237214"
    private static let key = "231d39c1d7cc1ab1aee224cd096db932"

    private func hear(_ bench: Bench) throws {
        let body = #"{"adverts":[{"address":"\#(Self.address)","hex":"\#(Self.sealed)"}]}"#
        #expect(try bench.ask("ingest-adverts", body).status == 200)
    }

    /// Answers `hello` as the gateway does.
    private func answer(_ bench: Bench, _ digest: String, _ keys: [(DeviceID, String)]) throws {
        let list = keys.map { #"{"device":"\#($0.0)","key":"\#($0.1)"}"# }.joined(separator: ",")
        let body = Array(#"{"digest":"\#(digest)","keys":[\#(list)]}"#.utf8)
        try bench.take(.answered(token: Pairing.token, outcome: .answer(Response(status: 200, body: body))))
    }

    private func values(_ bench: Bench) throws -> [Double] { try bench.measured().flatMap(\.readings).map(\.value) }

    @Test func `a key decodes later messages, and those that were stored before it was entered`() throws {
        let bench = try Bench()
        try hear(bench)
        #expect(try values(bench).isEmpty)
        #expect(try bench.kept().map(\.reason) == ["encrypted"])
        try answer(bench, "d1", [(Self.device, Self.key)])
        try bench.wait(seconds: 0.3)
        #expect(try values(bench) == [25.06, 50.55], "the stored one")
        bench.clock.advance(bySeconds: 60)
        try bench.wait(seconds: 0.3)
        #expect(try values(bench).count == 2, "decoded once")
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
        let text = try bench.journal().map { "\($0)" }.joined()
        #expect(!text.contains(Self.key), "the key is in no event")
    }

    @Test func `a wrong key decodes nothing and says so, and another key replaces it`() throws {
        let bench = try Bench()
        try answer(bench, "d1", [(Self.device, String(repeating: "0", count: 32))])
        try hear(bench)
        #expect(try values(bench).isEmpty)
        let unread = try bench.ask("unread-devices", "{}").json.get("items", as: [JSONValue].self)
        #expect(try unread.map { try $0.get("detail", as: String.self) }.first?.contains("another bindkey") == true)
        try answer(bench, "d2", [(Self.device, Self.key)])
        try bench.wait(seconds: 0.3)
        #expect(try values(bench) == [25.06, 50.55])
    }

    @Test func `a removed key decodes nothing any more`() throws {
        let bench = try Bench()
        try answer(bench, "d1", [(Self.device, Self.key)])
        try answer(bench, "", [])
        try hear(bench)
        #expect(try values(bench).isEmpty)
    }

    @Test func `a batch right after the start waits for the keys, and for two seconds at most`() throws {
        for isAnswered in [true, false] {
            let bench = try Bench(awaitsKeys: true)
            try bench.wait(seconds: 0.1)
            let body = #"{"adverts":[{"address":"\#(Self.address)","hex":"\#(Self.sealed)"}]}"#
            let ask = Request(
                id: 77, verb: "ingest-adverts", body: Array(body.utf8), actor: .person(PersonID("p")), key: "k",
                entropy: Array(repeating: 1, count: 16))
            #expect(try bench.take(.asked(ask)).isEmpty)
            if isAnswered { try answer(bench, "d1", [(Self.device, Self.key)]) } else { try bench.wait(seconds: 2.2) }
            #expect(try values(bench) == (isAnswered ? [25.06, 50.55] : []))
            #expect(try bench.kept().count == (isAnswered ? 0 : 1))
            // Later ones do not wait.
            try hear(bench)
        }
    }

    @Test func `responses without keys, and those that cannot be read, change nothing`() {
        var pairing = Pairing()
        let body = #"{"digest":"d","keys":[{"device":"\#(Self.device)","key":"\#(Self.key)"}]}"#
        func takes(_ text: String, status: Int = 200) -> Bool {
            pairing.answered(.answer(Response(status: status, body: Array(text.utf8))))
        }
        #expect(takes(body))
        #expect(!takes(body), "the same digest")
        for text in ["{}", #"{"digest":"e"}"#, #"{"digest":"e","keys":[{"device":"x","key":"zz"}]}"#, "["] {
            #expect(!takes(text), "\(text)")
        }
        #expect(!takes(body, status: 409))
        #expect(pairing.keys.count == 1 && pairing.digest == "d")
    }
}
