import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@testable import SyncGateway

/// Synchronisation: what clients pull from the market, and what they may push.
struct SyncTests {
    private static let euro = Currency("EUR")

    struct Response {
        let json: JSONValue
        var timestamp: Int { get throws { try json.get("timestamp") } }
        var isAll: Bool { get throws { try json.get("replace") } }
        var scope: String { get throws { try json.get("scope") } }
        var epoch: String { get throws { try json.get("epoch") } }

        func ids(_ table: String, _ list: String) throws -> [String] {
            try (json["changes"]?[table]?[list]?.array.map { Array($0) } ?? []).map { record in
                list == "deleted" ? try record.string() : try record.get("id")
            }
        }
    }

    func pull(_ harness: GatewayHarness, since last: Response? = nil, as token: String? = nil, more: String = "") throws
        -> Response
    {
        var address = "/v1/sync?schema_version=1" + more
        if let last {
            address += "&last_pulled_at=\(try last.timestamp)&epoch=\(try last.epoch)&scope=\(try last.scope)"
        }
        let response = try harness.call("GET", address, as: token)
        #expect(response.status == 200)
        return Response(json: try response.json)
    }

    func price(_ minor: Int64) throws -> Money { Money(minor, try #require(Self.euro)) }

    func shop() throws -> [EventPayload] {
        [
            .trace(
                .harvested(
                    Harvested(
                        lot: LotID("L1"), gtin: try #require(GTIN("08412345678905")), product: "Tomatoes",
                        plot: PlotID("p1"), grams: 1000, from: GatewayHarness.start))),
            .catalog(.farmProfiled(FarmProfiled(title: "Loma", county: "Greene", hasGoods: true))),
            .catalog(
                .productListed(
                    ProductListed(
                        product: ProductID("tom"), details: ProductDetails(title: "Tomatoes", unit: "a box")))),
            .catalog(.stockSet(StockSet(lot: LotID("L1"), boxes: 10))),
            .catalog(
                .offerPublished(
                    OfferPublished(
                        offer: OfferID("o1"), product: ProductID("tom"), lot: LotID("L1"), price: try price(390),
                        takes: 1,
                        pickups: [], until: nil))),
        ]
    }

    func order(_ name: String, _ boxes: Int, by person: String) throws -> OrderPlaced {
        let line = OrderLine(
            offer: OfferID("o1"), product: ProductID("tom"), lot: LotID("L1"), farm: FarmID("loma"), quantity: boxes,
            boxes: boxes, unitPrice: try price(390), amount: try price(390 * Int64(boxes)))
        return OrderPlaced(
            order: OrderID(name), buyer: PersonID(person), lines: [line], total: try price(390 * Int64(boxes)),
            pickup: PickupID("gate"), payment: .atPickup, until: nil)
    }

    @Test func `a buyer pulls the payment state of an order, even if events arrive out of order`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let hub = Hub(harness)
            let bea = try harness.buyer(email: "bea@buyers.test")
            hub.tell(try shop() + [.orders(.orderPlaced(try order("a1", 2, by: bea.person)))])
            let (payment, a1, amount) = (PaymentID("p1"), OrderID("a1"), try price(780))
            func paying() throws -> String {
                let answer = try pull(harness, as: bea.token)
                let record = try #require(answer.json["changes"]?["orders"]?["created"]?.array.map { Array($0) }?.first)
                let payment = record["payments"]?.array.map { Array($0) }?.last
                let state = try payment?.get("state", as: String.self) ?? "none"
                return "\(state) \(try payment?.find("page", as: String.self) ?? "")"
            }
            #expect(try paying() == "none ")
            hub.tell([
                .orders(
                    .paymentRequested(
                        PaymentRequested(payment: payment, order: a1, amount: amount, method: .sandbox, until: nil)))
            ])
            #expect(try paying() == "requested ")
            let opened = PaymentOpened(payment: payment, order: a1, reference: "pi", page: "http://pay.test/pi")
            hub.tell([.orders(.paymentOpened(opened))])
            #expect(try paying() == "opened http://pay.test/pi")
            let captured = PaymentCaptured(payment: payment, order: a1, amount: amount, method: .sandbox)
            hub.tell([.orders(.paymentCaptured(captured)), .orders(.paymentOpened(opened))])
            #expect(try paying() == "captured ")
        }
    }

