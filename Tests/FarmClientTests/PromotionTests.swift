import TestKit
import Testing
import Vocabulary

@testable import FarmClient

@Suite("Promotions")
struct PromotionTests {
    /// Saturday, 2 May 2026, 11:30 in Vienna: the barn closes at noon.
    private static let saturday = Instant(microseconds: 1_777_714_200_000_000)

    /// A farm that sells chard, and the promotions that a test adds.
    private func withPromotions(
        _ promotions: [String], _ body: (SmallFarm, FarmClient, Instant) async throws -> Void
    ) async throws {
        let usual = [
            "farm": #""f1""#, "audience": #""everyone""#, "from": #""2026-05-01T00:00:00Z""#,
            "until": #""2026-05-09T00:00:00Z""#, "timesPerDay": "1", "heldBackPercent": "0", "priority": "5",
            "product": #""chard""#,
        ]
        let whole = promotions.map { rule in
            let missing = usual.filter { !rule.contains("\"\($0.key)\":") }
            return "{" + missing.map { "\"\($0.key)\":\($0.value)," }.joined() + rule.dropFirst()
        }
        let records =
            #"{"farms":{"created":[{"id":"f1","title":"Sonnhof","zone":"Europe/Vienna"}]},"#
            + #""products":{"created":[{"id":"chard","title":"Chard","farm":"f1","unit":"bunch","category":"greens"}]},"#
            + #""offers":{"created":[{"id":"o1","product":"chard","lot":"L1","price":{"minor":390,"currency":"EUR"}}]},"#
            + #""lots":{"created":[{"id":"L1","free":5}]},"#
            + #""pickups":{"created":[{"id":"barn","title":"Barn","#
            + #""opens":[{"weekdays":[6],"from":"08:00","to":"12:00"}]},{"id":"gate","title":"Gate"}]},"#
            + #""promotions":{"created":[\#(whole.joined(separator: ","))]}}"#
        try await withClient { farm, client, _ in
            farm.tells(records, at: 1, all: true)
            try await client.sync()
            try await body(farm, client, Self.saturday)
        }
    }

    private func ids(
        _ client: FarmClient, _ circumstances: PromotionCircumstances
    ) throws(FarmClientError) -> [String] {
        try client.promotions(in: circumstances).map(\.id)
    }

    @Test func `a promotion before closing time is shown in the last minutes of each day on which the place opens`()
        async throws
    {
        try await withPromotions([
            #"{"id":"last","title":"Last hour","beforeClosing":{"pickup":"barn","minutes":60}}"#,
            #"{"id":"unknown","title":"No times","beforeClosing":{"pickup":"gate","minutes":60}}"#,
        ]) { _, client, saturday in
            let cases: [(seconds: Double, shown: [String])] = [
                (-1860, []), (-1800, ["last"]), (0, ["last"]), (1799, ["last"]), (1800, []), (86_400, []),
                (-7 * 86_400, []), (6 * 86_400, []),
            ]
            for (seconds, shown) in cases {
                let time = saturday.advanced(bySeconds: seconds)
                let found = try ids(client, PromotionCircumstances(at: time))
                #expect(found == shown, "\(seconds)")
            }
        }
    }

    @Test func `a promotion is shown where its place, its beacons, its node and its county are`() async throws {
        try await withPromotions([
            #"{"id":"area","title":"Near","area":{"latitude":48.2,"longitude":16.4,"metres":500}}"#,
            #"{"id":"beacons","title":"Stall","beacons":"ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1"}"#,
            #"{"id":"node","title":"Bus","node":"bus.local:8091"}"#,
            #"{"id":"county","title":"Greene","county":"Greene"}"#,
        ]) { _, client, now in
            #expect(try ids(client, PromotionCircumstances(at: now)) == [])
            let near = PromotionCircumstances.Position(latitude: 48.2044, longitude: 16.4)
            let far = PromotionCircumstances.Position(latitude: 48.2046, longitude: 16.4)
            #expect(near.metres(to: far) > 22 && near.metres(to: far) < 23)
            #expect(try ids(client, PromotionCircumstances(at: now, position: near)) == ["area"])
            #expect(try ids(client, PromotionCircumstances(at: now, position: far)) == [])
            var monitor = RegionMonitor(try client.promotionRegions())
            #expect(monitor.regions.count == 1)
            _ = monitor.receive("ibeacon:F7826DA64FA24E988024BC5B71E0893E:1:7", at: now)
            #expect(try ids(client, PromotionCircumstances(at: now, regions: monitor.inside)) == ["beacons"])
            #expect(try ids(client, PromotionCircumstances(at: now, node: "Bus.local:8091")) == ["node"])
            #expect(try ids(client, PromotionCircumstances(at: now, county: "greene")) == ["county"])
        }
    }

