import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing

@testable import SyncGateway

@Suite("Batches of adverts")
struct BatchTests {
    private func batch(_ devices: Int) -> String {
        let adverts = (0..<devices).map { number in
            let digits = String(number + 0x1000, radix: 16)
            return "{\"address\":\"c5:0d:fa:99:\(digits.prefix(2)):\(digits.suffix(2))\",\"hex\":\"0201\",\"rssi\":-70}"
        }
        return "{\"adverts\":[\(adverts.joined(separator: ","))]}"
    }

    private func hello(_ slot: Int, _ harness: GatewayHarness) throws {
        let answer = try harness.ask(
            "hello", "{\"origin\":\"sensor-ingest/farm-\(slot)\",\"slot\":\(slot)}", by: .service("sensor-ingest"))
        #expect(answer.status == 200)
    }

    private func devices(_ ask: OutgoingRequest) throws -> Set<String> {
        let adverts: [JSONValue] = try ask.json.get("adverts")
        return Set(try adverts.map { try $0.get("address") })
    }

    @Test func `after a restart, the slots of the newest batch count as live until they miss their hello`() {
        var slots = Slots(known: [0, 2])
        #expect(slots.live(at: 0) == [0, 2] && slots.live(at: GatewayLimits.slotTicks) == [0, 2])
        slots.hello(from: 2, at: 30)
        #expect(slots.live(at: GatewayLimits.slotTicks + 1) == [2])
        // Mutant: without the known slots, devices of slot 0 would go to slot 2, which has not seen their reports.
        var mutant = Slots(known: [])
        #expect(mutant.live(at: 0) == [0])
        mutant.hello(from: 2, at: 1)
        #expect(mutant.live(at: 1) == [2])
    }

