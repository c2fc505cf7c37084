import EventSourcing
import Events
import JSON
import TestKit
import Testing
import Vocabulary

@Suite("Queries of sensor-ingest")
struct QueryTests {
    @Test func `queries return the current devices, points, rules and alarms`() throws {
        let bench = try Bench()
        _ = try bench.ask(
            "bind-point",
            "{\"point\":\"p1\",\"title\":\"Top\",\"place\":\"store/cold\",\"device\":\"ble:cbb8334c884f\"}")
        _ = try bench.ask(
            "set-rule", "{\"rule\":\"warm\",\"place\":\"store/cold\",\"quantity\":\"temperature\",\"above\":20}")
        _ = try bench.ask(
            "ingest-adverts",
            "{\"adverts\":[{\"address\":\"cb:b8:33:4c:88:4f\",\"rssi\":-70,\"hex\":\"0201061bff99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f\"}]}"
        )
        let device = try #require(try items(bench, "devices").first)
        #expect(try device.get("device", as: String.self) == "ble:cbb8334c884f")
        #expect(try device.get("reports", as: Int.self) == 1)
        #expect(try device.get("rssi", as: Int.self) == -70)
        #expect(try device.get("point", as: String.self) == "p1")
        #expect(try device.get("last", as: Instant.self) == bench.now)
        let point = try #require(try items(bench, "points").first)
        #expect(try point.get("place", as: String.self) == "store/cold")
        let rule = try #require(try items(bench, "rules").first)
        #expect(try rule.get("hysteresis", as: Double.self) == 0.5)
        let alarm = try #require(try items(bench, "alarms").first)
        #expect(try alarm.get("rule", as: String.self) == "warm")
        #expect(try alarm.get("point", as: String.self) == "p1")
        #expect(try alarm.get("value", as: Double.self) == 24.3)
        #expect(alarm["cleared"] == nil)
    }

    @Test func `the battery that a device sends apart from its values is listed with them`() throws {
        let bench = try Bench()
        // BTHome: 88 % of the battery, then 4 °C and no battery.
        for hex in ["0616d2fc400158", "0716d2fc40029001"] {
            _ = try bench.ask("ingest-adverts", #"{"adverts":[{"address":"cb:b8:33:4c:88:4f","hex":"\#(hex)"}]}"#)
            bench.clock.advance(bySeconds: 60)
        }
        let device = try #require(try items(bench, "devices").first)
        #expect(try device.get("battery", as: Double.self) == 88)
        let quantities = try device["readings"]?.array?.map { try $0.get("quantity", as: String.self) }
        #expect(quantities == ["temperature"])
    }

    @Test func `a point can be bound to another device`() throws {
        let bench = try Bench()
        let bind = { (device: String) in
            "{\"point\":\"p1\",\"title\":\"Top\",\"place\":\"store/cold\"\(device.isEmpty ? "" : ",\"device\":\"\(device)\"")}"
        }
        _ = try bench.ask("bind-point", bind("ble:000000000001"))
        _ = try bench.ask("bind-point", bind("ble:000000000002"))
        let points = Dictionary(
            uniqueKeysWithValues: try items(bench, "devices").map {
                (try $0.get("device", as: String.self), try $0.find("point", as: String.self))
            })
        #expect(points == ["ble:000000000001": nil, "ble:000000000002": "p1"])
        _ = try bench.ask("bind-point", bind(""))
        #expect(try items(bench, "points").first?["device"] == nil)
    }

    @Test func `query results are paged`() throws {
        let bench = try Bench()
        for number in 0..<501 {
            let digits = String(number)
            let name = "p" + String(repeating: "0", count: 4 - digits.count) + digits
            _ = try bench.ask("bind-point", "{\"point\":\"\(name)\",\"title\":\"T\",\"place\":\"plot/a\"}")
        }
        let first = try bench.ask("points", "{}").json
        #expect(first["items"]?.array?.count == 500)
        let next = try first.get("next", as: String.self)
        #expect(next == "p0499")
        let second = try bench.ask("points", "{\"after\":\"\(next)\"}").json
        #expect(second["items"]?.array?.count == 1)
        #expect(second["next"] == nil)
    }

    private func items(_ bench: Bench, _ verb: String) throws -> [JSONValue] {
        let answer = try bench.ask(verb, "{}")
        #expect(answer.status == 200)
        return Array(try #require(answer.json["items"]?.array))
    }
}
