import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing

@testable import SyncGateway

@Suite("The status of the farm server")
struct OperationsTests {
    private let ledger = """
        {"origin":"trace-ledger/farm-0","report":{"status":"ok","checks":{"journal":{"status":"ok"}}},"head":90,"views":90,
        "feeds":[{"feed":"sync-gateway/farm-0","position":40,"parked":2,"waiting":5}],
        "hub":{"head":200,"origins":{"trace-ledger/farm-0":90,"sync-gateway/farm-0":40}},
        "disk":{"free":5,"size":10,"needed":1},"backup":{"made":"2026-05-03T06:00:00.000000Z","bytes":7},"sources":[],
        "residentBytes":1000,"constants":{}}
        """
    private let gateway = """
        {"origin":"sync-gateway/farm-0","report":{"status":"degraded","checks":{"feed:hub":{"status":"degraded",
        "detail":"late"},"journal":{"status":"ok"}}},"head":45,"views":45,
        "feeds":[{"feed":"hub","position":180,"parked":1,"waiting":0}],"backup":{},"sources":[],"residentBytes":2000,"constants":{}}
        """

    @Test func `the status page reports every service, and marks those that do not respond as silent`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let id = try harness.send("GET", "/v1/operations", as: admin)
            let asks = harness.asks
            #expect(
                asks.map(\.to) == [
                    "trace-ledger/farm-0", "catalog-orders/farm-0", "recommender/farm-0", "sync-gateway/farm-0",
                    "sensor-ingest/farm-0",
                ])
            #expect(asks.allSatisfy { $0.verb == "host.standing" && $0.actor == .service("sync-gateway") })
            try harness.answer(asks[3], 200, gateway)
            try harness.answer(asks[0], 200, ledger)
            #expect(harness.responses[id] == nil)
            for silent in [1, 2, 4] {
                #expect(harness.responses[id] == nil)
                try harness.leave(asks[silent])
            }
            let told = try JSONValue.parse(try harness.response(id).body)
            #expect(try told.get("hub", as: Int.self) == 200 && told.get("parked", as: Int.self) == 3)
            #expect(try told.get("waiting", as: Int.self) == 5)
            #expect(try told.get("disk", as: JSONValue.self).get("free", as: Int.self) == 5)
            #expect(try told.get("backup", as: JSONValue.self).get("bytes", as: Int.self) == 7)
            let services = try told.get("services", as: [JSONValue].self)
            #expect(
                try services.map { try $0.get("state", as: String.self) } == [
                    "ok", "silent", "silent", "degraded", "silent",
                ])
            #expect(try services[3].get("lag", as: Int.self) == 20 && services[3].get("notInHub", as: Int.self) == 5)
            #expect(try services[3].get("troubles", as: [String].self) == ["feed:hub: late"])
            #expect(try services[0].get("notInHub", as: Int.self) == 0 && services[4]["head"] == nil)
            #expect(harness.core.service.operations.isEmpty)
        }
    }

    @Test func `only administrators may read the server's status`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            #expect(try harness.call("GET", "/v1/operations").status == 401)
        }
    }
}