    @Test func `a restarted gateway resumes with the slots of the newest batch`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            for slot in [1, 3] { try hello(slot, harness) }
            _ = try harness.send("POST", "/v1/adverts", batch(50), as: "demo", key: "b")
            try harness.restart()
            #expect(harness.core.service.batchMemory.latest == [1, 3])
            #expect(harness.core.service.slots.live(at: 0) == [1, 3])
        }
    }

    @Test func `a batch goes to slot 0 while no slot has sent a hello`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let id = try harness.send("POST", "/v1/adverts", batch(50), as: "demo", key: "b")
            #expect(harness.asks.count == 1)
            #expect(harness.asks[0].to == "sensor-ingest/farm-0" && harness.asks[0].key == "b#0")
            try harness.answer(harness.asks[0], 200, "{\"accepted\":[],\"known\":50}")
            #expect(try harness.response(id).text == "{\"accepted\":[],\"known\":50}")
        }
    }

    @Test func `a batch is divided by device among the live slots, and gets one merged response`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            for slot in 0..<3 { try hello(slot, harness) }
            let id = try harness.send("POST", "/v1/adverts", batch(200), as: "demo", key: "b")
            #expect(harness.asks.map(\.to) == (0..<3).map { "sensor-ingest/farm-\($0)" })
            #expect(harness.asks.map(\.key) == ["b#0", "b#1", "b#2"])
            let parts = try harness.asks.map(devices)
            #expect(parts.map(\.count).reduce(0, +) == 200)
            #expect(parts.allSatisfy { $0.count > 30 })
            #expect(parts[0].isDisjoint(with: parts[1]) && parts[1].isDisjoint(with: parts[2]))
            for (number, ask) in harness.asks.enumerated() {
                #expect(harness.responses[id] == nil)
                try harness.answer(
                    ask, 200, "{\"accepted\":[{\"id\":\"\(number)\",\"device\":\"d\"}],\"known\":\(number),\"raw\":1}")
            }
            let answer = try harness.response(id).json
            #expect(answer["accepted"]?.array?.count == 3)
            #expect(try answer.get("known", as: Int.self) == 3)
            #expect(try answer.get("raw", as: Int.self) == 3)
        }
    }

    @Test func `a repeated batch goes to the same slots, even after a restart and with other live slots`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            for slot in 0..<2 { try hello(slot, harness) }
            let id = try harness.send("POST", "/v1/adverts", batch(40), as: admin, key: "b")
            let first = harness.asks
            harness.asks = []
            try harness.answer(first[0], 200, "{\"known\":1}")
            try harness.leave(first[1])
            #expect(try harness.response(id).problem == "batch-unfinished")
            #expect(try harness.response(id).headers["Retry-After"] == "1")

            try harness.restart()
            for slot in 0..<5 { try hello(slot, harness) }
            let again = try harness.send("POST", "/v1/adverts", batch(40), as: admin, key: "b")
            #expect(harness.asks.map(\.text) == first.map(\.text))
            #expect(harness.asks.map(\.key) == first.map(\.key))
            for ask in harness.asks { try harness.answer(ask, 200, "{\"known\":1}") }
            #expect(try harness.response(again).text == "{\"known\":2}")

            harness.asks = []
            try harness.send("POST", "/v1/adverts", batch(400), as: admin, key: "c")
            #expect(harness.asks.count == 5)
        }
    }

    @Test func `slot 0 takes over a repeated batch of a slot that is gone`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            for slot in 0..<2 { try hello(slot, harness) }
            let id = try harness.send("POST", "/v1/adverts", batch(40), as: "demo", key: "b")
            let first = harness.asks
            harness.asks = []
            for ask in first { try harness.leave(ask) }
            #expect(try harness.response(id).problem == "batch-unfinished")

            // The slot may be restarting, so its requests still go to it …
            for _ in 0..<19 {
                try harness.tick(10)
                try hello(0, harness)
            }
            try harness.send("POST", "/v1/adverts", batch(40), as: "demo", key: "b")
            #expect(harness.asks.map(\.to) == first.map(\.to))
            for ask in harness.asks { try harness.leave(ask) }
            harness.asks = []

            // … until `goneTicks` have passed.
            try harness.tick(11)
            try hello(0, harness)
            let again = try harness.send("POST", "/v1/adverts", batch(40), as: "demo", key: "b")
            #expect(harness.asks.map(\.to) == ["sensor-ingest/farm-0", "sensor-ingest/farm-0"])
            #expect(harness.asks.map(\.key) == first.map(\.key))
            #expect(harness.asks.map(\.text) == first.map(\.text))
            for ask in harness.asks { try harness.answer(ask, 200, "{\"known\":1}") }
            #expect(try harness.response(again).text == "{\"known\":2}")
        }
    }

    @Test func `a new batch is not sent to slots that have gone silent`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            for slot in 0..<2 { try hello(slot, harness) }
            try harness.tick(30)
            try hello(1, harness)
            try harness.tick(10)
            try harness.send("POST", "/v1/adverts", batch(40), as: "demo", key: "b")
            #expect(harness.asks.map(\.to) == ["sensor-ingest/farm-1"])
            for body in [
                "{\"origin\":\"sensor-ingest/else-0\",\"slot\":0}",
                "{\"origin\":\"sensor-ingest/farm-99\",\"slot\":99}",
                "{\"origin\":\"sensor-ingest/farm-0\",\"slot\":1}", "{}",
            ] {
                #expect(try harness.ask("hello", body, by: .service("sensor-ingest")).status >= 400)
            }
            #expect(
                try harness.ask("hello", "{\"origin\":\"sensor-ingest/farm-0\",\"slot\":0}", by: .service("x")).status
                    == 409)
        }
    }

    @Test func `a batch is accepted as a whole or not at all`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let good = "{\"address\":\"c5:0d:fa:99:cb:9e\",\"hex\":\"0201\"}"
            for bad in [
                "{\"address\":\"c5:0d\",\"hex\":\"02\"}", "{\"address\":\"c5:0d:fa:99:cb:9e\",\"hex\":\"020\"}",
                "{\"address\":\"c5:0d:fa:99:cb:9e\"}", "7",
                "{\"address\":\"c5:0d:fa:99:cb:9e\",\"hex\":\"\",\"at\":\"x\"}",
            ] {
                let response = try harness.call("POST", "/v1/adverts", "{\"adverts\":[\(good),\(bad)]}", as: "demo")
                #expect(response.status == 400, "\(bad)")
            }
            #expect(try harness.call("POST", "/v1/adverts", "{}", as: "demo").status == 400)
            #expect(try harness.call("POST", "/v1/adverts", batch(2001), as: "demo").status == 413)
            #expect(harness.asks.isEmpty)
            let id = try harness.send("POST", "/v1/adverts", batch(3), as: "demo", key: "r")
            try harness.answer(harness.asks[0], 400, "{\"status\":400,\"title\":\"malformed\"}")
            #expect(try harness.response(id).problem == "malformed")
        }
    }

    @Test func `a capture file goes to slot 0 in base64`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            for slot in 0..<3 { try hello(slot, harness) }
            let octets = [("Content-Type", "application/octet-stream")]
            let id = try harness.send("POST", "/v1/captures", "abc", as: "demo", key: "c", headers: octets)
            #expect(harness.asks.map(\.to) == ["sensor-ingest/farm-0"])
            #expect(harness.asks[0].text == "{\"capture\":\"YWJj\"}" && harness.asks[0].key == "c")
            try harness.leave(harness.asks[0])
            #expect(try harness.response(id).status == 503)
            let large = String(repeating: "x", count: GatewayLimits.bodyBytes + 1)
            #expect(try harness.call("POST", "/v1/captures", large, as: "demo", headers: octets).status == 413)
        }
    }

    @Test func `the gateway stores the slots of the last thousand batches`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            var memory = harness.core.service.batchMemory
            for number in 0..<1_100 {
                _ = try memory.slots(of: .service("x"), "\(number)", live: [number % 7])
            }
            var found = 0
            for number in 0..<1_100 where number >= 100 {
                let slots = try memory.slots(of: .service("x"), "\(number)", live: [63])
                if slots == [number % 7] { found += 1 }
            }
            #expect(found == 1000)
        }
    }
}
