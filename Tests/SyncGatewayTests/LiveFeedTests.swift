import EventSourcing
import EventStore
import Events
import HTTP
import Host
import TestKit
import Testing
import Vocabulary
import Wire

@testable import SyncGateway

@Suite("The live feed")
struct LiveFeedTests {
    private let place = Place.store(StoreID("s1"))

    private func told(_ fact: SensorsEvent, _ number: Int, at time: Instant = GatewayHarness.start) -> RecordedEvent {
        let origin = Origin(service: "sensor-ingest", site: "farm", slot: 0)
        let envelope = Envelope(
            id: .named("\(number)", in: .furrow), origin: origin, epoch: Epoch(1), position: Position(number),
            name: type(of: fact.event).name, stream: "s", version: number, time: time, recorded: time, farm: nil,
            actor: .service("sensor-ingest"), correlation: nil, causation: nil)
        return RecordedEvent(envelope, .sensors(fact))
    }

    private func hear(_ facts: [SensorsEvent], _ harness: GatewayHarness, at time: Instant = GatewayHarness.start)
        throws
    {
        let events = facts.enumerated().map { told($1, $0 + 1, at: time) }
        for event in events { SyncGateway.fold(event, into: harness.core.tables) }
        try harness.hear(events)
    }

    private func report(_ device: String, _ value: Double) -> SensorsEvent {
        .measured(
            Measured(
                device: DeviceID(device), format: "ruuvi5", readings: [Reading(.temperature, value)], source: "tty",
                repeats: 1, payload: ""))
    }

