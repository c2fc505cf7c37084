import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("Radio gateways")
struct RadioGatewayTests {
    private let barn = "{\"gateway\":\"barn\",\"title\":\"In the barn\"}"
    private let batch =
        "{\"source\":\"gateway/shed\",\"adverts\":[{\"address\":\"c5:0d:fa:99:cb:9e\",\"hex\":\"0201\"}]}"

    private func admit(_ harness: GatewayHarness, by admin: String, key: String = "g") throws -> String {
        let response = try harness.call("POST", "/v1/gateways", barn, as: admin, key: key)
        #expect(response.status == 201)
        return try response.json.get("token")
    }

    @Test func `a radio gateway sends adverts with its own token, under its own name`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try admit(harness, by: harness.administrator())
            let id = try harness.send("POST", "/v1/adverts", batch, as: token, key: "b")
            let ask = try #require(harness.asks.first)
            #expect(ask.to == "sensor-ingest/farm-0" && ask.key == "b#0")
            #expect(ask.actor.description == "node/gateway:barn")
            #expect(try ask.json.get("source", as: String.self) == "gateway/barn")
            try harness.answer(ask, 200, "{\"known\":1}")
            #expect(try harness.response(id).status == 200)
        }
    }

    @Test func `the list of gateways has their last posts, and how far their clocks are ahead`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let token = try admit(harness, by: admin)
            func listed() throws -> JSONValue {
                let response = try harness.call("GET", "/v1/gateways", as: admin)
                return try #require(try response.json.get("items", as: [JSONValue].self).first)
            }
            #expect(try listed()["lastSeen"] == nil && listed()["seenSince"] != nil)
            // A clock that is 90 s ahead, then stored advertisements, which look late.
            for (number, seconds) in [90.0, -3000].enumerated() {
                let at = harness.now.advanced(bySeconds: seconds)
                let body = #"{"adverts":[{"address":"c5:0d:fa:99:cb:9e","hex":"0201","at":"\#(at)"}]}"#
                _ = try harness.send("POST", "/v1/adverts", body, as: token, key: "b\(number)")
                try harness.tick()
            }
            let gateway = try listed()
            #expect(try gateway.get("messages", as: Int.self) == 2)
            #expect(try abs(gateway.get("clockAhead", as: Double.self) - 90) < 1)
            #expect(try gateway.get("lastSeen", as: Instant.self) <= harness.now)
            // A grower who sends adverts is no gateway.
            _ = try harness.send("POST", "/v1/adverts", batch, as: admin, key: "c")
            #expect(try listed().get("messages", as: Int.self) == 2)
        }
    }

    @Test func `the list of gateways has what a radio hub said last, and a malformed state changes nothing`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let token = try admit(harness, by: admin)
            func listed() throws -> JSONValue? {
                let response = try harness.call("GET", "/v1/gateways", as: admin)
                return try #require(try response.json.get("items", as: [JSONValue].self).first)["hub"]
            }
            let state =
                #"{"connected":["54:6c:0e:00:00:01"],"waiting":7,"oldest":"2026-05-01T10:00:00Z","#
                + #""received":9,"removed":0,"refused":0}"#
            #expect(try harness.call("PUT", "/v1/hub", state, as: admin, key: "a").status == 401)
            #expect(try listed() == nil)
            #expect(try harness.call("PUT", "/v1/hub", state, as: token, key: "b").status == 204)
            let hub = try #require(try listed())
            #expect(try hub.get("connected", as: [String].self) == ["54:6c:0e:00:00:01"] && hub["trouble"] == nil)
            #expect(try hub.get("waiting", as: Int.self) == 7 && hub.get("at", as: Instant.self) <= harness.now)
            for wrong in [
                ("7", "-1"), (#"54:6c:0e:00:00:01"#, "the barn's"), (#""received":9,"#, ""),
            ] {
                let body = state.replacing(wrong.0, with: wrong.1)
                #expect(try harness.call("PUT", "/v1/hub", body, as: token, key: "c\(wrong)").status == 400)
            }
            #expect(try listed()?.get("waiting", as: Int.self) == 7)
        }
    }

    @Test func `a radio gateway's token is refused by every other protected route`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try admit(harness, by: harness.administrator())
            var refused = 0
            for route in Routes.all
            where !["ingest-adverts", "ingest-values", "take-photograph"].contains(route.name)
                && route.access != .everyone && route.access != .radioGateway
            {
                let response = try harness.call(
                    route.method.rawValue, DoorTests.address(of: route), DoorTests.body(of: route), as: token,
                    headers: DoorTests.headers(of: route))
                #expect(response.status == 403, "\(route.name)")
                refused += 1
            }
            print("gateway token: refused by \(refused) routes")
            #expect(refused > 30 && harness.asks.isEmpty)
            #expect(try harness.call("GET", "/openapi.json", as: token).status == 200)
        }
    }

    @Test func `a repeated request gets the same gateway token, which is invalid after dismissal`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let token = try admit(harness, by: admin)
            #expect(try admit(harness, by: admin) == token)
            try harness.restart()
            #expect(try admit(harness, by: admin) == token)
            #expect(try harness.call("POST", "/v1/gateways", barn, as: admin, key: "h").problem == "gateway-known")
            let list = try harness.call("GET", "/v1/gateways", as: admin)
            #expect(list.text.contains("In the barn") && !list.text.contains(token))

            #expect(try harness.call("DELETE", "/v1/gateways/barn", as: admin, key: "d").status == 204)
            #expect(try harness.call("DELETE", "/v1/gateways/barn", as: admin, key: "e").status == 204)
            #expect(try harness.call("DELETE", "/v1/gateways/shed", as: admin).problem == "unknown-gateway")
            #expect(try harness.call("POST", "/v1/adverts", batch, as: token).status == 401)
            #expect(try harness.call("POST", "/v1/gateways", barn, as: admin, key: "g").problem == "dismissed")
            let fresh = try admit(harness, by: admin, key: "i")
            #expect(fresh != token)
            try harness.send("POST", "/v1/adverts", batch, as: fresh)
            #expect(harness.asks.count == 1)
        }
    }

    @Test func `only administrators may admit a radio gateway, and only under a name that is safe in paths`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let grower = try harness.staff(.grower, email: "g@farm.test", by: admin).token
            #expect(try harness.call("POST", "/v1/gateways", barn, as: grower).status == 403)
            for body in ["{}", "{\"gateway\":\"a|b\"}", "{\"gateway\":\"\"}"] {
                #expect(try harness.call("POST", "/v1/gateways", body, as: admin).problem == "malformed", "\(body)")
            }
        }
    }
}