    @Test func `a promotion is shown as often a day as its rule says, and reported once for a signed-in person`()
        async throws
    {
        try await withPromotions([#"{"id":"once","title":"Once"}"#]) { farm, client, now in
            farm.set { $0.person = "bea" }
            _ = try await client.signIn(email: "bea@buyers.test", password: "battery staple")
            let shown = try client.promotions(in: PromotionCircumstances(at: now))
            #expect(shown.map(\.title) == ["Once"] && shown.first?.products.map(\.id) == ["chard"])
            try client.noteShown(shown, at: now)
            #expect(try ids(client, PromotionCircumstances(at: now.advanced(bySeconds: 600))) == ["once"], "in view")
            #expect(try ids(client, PromotionCircumstances(at: now.advanced(bySeconds: 1800))) == [], "once a day")
            let tomorrow = now.advanced(bySeconds: 86_400)
            #expect(try ids(client, PromotionCircumstances(at: tomorrow)) == ["once"])
            try client.noteShown(shown, at: tomorrow)
            let reports = try client.pendingChanges().filter { $0.kind == .showing }
            #expect(reports.map(\.record) == ["once"] && reports.first?.person == "bea")
            let sent = String(decoding: try #require(reports.first).request, as: UTF8.self)
            #expect(sent.contains(#""showings":{"created":[{"id":"once","heldBack":false}]}"#), "\(sent)")
        }
    }

    @Test func `promotions are held back from the people whom the farm's pages hold back, too`() async throws {
        // By `share` in promotion-rules.js, person-1 has the number 39 for the promotion `ripe`.
        try await withPromotions([#"{"id":"ripe","title":"Ripe","heldBackPercent":40}"#]) { farm, client, now in
            farm.set { $0.person = "person-1" }
            _ = try await client.signIn(email: "bea@buyers.test", password: "battery staple")
            #expect(try client.promotions(in: PromotionCircumstances(at: now)).map(\.isHeldBack) == [true])
        }
        try await withPromotions([#"{"id":"ripe","title":"Ripe","heldBackPercent":39}"#]) { farm, client, now in
            farm.set { $0.person = "person-1" }
            _ = try await client.signIn(email: "bea@buyers.test", password: "battery staple")
            #expect(try client.promotions(in: PromotionCircumstances(at: now)).map(\.isHeldBack) == [false])
        }
    }

    @Test func `favourites and interests decide for whom a promotion is, and what is sold out has none`() async throws {
        try await withPromotions([
            #"{"id":"liked","title":"Yours","audience":"favourites"}"#,
            #"{"id":"kinds","title":"Greens","audience":"interested"}"#,
            #"{"id":"gone","title":"Gone","lot":"L2"}"#,
        ]) { farm, client, now in
            #expect(try ids(client, PromotionCircumstances(at: now)) == [])
            #expect(try ids(client, PromotionCircumstances(at: now, kinds: ["greens"])) == ["kinds"])
            try client.like(.farms, "f1")
            #expect(try ids(client, PromotionCircumstances(at: now)) == ["liked"])
            farm.tells(#"{"lots":{"updated":[{"id":"L1","free":0}]}}"#, at: 2)
            try await client.sync()
            #expect(try ids(client, PromotionCircumstances(at: now, kinds: ["greens"])) == [])
        }
    }
}

@Suite("Regions of beacons")
struct RegionMonitorTests {
    private static let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"
    private let start = Instant(microseconds: 1_800_000_000_000_000)

    @Test func `a device enters with the first beacon of a region, and has left 30 seconds after the last`() {
        let (whole, one) = ("ibeacon:\(Self.uuid)", "ibeacon:\(Self.uuid):1")
        var monitor = RegionMonitor([whole, "IBEACON:\(Self.uuid.uppercased()):1", "nothing"])
        #expect(monitor.regions == [whole, one])
        #expect(monitor.receive("\(one):7", at: start) == [.entered(whole), .entered(one)])
        #expect(monitor.receive("\(one):8", at: start.advanced(bySeconds: 20)) == [])
        #expect(monitor.receive("\(whole):2:1", at: start.advanced(bySeconds: 40)) == [])
        #expect(monitor.advance(to: start.advanced(bySeconds: 49)) == [] && monitor.inside == [whole, one])
        #expect(monitor.advance(to: start.advanced(bySeconds: 50)) == [.left(one)])
        #expect(monitor.advance(to: start.advanced(bySeconds: 70)) == [.left(whole)] && monitor.inside.isEmpty)
    }

    @Test func `a beacon at the edge of the range causes at most two changes in 30 seconds`() {
        let region = "eddystone:00112233445566778899"
        var monitor = RegionMonitor([region])
        var changes = 0
        for second in 0..<600 {
            let time = start.advanced(bySeconds: Double(second))
            let heard = second.isMultiple(of: 29) || second.isMultiple(of: 37)
            changes += (heard ? monitor.receive("\(region):aabbccddeeff", at: time) : monitor.advance(to: time)).count
        }
        print("regions: \(changes) changes in 600 seconds at the edge")
        #expect(changes > 0 && changes <= 2 * 600 / 30)
    }

    @Test func `a clock that is set back neither ends a visit at once nor lets it stay for ever`() {
        let region = "ibeacon:\(Self.uuid)"
        var monitor = RegionMonitor([region])
        _ = monitor.receive("\(region):1:1", at: start)
        let before = start.advanced(bySeconds: -3600)
        #expect(monitor.advance(to: before) == [])
        #expect(monitor.advance(to: before.advanced(bySeconds: 30)) == [.left(region)])
    }
}
