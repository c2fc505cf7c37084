import Crypto
import EventSourcing
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@testable import SyncGateway

@Suite("Radio gateways of other makes")
struct UplinkTests {
    /// The example of Ruuvi's documentation: two tags with their times of reception.
    private static let ruuvi = """
        {"data":{"coordinates":"","timestamp":"1653633988","nonce":"2636366621","gw_mac":"C8:25:2D:8E:9C:2C","tags":{
        "C6:A5:B9:E0:AD:06":{"rssi":-71,"timestamp":"1653633986","data":"0201061BFF99040513C85714C7CC"},
        "E3:75:CF:37:4E:23":{"rssi":-72,"timestamp":17,"data":"0201061BFF99040514565D7CC785"}}}}
        """
    private static let minew = """
        [{"timestamp":"2026-05-01T10:00:01Z","type":"Gateway","mac":"AC233FC00001","gatewayFree":96},
        {"timestamp":"2026-05-01T10:00:00Z","mac":"AC233F5BB8DC","bleName":"","rssi":-43,"rawData":"0201060303E1FF"}]
        """

    @Test func `the body of a Ruuvi Gateway gives an advertisement for each tag, with its time of reception`() throws {
        let adverts = try UplinkBody.read(Array(Self.ruuvi.utf8))
        #expect(
            adverts == [
                UplinkBody.Advert(
                    address: "C6:A5:B9:E0:AD:06", hex: "0201061BFF99040513C85714C7CC", rssi: -71,
                    at: Instant("2022-05-27T06:46:26Z")),
                // Seconds since the gateway was switched on: its clock is not set.
                UplinkBody.Advert(
                    address: "E3:75:CF:37:4E:23", hex: "0201061BFF99040514565D7CC785", rssi: -72, at: nil),
            ])
    }

    @Test func `the body of a Minew gateway gives its raw advertisements without the entry of the gateway`() throws {
        let adverts = try UplinkBody.read(Array(Self.minew.utf8))
        #expect(
            adverts == [
                UplinkBody.Advert(
                    address: "AC233F5BB8DC", hex: "0201060303E1FF", rssi: -43, at: Instant("2026-05-01T10:00:00Z"))
            ])
    }

    @Test func `the body of OpenMQTTGateway gives an advertisement of its raw data`() throws {
        let body = """
            [{"id":"A4:C1:38:00:00:01","rssi":-60,"servicedata":"4002ca09","servicedatauuid":"0xfcd2"},
            {"id":"C6:A5:B9:E0:AD:06","manufacturerdata":"990405","unixtime":1777629600}]
            """
        #expect(
            try UplinkBody.read(Array(body.utf8)) == [
                UplinkBody.Advert(address: "A4:C1:38:00:00:01", hex: "0716d2fc4002ca09", rssi: -60, at: nil),
                UplinkBody.Advert(
                    address: "C6:A5:B9:E0:AD:06", hex: "04ff990405", rssi: nil, at: Instant("2026-05-01T10:00:00Z")),
            ])
        let problem = try #require(throws: Problem.self) {
            try UplinkBody.read(Array(#"{"id":"A4:C1:38:00:00:01","tempc":21.5}"#.utf8))
        }
        #expect(problem.status == 400 && problem.detail.contains("pubadvdata"))
    }

    @Test func `the address that a Shelly requests gives a report of its values`() throws {
        let parameters = ["id": "shellyht-6d0a12", "temp": "21.3", "hum": "55", "state": "open"]
        let body = try UplinkQuery.values { parameters[$0] }
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"reports":[{"device":"shellyht-6d0a12","values":[{"quantity":"temperature","value":21.3},"#
                + #"{"quantity":"humidity","value":55.0},{"quantity":"contact","value":1.0}]}]}"#)
        let problem = try #require(throws: Problem.self) { try UplinkQuery.values { $0 == "id" ? "x" : nil } }
        #expect(problem.status == 422 && problem.detail.contains("temp"))
    }

    @Test func `the refusal of a Minew gateway's decoded values names the format to choose`() throws {
        let body = #"[{"type":"S1","mac":"AC233F5BB8DC","temperature":21.5}]"#
        let problem = try #require(throws: Problem.self) { try UplinkBody.read(Array(body.utf8)) }
        #expect(problem.status == 400 && problem.detail.contains("JSON-RAW") && problem.detail.contains("0/rawData"))
    }

    @Test(arguments: [
        ("{}", 422), (#"{"data":{}}"#, 422), ("7", 422), ("[7]", 400), ("{", 400), (#"{"data":{"tags":[]}}"#, 400),
        (#"{"data":{"tags":{"C6:A5:B9:E0:AD:06":{"rssi":-71}}}}"#, 400), (#"[{"rawData":"02"}]"#, 400),
        (#"[{"mac":"AC233F5BB8DC","rawData":"02","timestamp":"soon"}]"#, 400),
    ])
    func `a body of an unknown form gets 422, and a malformed member gets 400`(body: String, status: Int) throws {
        let problem = try #require(throws: Problem.self) { try UplinkBody.read(Array(body.utf8)) }
        #expect(problem.status == status, "\(problem)")
    }

    @Test func `a gateway's token is accepted as bearer token, as password, as user and in the address`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try admit(harness)
            let ways: [(String, String?)] = [
                ("/v1/uplink", "Bearer \(token)"), ("/v1/uplink", "Basic \(Self.base64("ruuvi:\(token)"))"),
                ("/v1/uplink", "Basic \(Self.base64("\(token):"))"), ("/v1/uplink/\(token)", nil),
            ]
            for (number, (address, authorization)) in ways.enumerated() {
                try harness.send(
                    "POST", address, Self.minew, key: "k\(number)",
                    headers: [("Content-Type", "text/plain")] + (authorization.map { [("Authorization", $0)] } ?? []))
                let ask = try #require(harness.asks.last)
                #expect(harness.asks.count == number + 1 && ask.verb == "ingest-adverts")
                #expect(ask.actor.description == "node/gateway:barn")
                #expect(try ask.json.get("source", as: String.self) == "gateway/barn")
            }
        }
    }

    @Test func `the same body has the same key, and another body has another`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try admit(harness)
            for body in [Self.ruuvi, Self.ruuvi, Self.minew] {
                try harness.send("POST", "/v1/uplink", body, as: token, key: nil)
            }
            let keys = harness.asks.map(\.key)
            #expect(keys.count == 3 && keys[0] == keys[1] && keys[0] != keys[2])
            #expect(keys[0] == "\(Hex.encode(SHA256.hash(Array(Self.ruuvi.utf8))))#0")
        }
    }

    @Test func `a malformed idempotency key of a gateway is refused`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try admit(harness)
            let response = try harness.call("POST", "/v1/uplink", Self.minew, as: token, key: "a b")
            #expect(response.status == 400)
            #expect(try response.problem == "idempotency-key")
            #expect(harness.asks.isEmpty)
        }
    }

    @Test func `a gateway's wrong, revoked or misplaced token is refused with 401 and a reason for its owner`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let administrator = try harness.administrator()
            let token = try admit(harness, by: administrator)
            #expect(try harness.call("DELETE", "/v1/gateways/barn", as: administrator, key: "d").status == 204)
            let ways: [(String, [(String, String)])] = [
                ("/v1/uplink", []), ("/v1/uplink", [("Authorization", "Bearer wrong")]),
                ("/v1/uplink", [("Authorization", "Basic !")]), ("/v1/uplink", [("Authorization", "Digest x")]),
                ("/v1/uplink", [("Authorization", "Basic \(Self.base64("no colon"))")]),
                ("/v1/uplink", [("Authorization", "Bearer demo")]),
                ("/v1/uplink", [("Cookie", "furrow_session=\(administrator)")]),
                ("/v1/uplink", [("Authorization", "Bearer \(token)")]), ("/v1/uplink/\(token)", []),
            ]
            for (address, headers) in ways {
                let response = try harness.call("POST", address, Self.minew, headers: headers)
                #expect(response.status == 401, "\(headers)")
                #expect(try response.problem == "gateway-unknown")
                #expect(response.text.contains("administrator") && !response.text.contains(token))
            }
            #expect(harness.asks.isEmpty)
        }
    }

    private func admit(_ harness: GatewayHarness, by administrator: String? = nil) throws -> String {
        let response = try harness.call(
            "POST", "/v1/gateways", #"{"gateway":"barn"}"#, as: administrator ?? harness.administrator(), key: "g")
        return try response.json.get("token")
    }

    private static func base64(_ text: String) -> String { BaseEncoding.base64.encode(Array(text.utf8)) }
}