    @Test func `a client pulls everything first, then only changes, and nothing if there are none`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let hub = Hub(harness)
            hub.tell(try shop())
            let first = try pull(harness)
            #expect(try first.isAll && first.timestamp == 6)
            #expect(try first.ids("farms", "created") == ["loma"] && first.ids("offers", "created") == ["o1"])
            let same = try pull(harness, since: first)
            #expect(try !same.isAll && same.json["changes"]?.object?.isEmpty == true)
            hub.tell([
                .catalog(.offerRepriced(OfferRepriced(offer: OfferID("o1"), price: try price(350)))),
                .catalog(.pickupOpened(PickupOpened(pickup: PickupID("gate"), title: "Gate"))),
            ])
            let next = try pull(harness, since: first)
            #expect(try next.ids("offers", "updated") == ["o1"] && next.ids("pickups", "created") == ["gate"])
            #expect(try next.ids("farms", "created").isEmpty && next.ids("farms", "updated").isEmpty)
            hub.tell([.catalog(.offerWithdrawn(OfferWithdrawn(offer: OfferID("o1"))))])
            #expect(try pull(harness, since: next).ids("offers", "deleted") == ["o1"])
            #expect(try pull(harness).ids("offers", "deleted").isEmpty)
        }
    }

    @Test func `a client that pulls incrementally has the same records as a new client`() throws {
        for seed in UInt64(1)...20 {
            try withTemporaryDirectory { folder in
                var chance = SplitMix64(seed: seed)
                let harness = try GatewayHarness(in: folder)
                let hub = Hub(harness)
                var held: [String: String] = [:]
                var last: Response?
                for step in 0..<60 {
                    let id = "p\(chance.next() % 8)"
                    let fact: CatalogEvent =
                        switch chance.next() % 3 {
                        case 0: .pickupClosed(PickupClosed(pickup: PickupID(id)))
                        default: .pickupOpened(PickupOpened(pickup: PickupID(id), title: "\(step)"))
                        }
                    hub.tell([.catalog(fact)])
                    guard chance.next() % 3 == 0 else { continue }
                    let answer = try pull(harness, since: last)
                    if try answer.isAll { held = [:] }
                    for list in ["created", "updated"] {
                        for record in answer.json["changes"]?["pickups"]?[list]?.array.map({ Array($0) }) ?? [] {
                            held[try record.get("id")] = try record.get("title")
                        }
                    }
                    for gone in try answer.ids("pickups", "deleted") { held[gone] = nil }
                    last = answer
                    let all = try pull(harness)
                    #expect(try Set(all.ids("pickups", "created")) == Set(held.keys))
                }
            }
        }
    }

    @Test func `a live stream notifies buyers of changes at most once a second, and not of measurements`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let hub = Hub(harness)
            let bea = try harness.buyer(email: "bea@buyers.test")
            try harness.send("GET", "/v1/sync/live", as: bea.token)
            #expect(harness.subscriptions.map { $0.topics.first } == ["sync"])
            #expect(harness.subscriptions.map(\.audience) == ["clients"])
            for _ in 0..<3 { try harness.hear(hub.tell(try shop())) }
            try harness.tick(30)
            #expect(harness.published.map(\.name) == ["changed"])
            try harness.tick(30)
            #expect(harness.published.count == 1)
            // Buyers without an account have the same stream, counted by their address.
            try harness.send("GET", "/v1/sync/live", peer: "2001:db8::7")
            #expect(harness.places.map(\.holder).last == "address/2001:db8:0:0::/64")
            #expect(harness.places.map(\.replacesOldest) == [true, false])
            #expect(harness.places.map(\.holderMax) == [4, 128])
        }
    }

    @Test func `a pull with another epoch, a position ahead of the hub or another person gets everything`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let hub = Hub(harness)
            hub.tell(try shop())
            let bea = try harness.buyer(email: "bea@buyers.test")
            let answer = try pull(harness)
            for more in ["&last_pulled_at=5&epoch=other", "&last_pulled_at=99", "&last_pulled_at=null", ""] {
                #expect(try pull(harness, more: more).isAll, "\(more)")
            }
            let former = "&last_pulled_at=5&epoch=\(Epoch(7))"
            #expect(try pull(harness, more: former).isAll, "it comes from a build with another projection")
            #expect(try pull(harness, since: answer, as: bea.token).isAll)
            #expect(try harness.call("GET", "/v1/sync?last_pulled_at=soon").status == 400)
        }
    }

    @Test func `buyers pull only their own orders and favourites, and erasure removes all of their records`()
        throws
    {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let hub = Hub(harness)
            hub.tell(try shop())
            let (bea, eve) = (try harness.buyer(email: "bea@buyers.test"), try harness.buyer(email: "eve@buyers.test"))
            hub.tell([
                .orders(.orderPlaced(try order("ord-1", 3, by: bea.person))),
                .catalog(.favouriteSet(FavouriteSet(person: PersonID(bea.person), favourite: .farm(FarmID("loma"))))),
            ])
            let hers = try pull(harness, as: bea.token)
            #expect(
                try hers.ids("orders", "created") == ["ord-1"] && hers.ids("favourites", "created") == ["farm.loma"])
            for other in [try pull(harness, as: eve.token), try pull(harness)] {
                #expect(try other.ids("orders", "created").isEmpty && other.ids("favourites", "created").isEmpty)
            }
            #expect(try harness.call("DELETE", "/v1/me", as: bea.token).status == 204)
            let left = harness.core.tables.scan(SyncRow.self, prefix: "person/\(bea.person)")
            let logged = harness.core.tables.scan(SyncLogRow.self).filter { $0.key.contains(bea.person) }
            #expect(left.isEmpty && logged.isEmpty)
        }
    }

    @Test func `a client that selects a county pulls its farms and their offers only`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let hub = Hub(harness)
            hub.tell(try shop())
            hub.tell(
                [.catalog(.farmProfiled(FarmProfiled(title: "Bend", county: "Unicoi", hasGoods: false)))],
                farm: FarmID("bend"))
            let greene = try pull(harness, more: "&county=Greene")
            #expect(try greene.ids("farms", "created") == ["loma"] && greene.ids("offers", "created") == ["o1"])
            let unicoi = try pull(harness, more: "&county=Unicoi")
            #expect(try unicoi.ids("farms", "created") == ["bend"] && unicoi.ids("offers", "created").isEmpty)
        }
    }

    @Test
    func `a pushed order uses its own id as the idempotency key, and each change has its own result`()
        throws
    {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let bea = try harness.buyer(email: "bea@buyers.test")
            let body = """
                {"changes":{"orders":{"created":[{"id":"a1","_status":"created","lines":[{"offer":"o1","quantity":2}],
                "pickup":"gate"}],"updated":[],"deleted":[]},"farms":{"updated":[{"id":"loma","title":"Mine"}]},
                "favourites":{"created":[{"id":"farm.loma"}],"deleted":["product.tom"]}}}
                """
            for key in ["k1", "k2"] {
                harness.asks = []
                let id = try harness.send("POST", "/v1/sync", body, as: bea.token, key: key)
                #expect(harness.asks.map(\.verb) == ["place-order", "set-favourite", "unset-favourite"])
                #expect(
                    harness.asks.first?.key == "sync|a1" && harness.asks.first?.actor == .person(PersonID(bea.person)))
                #expect(harness.responses[id] == nil)
                try harness.answer(harness.asks[0], 409, "{\"title\":\"sold-out\"}")
                try harness.answer(harness.asks[1], 200, "{}")
                try harness.leave(harness.asks[2])
                let answer = try #require(harness.responses[id]).json
                let results = try answer.get("results", as: [JSONValue].self)
                #expect(try results.map { try $0.get("status", as: Int.self) } == [409, 403, 200, 202])
                #expect(try answer["experimentalRejectedIds"]?.get("orders") == ["a1"])
                #expect(try answer["experimentalRejectedIds"]?.get("farms") == ["loma"])
            }
            for bad in ["{}", "{\"changes\":{\"orders\":{\"created\":[{\"id\":\"a b\"}]}}}"] {
                #expect(try harness.call("POST", "/v1/sync", bad, as: bea.token).status == 400)
            }
            #expect(try harness.call("POST", "/v1/sync", body).status == 401)
        }
    }

    @Test func `changes of one buyer are refused while another is signed in on the same browser`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let (ann, ben) = (try harness.buyer(email: "ann@buyers.test"), try harness.buyer(email: "ben@buyers.test"))
            func body(_ person: String) -> String {
                "{\"person\":\"\(person)\",\"changes\":{\"favourites\":{\"created\":[{\"id\":\"farm.loma\"}]}}}"
            }
            let refused = try harness.call("POST", "/v1/sync", body(ann.person), as: ben.token)
            #expect(refused.status == 401 && harness.asks.isEmpty)
            #expect(try refused.json.get("title", as: String.self) == "somebody-else")
            _ = try harness.send("POST", "/v1/sync", body(ann.person), as: ann.token, key: "k2")
            #expect(harness.asks.map(\.actor) == [.person(PersonID(ann.person))])
        }
    }

    @Test func `a collection recorded by one grower is refused in the name of any other account`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let administrator = try harness.administrator()
            let grower = try harness.staff(.grower, email: "gil@farm.test", by: administrator)
            let body = "{\"person\":\"\(grower.person)\"}"
            let others = [
                try harness.staff(.grower, email: "gus@farm.test", by: administrator),
                try harness.staff(.auditor, email: "aud@farm.test", by: administrator),
                try harness.buyer(email: "bea@buyers.test"),
            ]
            for other in others {
                let refused = try harness.call("POST", "/v1/sales/o1/collections", body, as: other.token)
                #expect(try refused.status == 401 && refused.json.get("title", as: String.self) == "somebody-else")
            }
            #expect(try harness.call("POST", "/v1/sales/o1/collections", body).status == 401)
            #expect(harness.asks.isEmpty)
            for (key, body) in [("k2", body), ("k3", "{}")] {
                _ = try harness.send("POST", "/v1/sales/o1/collections", body, as: grower.token, key: key)
            }
            #expect(harness.asks.map(\.actor) == Array(repeating: .person(PersonID(grower.person)), count: 2))
            #expect(Set(harness.asks.map(\.body)).count == 1, "both requests are forwarded with the same body")
        }
    }

    @Test func `an administrator sets the texts of the start page, and clients pull them`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let administrator = try harness.administrator()
            let body = "{\"title\":\"Hello\",\"sponsors\":[{\"name\":\"Seeds\",\"website\":\"https://s.example\"}]}"
            for key in ["k1", "k2"] {
                #expect(try harness.call("PUT", "/v1/site", body, as: administrator, key: key).status == 200)
            }
            #expect(try harness.journal().count { $0.contains(SitePresented.name) } == 1)
            #expect(try pull(harness).ids("site", "created") == ["site"])
            for bad in ["{\"donate\":\"javascript:1\"}", "{\"sponsors\":[{\"name\":\"\"}]}"] {
                #expect(try harness.call("PUT", "/v1/site", bad, as: administrator, key: "k3").status == 400)
            }
        }
    }

    @Test func `pictures are stored and served by the digest of their bytes, and other files are refused`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, media: true)
            let administrator = try harness.administrator()
            let sent = PictureSample.png.bytes
            let png = try Picture(withoutMetadata: sent).bytes
            let kept = try harness.upload(sent, as: administrator)
            #expect(kept.status == 201)
            let name: String = try kept.json.get("sha256")
            let given = try harness.call("GET", "/media/\(name)")
            #expect(given.status == 200 && given.body == png && given.headers["Content-Type"] == "image/png")
            #expect(given.headers["Cache-Control"]?.contains("immutable") == true)
            #expect(try harness.upload(Array("<svg onload='x'/>".utf8), as: administrator).status == 422)
            let damaged = try harness.upload(Array(png.dropLast(3)), as: administrator)
            #expect(damaged.status == 422 && String(decoding: damaged.body, as: UTF8.self).contains("it is cut off"))
            let buyer = try harness.buyer(email: "bea@buyers.test")
            #expect(try harness.upload(png, as: buyer.token).status == 403)
            for bad in [String(repeating: "0", count: 64), "x", "..%2Fvault.db"] {
                #expect(try harness.call("GET", "/media/\(bad)").status == 404)
            }
        }
    }
}
