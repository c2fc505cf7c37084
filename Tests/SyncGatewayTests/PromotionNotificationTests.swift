import Crypto
import EventSourcing
import EventStore
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("Notifications of promotions")
struct PromotionNotificationTests {
    /// A shop with one product for sale, and buyers who asked to be notified.
    private struct Shop {
        let harness: GatewayHarness
        let hub: Hub

        /// Tuesday, 5 May 2026, 9:00 in Vienna.
        static let morning = "2026-05-05T07:00:00Z"

        init(in folder: String) throws {
            harness = try GatewayHarness(in: folder)
            hub = Hub(harness)
            harness.now = try #require(Instant(Self.morning))
            try harness.tick()
            hub.tell([
                .trace(.farmFounded(FarmFounded(title: "Loma", zone: "Europe/Vienna"))),
                .catalog(.stockSet(StockSet(lot: LotID("L-1"), boxes: 5))),
                .catalog(
                    .productListed(
                        ProductListed(
                            product: ProductID("honey"),
                            details: ProductDetails(title: "Honey", unit: "jar", category: "sweets")))),
                .catalog(
                    .offerPublished(
                        OfferPublished(
                            offer: OfferID("o-1"), product: ProductID("honey"), lot: LotID("L-1"),
                            price: Money(300, try #require(Currency("EUR"))), takes: 1, pickups: []))),
            ])
        }

        func buyer(_ email: String) throws -> PersonID {
            let buyer = try harness.buyer(email: email)
            try subscribe(email, as: buyer.token)
            return PersonID(buyer.person)
        }

        func subscribe(_ name: String, as token: String) throws {
            let key = BaseEncoding.base64url.encode(P256Key.generate().publicKey)
            let secret = BaseEncoding.base64url.encode([UInt8](repeating: 5, count: 16))
            let made = try harness.call(
                "POST", "/v1/me/channels",
                "{\"endpoint\":\"https://push.example/\(name)\",\"p256dh\":\"\(key)\",\"auth\":\"\(secret)\"}",
                as: token, key: name)
            #expect(made.status == 201)
        }

        func publish(
            _ name: String, of category: String? = nil, lot: LotID? = nil, to audience: PromotionAudience = .everyone,
            hours: PromotionHours? = nil, closing: PromotionClosing? = nil, held: Int = 0, priority: Int = 5,
            notifies: Bool? = true
        ) {
            let rule = PromotionRule(
                title: "Last jars", text: "From this summer.",
                product: category == nil ? ProductID("honey") : nil, category: category, lot: lot,
                audience: audience,
                from: harness.now.advanced(bySeconds: -60), until: harness.now.advanced(bySeconds: 3 * 86_400),
                hours: hours, beforeClosing: closing, timesPerDay: 1, heldBackPercent: held, priority: priority,
                notifies: notifies)
            hub.tell([.catalog(.promotionPublished(PromotionPublished(promotion: PromotionID(name), rule: rule)))])
        }

        /// Looks once at what runs, and returns the people of whom the journal says that they are notified since.
        func look() throws -> [PersonID] {
            let before = harness.log.head.position
            try harness.tick(Int(GatewayLimits.promotionTicks))
            return try harness.log.reader().entries(from: before + 1, through: harness.log.head.position)
                .flatMap { entry in
                    guard case .sync(.promotionNotified(let event)) = try RecordedEvent(reading: entry.bytes).fact
                    else {
                        return [PersonID]()
                    }
                    return event.people
                }
        }

        var waiting: [OutboxRow] { harness.core.tables.scan(OutboxRow.self).filter { $0.withdrawn == nil } }
    }

    @Test func `buyers with a device are notified once, by day, of what is for sale, and staff are not`() throws {
        try withTemporaryDirectory { folder in
            let shop = try Shop(in: folder)
            let ann = try shop.buyer("ann@buyers.test")
            let admin = try shop.harness.administrator()
            try shop.subscribe("admin", as: admin)
            shop.publish("silent", notifies: nil)
            #expect(try shop.look().isEmpty)
            shop.publish("jars")
            #expect(try shop.look() == [ann])
            let message = try #require(shop.waiting.first.flatMap(PromotionMessage.init))
            #expect(message.title == "Last jars" && message.link == "/products/honey" && message.person == ann)
            let sent = shop.harness.deliveries.map(\.to)
            #expect(sent.count == 1 && sent.allSatisfy { $0.hasPrefix("push") }, "\(sent)")
            #expect(try shop.look().isEmpty, "once")
            // Another one on the next day, and neither in the night.
            shop.publish("more")
            #expect(try shop.look().isEmpty, "one a day")
            shop.harness.now = shop.harness.now.advanced(bySeconds: 17 * 3600)
            #expect(try shop.look().isEmpty, "it is two o'clock in the night")
            shop.harness.now = shop.harness.now.advanced(bySeconds: 7 * 3600)
            #expect(try shop.look() == [ann])
        }
    }

    @Test func `a person who works at night is notified in the hours of their choice`() throws {
        try withTemporaryDirectory { folder in
            let shop = try Shop(in: folder)
            let ann = try shop.harness.buyer(email: "ann@buyers.test")
            try shop.subscribe("ann@buyers.test", as: ann.token)
            func choose(_ from: String, _ to: String) throws -> Int {
                try shop.harness.call(
                    "PUT", "/v1/me/promotion-hours", "{\"from\":\"\(from)\",\"to\":\"\(to)\"}", as: ann.token,
                    key: "\(from)-\(to)"
                ).status
            }
            #expect(try choose("22:00", "22:00") == 422)
            #expect(try choose("22:00", "04:00") == 204)
            shop.publish("jars")
            #expect(try shop.look().isEmpty, "it is day")
            shop.harness.now = shop.harness.now.advanced(bySeconds: 17 * 3600)
            #expect(try shop.look() == [PersonID(ann.person)], "it is two o'clock in the night")
        }
    }

    @Test func `hours within a day and over midnight contain their beginning and not their end`() {
        let day = NotificationHours(from: "08:00", to: "20:00")
        #expect(["07:59", "08:00", "19:59", "20:00"].map(day.contains) == [false, true, true, false])
        let night = NotificationHours(from: "22:00", to: "04:00")
        #expect(["21:59", "22:00", "03:59", "04:00"].map(night.contains) == [false, true, true, false])
        #expect(NotificationHours(text: night.text) == night && NotificationHours(text: "never") == nil)
    }

    @Test func `favourites, held back people, hours, stock and a recall decide who is notified`() throws {
        try withTemporaryDirectory { folder in
            let shop = try Shop(in: folder)
            let ann = try shop.buyer("ann@buyers.test")
            let bob = try shop.buyer("bob@buyers.test")
            shop.hub.tell([.catalog(.favouriteSet(FavouriteSet(person: bob, favourite: .product(ProductID("honey")))))])
            shop.publish("liked", to: .favourites)
            #expect(try shop.look() == [bob])
            shop.publish(
                "later", hours: PromotionHours(weekdays: [2], from: "10:00", to: "12:00", zone: "Europe/Vienna"))
            #expect(try shop.look().isEmpty)
            shop.harness.now = shop.harness.now.advanced(bySeconds: 3600)
            shop.hub.tell([.trace(.lotRecalled(LotRecalled(lot: LotID("L-1"), includes: [], reason: "glass")))])
            #expect(try shop.look().isEmpty, "nothing of it is for sale")
            shop.hub.tell([
                .catalog(.stockSet(StockSet(lot: LotID("L-2"), boxes: 5))),
                .catalog(
                    .offerPublished(
                        OfferPublished(
                            offer: OfferID("o-2"), product: ProductID("honey"), lot: LotID("L-2"),
                            price: Money(300, try #require(Currency("EUR"))), takes: 1, pickups: []))),
            ])
            #expect(try shop.look() == [ann], "bob was notified today")
            // What waits is not sent once it is over.
            shop.hub.tell([.catalog(.promotionEnded(PromotionEnded(promotion: PromotionID("later"), why: .withdrawn)))])
            #expect(!shop.waiting.contains { PromotionMessage($0)?.promotion == PromotionID("later") })
        }
    }

    @Test func `people are held back from a promotion by the number that their devices compute`() {
        // Computed by `share` in promotion-rules.js.
        #expect(
            (0..<8).map { PromotionShare.of("person-\($0)", PromotionID("ripe")) } == [
                44, 39, 60, 21, 61, 62, 56, 91,
            ])
    }

    @Test func `before closing time, people are notified in the last minutes in which the place is open`() throws {
        try withTemporaryDirectory { folder in
            let shop = try Shop(in: folder)
            let ann = try shop.buyer("ann@buyers.test")
            shop.publish("last", closing: PromotionClosing(pickup: PickupID("barn"), minutes: 60))
            #expect(try shop.look().isEmpty, "nothing is known of when it closes")
            for (closes, isNotified) in [("10:30", false), ("09:00", false), ("10:00", true)] {
                let times = [OpeningTime(weekdays: [2], from: "08:00", to: closes)]
                let barn = PickupOpened(pickup: PickupID("barn"), title: "Barn", opens: times)
                shop.hub.tell([.catalog(.pickupOpened(barn))])
                #expect(try shop.look() == (isNotified ? [ann] : []), "it is nine, and it closes at \(closes)")
            }
        }
    }

    @Test func `a promotion of a category notifies while one of its products is for sale`() throws {
        try withTemporaryDirectory { folder in
            let shop = try Shop(in: folder)
            let ann = try shop.buyer("ann@buyers.test")
            shop.publish("roots", of: "roots")
            #expect(try shop.look().isEmpty)
            shop.publish("sweets", of: "sweets")
            #expect(try shop.look() == [ann])
            let message = try #require(shop.waiting.first.flatMap(PromotionMessage.init))
            #expect(message.link == "/promotions")
        }
    }

    @Test func `a lot that is named must be the one for sale, and an erased person is forgotten`() throws {
        try withTemporaryDirectory { folder in
            let shop = try Shop(in: folder)
            let ann = try shop.buyer("ann@buyers.test")
            shop.publish("other", lot: LotID("L-9"))
            #expect(try shop.look().isEmpty)
            shop.publish("this", lot: LotID("L-1"))
            #expect(try shop.look() == [ann])
            #expect(shop.harness.core.tables.get(PersonNotificationsRow.self, ann.rawValue) != nil)
            shop.hub.tell([.sync(.personErased(PersonErased(person: ann)))])
            #expect(shop.harness.core.tables.get(PersonNotificationsRow.self, ann.rawValue) == nil)
        }
    }
}
