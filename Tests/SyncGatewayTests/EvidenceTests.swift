import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing

@testable import SyncGateway

@Suite("Public evidence")
struct EvidenceTests {
    @Test func `a passport is refreshed first, and its proof requested until it is signed`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let id = try harness.send("GET", "/v1/lots/L1/passport?since=7&gtin=1")
            #expect(harness.asks.count == 1)
            let refresh = harness.asks.removeFirst()
            #expect(
                refresh.verb == "refresh-passport" && refresh.key == nil
                    && refresh.text == "{\"lot\":\"L1\",\"stranger\":true}")
            #expect(refresh.actor == .service("sync-gateway"))
            try harness.answer(refresh, 201, "{}")
            let early = harness.asks.removeFirst()
            #expect(early.verb == "passport-proof" && early.text == "{\"lot\":\"L1\",\"since\":\"7\"}")
            try harness.answer(early, 503, "{\"status\":503,\"title\":\"not-yet\"}")
            #expect(harness.responses[id] == nil && harness.asks.isEmpty)
            try harness.tick(3)
            try harness.answer(harness.asks.removeFirst(), 200, "{\"hub\":\"h\"}")
            #expect(try harness.response(id).text == "{\"hub\":\"h\"}")
        }
    }

    @Test func `a request for a passport whose proof is never signed ends with the ledger's problem`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let id = try harness.send("GET", "/v1/lots/L1/passport")
            try harness.answer(harness.asks.removeFirst(), 200, "{}")
            for _ in 0..<100 {
                for ask in harness.asks { try harness.answer(ask, 503, "{\"status\":503,\"title\":\"not-yet\"}") }
                harness.asks = []
                try harness.tick()
            }
            #expect(try harness.response(id).problem == "not-yet")
            let away = try harness.send("GET", "/v1/lots/L1/passport")
            try harness.leave(harness.asks.removeFirst())
            #expect(try harness.response(away).problem == "ledger-away")
            let unknown = try harness.send("GET", "/v1/lots/L9/passport")
            try harness.answer(harness.asks.removeFirst(), 404, "{\"status\":404,\"title\":\"unknown-lot\"}")
            #expect(try harness.response(unknown).problem == "unknown-lot")
        }
    }

    @Test func `checkpoints are served as text and tiles as bytes`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let note = try harness.send("GET", "/ledger/checkpoint")
            try harness.answer(harness.asks.removeFirst(), 200, "{\"checkpoint\":\"furrow\\n1\\n\"}")
            #expect(try harness.response(note).text == "furrow\n1\n")
            #expect(try harness.response(note).headers["Content-Type"]?.hasPrefix("text/plain") == true)
            let tile = try harness.send("GET", "/ledger/tile/0/x001/067.p/3")
            #expect(harness.asks[0].text == "{\"level\":0,\"index\":1067,\"width\":3}")
            try harness.answer(harness.asks.removeFirst(), 200, "{\"hashes\":\"AQID\"}")
            #expect(try harness.response(tile).body == [1, 2, 3])
            let missing = try harness.send("GET", "/ledger/tile/1/000")
            try harness.answer(harness.asks.removeFirst(), 404, "{\"status\":404,\"title\":\"no-tile\"}")
            #expect(try harness.response(missing).status == 404)
            let odd = try harness.send("GET", "/ledger/tile/1/000")
            try harness.answer(harness.asks.removeFirst(), 200, "{\"hashes\":\"?\"}")
            #expect(try harness.response(odd).status == 502)
        }
    }

    @Test func `each tile has exactly one valid path`() {
        #expect(TilePath(level: "0", rest: "000") == TilePath(level: "0", rest: "000"))
        let full = TilePath(level: "2", rest: "x001/x234/067")
        #expect(full?.index == 1_234_067 && full?.width == 256 && full?.level == 2)
        #expect(TilePath(level: "0", rest: "x001/000.p/255")?.width == 255)
        for (level, rest) in [
            ("64", "000"), ("00", "000"), ("-1", "000"), ("0", "0"), ("0", "0000"), ("0", "x000/001"), ("0", "x001"),
            ("0", "001/002"), ("0", "000.p/0"), ("0", "000.p/256"), ("0", "000.p/01"), ("0", "000.p"), ("0", "000/"),
            ("0", ""), ("0", "x001/x001/x001/x001/x001/x001/x001/001"), ("0", "+01"), ("0", "٠٠٠"),
        ] {
            #expect(TilePath(level: level, rest: rest) == nil, "\(level) \(rest)")
        }
    }

    @Test func `labels are drawn from the ledger's data`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let url = "HTTPS://FARM.TEST/S1AB2C" + String(repeating: "Q", count: 103) + "/01/09520123456788/10/L1/21/"
            let boxes = ["A", "B"].enumerated().map { index, serial in
                "{\"serial\":\"\(serial)\",\"url\":\"\(url)\(serial)\",\"index\":\(index + 1),\"of\":2,\"grams\":1250}"
            }
            let sheet =
                "{\"lot\":\"L1\",\"product\":\"Tomatoes\",\"farm\":\"Hill\","
                + "\"harvested\":\"2026-05-04T01:00:00Z\",\"harvestDay\":\"2026-05-03\",\"labels\":[\(boxes.joined(separator: ","))]}"
            let read = try LabelSheet(json: JSONValue.parse(sheet))
            #expect(read.lines(read.boxes[0]) == ["Lot L1", "Box 1 of 2 · 1.25 kg", "Harvested 2026-05-03", "Hill"])
            for (format, magic) in [("svg", "<?xml"), ("png", "\u{89}PNG"), ("pdf", "%PDF")] {
                let query = format == "pdf" ? "" : "?serial=B"
                let id = try harness.send("GET", "/v1/lots/L1/labels.\(format)\(query)", as: "demo")
                let ask = harness.asks.removeFirst()
                #expect(ask.verb == "labels" && ask.text == "{\"lot\":\"L1\"}")
                try harness.answer(ask, 200, sheet)
                try harness.work()
                let response = try harness.response(id)
                #expect(response.status == 200)
                #expect(response.body.dropFirst(format == "png" ? 1 : 0).starts(with: magic.utf8.drop { $0 > 127 }))
                #expect(response.headers["Content-Disposition"] == "attachment; filename=\"L1-labels.\(format)\"")
            }
            let missing = try harness.send("GET", "/v1/lots/L1/labels.svg?serial=Z", as: "demo")
            try harness.answer(harness.asks.removeFirst(), 200, sheet)
            #expect(try harness.response(missing).problem == "no-label")
            let unset = try harness.send("GET", "/v1/lots/L1/labels.pdf", as: "demo")
            try harness.answer(harness.asks.removeFirst(), 409, "{\"status\":409,\"title\":\"public-url-unset\"}")
            #expect(try harness.response(unset).problem == "public-url-unset")
            let bare = try harness.send("GET", "/v1/lots/L1/labels.pdf", as: "demo")
            try harness.answer(
                harness.asks.removeFirst(), 200, "{\"lot\":\"L1\",\"product\":\"T\",\"farm\":\"F\",\"labels\":[]}")
            #expect(try harness.response(bare).problem == "not-packed")
        }
    }
}