    @Test func `the live feed publishes alarms at once, with the limit also when they clear`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let raised = AlarmRaised(
                rule: RuleID("r"), point: PointID("p"), place: place, device: DeviceID("d"), quantity: .temperature,
                value: 9, limit: 8)
            let cleared = AlarmCleared(
                rule: RuleID("r"), point: PointID("p"), place: place, device: DeviceID("d"), quantity: .temperature,
                value: 7)
            try hear([.alarmRaised(raised)], harness)
            try hear([.alarmCleared(cleared)], harness)
            #expect(harness.published.map(\.name) == ["alarm", "alarm"])
            #expect(
                harness.published[0].data
                    == "{\"rule\":\"r\",\"point\":\"p\",\"place\":\"store/s1\",\"device\":\"d\","
                    + "\"quantity\":\"temperature\",\"value\":9.0,\"limit\":8.0,\"at\":\"\(GatewayHarness.start)\","
                    + "\"raised\":true}")
            #expect(harness.published[1].data.contains("\"limit\":8.0"))
            #expect(harness.published[1].data.contains("\"raised\":false"))
        }
    }

    @Test func `what is seen in a stocktake is published at once, and that its report changed`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let stocktake = StocktakeID("autumn")
            let sighting = Sighting(thing: "code/1", at: GatewayHarness.start, how: .typed)
            let facts: [InventoryEvent] = [
                .itemsCounted(ItemsCounted(stocktake: stocktake, sightings: [sighting])),
                .differenceResolved(
                    DifferenceResolved(stocktake: stocktake, thing: "code/1", resolution: .ignored)),
                .itemRemoved(ItemRemoved(item: ItemID("saw"), reason: "sold")),
            ]
            let envelope = told(report("d", 1), 1).envelope
            try harness.hear(facts.map { RecordedEvent(envelope, .inventory($0)) })
            #expect(harness.published.map(\.name) == ["counted", "stocktake"])
            #expect(harness.published.allSatisfy { $0.topic == "stocktakes" })
            #expect(
                harness.published[0].data == #"{"stocktake":"autumn","things":["code/1"],"by":"service/sensor-ingest"}"#
            )
        }
    }

    @Test func `readings of a second probe are published for the place where the probe is bound`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let freezer = Place.store(StoreID("s2"))
            let report = Measured(
                device: DeviceID("d"), format: "bthome2",
                readings: [Reading(.temperature, 4), Reading(.temperature2, -18)], source: "tty", repeats: 1,
                payload: "")
            let room = PointBound(point: PointID("p"), title: "P", place: place, device: DeviceID("d"))
            let probe = PointBound(point: PointID("q"), title: "Q", place: freezer, device: DeviceID("d#2"))
            try hear([.pointBound(room), .pointBound(probe), .measured(report)], harness)
            try harness.tick()
            #expect(
                harness.published.map(\.data).contains {
                    $0.hasPrefix(
                        "{\"place\":\"store/s2\",\"device\":\"d#2\",\"readings\":[{\"quantity\":\"temperature\",\"value\":-18"
                    )
                })
            #expect(harness.published.count { $0.data.contains("-18") } == 1)
        }
    }

    @Test func `the live feed publishes calibrated values of a place`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let bound = PointBound(point: PointID("p"), title: "P", place: place, device: DeviceID("d"))
            let calibrated = DeviceCalibrated(
                device: DeviceID("d"), quantity: .temperature, factor: 1, offset: -0.4)
            try hear([.pointBound(bound), .deviceCalibrated(calibrated), report("d", 5)], harness)
            try harness.tick()
            #expect(harness.published.map(\.data).contains { $0.contains("\"value\":4.6") })
            try hear([.pointRetired(PointRetired(point: PointID("p"))), report("d", 5)], harness)
            try harness.tick(20)
            #expect(harness.published.last?.data.hasPrefix("{\"device\":\"d\"") == true)
        }
    }

    @Test func `the live feed publishes one reading a second for a place, the newest`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let bound = PointBound(point: PointID("p"), title: "P", place: place, device: DeviceID("d"))
            try hear([.pointBound(bound), report("d", 1), report("e", 5)], harness)
            try harness.tick()
            #expect(harness.published.count == 2)
            #expect(harness.published.contains { $0.data.hasPrefix("{\"place\":\"store/s1\",\"device\":\"d\"") })
            #expect(harness.published.contains { $0.data.hasPrefix("{\"device\":\"e\"") })
            for value in 2...9 { try hear([report("d", Double(value))], harness) }
            try hear([report("d", -1)], harness, at: GatewayHarness.start.advanced(bySeconds: -60))
            try harness.tick(9)
            #expect(harness.published.count == 2)
            try harness.tick(2)
            #expect(harness.published.count == 3)
            #expect(harness.published[2].data.contains("\"value\":9.0"))
        }
    }

    @Test func `a live stream receives only the topics that were requested`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let one = try harness.send("GET", "/v1/live?topics=alarms", as: "demo")
            let all = try harness.send("GET", "/v1/live", as: "demo")
            #expect(harness.subscriptions.map(\.request) == [one, all])
            #expect(harness.subscriptions.map(\.audience) == ["staff", "staff"])
            #expect(harness.subscriptions[0].topics.dropLast() == ["alarms"])
            #expect(harness.subscriptions[1].topics.dropLast() == ["alarms", "readings", "stocktakes"])
            #expect(try harness.call("GET", "/v1/live?topics=money", as: "demo").status == 400)
            let head = try harness.send("GET", "/v1/live", as: "demo", isHead: true)
            #expect(try harness.response(head).status == 200)
        }
    }

    @Test func `a live stream ends with the session and with the account`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let staff = try harness.staff(.auditor, email: "a@farm.test", by: admin)
            let second = try harness.signIn("a@farm.test", "battery staple")
            for token in [admin, staff.token, second] { try harness.send("GET", "/v1/live", as: token) }
            #expect(harness.subscriptions.count == 3)
            _ = try harness.call("DELETE", "/v1/sessions/current", as: second)
            #expect(harness.subscriptions.count == 2)
            _ = try harness.call("DELETE", "/v1/accounts/\(staff.person)", as: admin)
            #expect(harness.subscriptions.count == 1)
        }
    }

    @Test func `a response names the hub position that the gateway has consumed`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            #expect(try harness.call("GET", "/v1/me").headers["Furrow-Hub-Position"] == nil)
            harness.core.tables.put(
                FeedCheckpointRow(feed: "hub", checkpoint: Checkpoint(epoch: Epoch(1), position: 42, hash: [])))
            try harness.hear([])
            #expect(try harness.call("GET", "/v1/me").headers["Furrow-Hub-Position"] == "42")
        }
    }
}
