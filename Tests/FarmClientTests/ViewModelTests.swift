import HTTP
import Observation
import Synchronization
import TestKit
import Testing
import Vocabulary

@testable import FarmClient

@MainActor
@Suite("View models")
struct ViewModelTests {
    /// A farm with chard for sale, leek that is sold out, honey that was recalled, and a place to pick up orders.
    private static let market = """
        {"farms":{"created":[{"id":"f1","title":"Sonnhof"}]},
        "products":{"created":[
        {"id":"leek","title":"Leek","farm":"f1","unit":"bunch","category":"vegetables"},
        {"id":"chard","title":"Chard","farm":"f1","unit":"bunch","category":"vegetables"},
        {"id":"honey","title":"Honey","farm":"f1","unit":"jar","category":"pantry"}]},
        "offers":{"created":[
        {"id":"o1","product":"chard","lot":"L1","takes":2,"price":{"minor":390,"currency":"EUR"}},
        {"id":"o2","product":"chard","lot":"L1","price":{"minor":300,"currency":"EUR"}},
        {"id":"o3","product":"leek","lot":"L2","price":{"minor":100,"currency":"EUR"}},
        {"id":"o4","product":"honey","lot":"L3","price":{"minor":900,"currency":"EUR"}}]},
        "lots":{"created":[
        {"id":"L1","free":5,"harvested":"2026-05-01T06:00:00Z"},{"id":"L2","free":0},
        {"id":"L3","free":9,"recalled":"glass found"}]},
        "pickups":{"created":[{"id":"barn","title":"Barn"}]}}
        """

    private func withMarket(_ body: (SmallFarm, FarmClient, String) async throws -> Void) async throws {
        try await withClient { farm, client, folder in
            farm.tells(Self.market.replacing("\n", with: ""), at: 1, all: true)
            try await client.sync()
            try await body(farm, client, folder)
        }
    }

    @Test func `the catalogue shows what is for sale first, and is searched by words, category and favourites`()
        async throws
    {
        try await withMarket { _, client, _ in
            let catalog = CatalogModel(client)
            await catalog.refresh()
            #expect(catalog.shown.map(\.id) == ["chard", "honey", "leek"])
            #expect(catalog.categories == ["pantry", "vegetables"])
            let chard = try #require(catalog.shown.first)
            #expect(chard.farmTitle == "Sonnhof" && chard.best?.id == "o2" && chard.best?.left == 5)
            #expect(chard.offers.map(\.left) == [5, 2], "one of two boxes each")
            #expect(chard.best?.harvested == Instant("2026-05-01T06:00:00Z"))
            let closed = catalog.products.filter { $0.best == nil }.flatMap(\.offers).map(\.closed)
            #expect(closed == [.recalled("glass found"), .soldOut])
            catalog.search = "sonn EE"
            #expect(catalog.shown.map(\.id) == ["leek"])
            catalog.search = ""
            catalog.category = "pantry"
            #expect(catalog.shown.map(\.id) == ["honey"])
            catalog.category = nil
            catalog.showsFavouritesOnly = true
            #expect(catalog.shown.isEmpty)
            // Without a network: the change waits on the device and is shown already.
            await catalog.mark(chard, asFavourite: true)
            #expect(catalog.shown.map(\.id) == ["chard"] && catalog.lastError == nil)
            await catalog.mark(chard, asFavourite: false)
            #expect(catalog.shown.isEmpty)
        }
    }

    @Test func `a model that is followed tells its view of each change, until it is cancelled`() async throws {
        try await withMarket { farm, client, _ in
            let page = ProductModel(client, product: "leek")
            let following = Task { await page.follow() }
            try await until(page) { page.product?.title == "Leek" }
            #expect(page.product?.best == nil)
            farm.tells(#"{"lots":{"updated":[{"id":"L2","free":7}]}}"#, at: 2)
            try await client.sync()
            try await until(page) { page.product?.best?.left == 7 }
            following.cancel()
            await following.value
            farm.tells(#"{"lots":{"updated":[{"id":"L2","free":0}]}}"#, at: 3)
            try await client.sync()
            #expect(page.product?.best?.left == 7, "it is not followed any more")
            #expect(ProductModel(client, product: "melons").product == nil)
        }
    }

    @Test func `the cart survives a restart, knows what can be ordered, and becomes an order without a network`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let farm = try SmallFarm()
            defer { farm.close() }
            farm.tells(Self.market.replacing("\n", with: ""), at: 1, all: true)
            do {
                let client = try FarmClient(server: farm.url, folder: folder)
                try await client.sync()
                let cart = CartModel(client)
                await cart.add("o1")
                await cart.add("o2", 3)
                await cart.add("o1")
                #expect(cart.lines.map(\.quantity) == [2, 3] && cart.canBeOrdered)
                #expect(cart.total?.minor == 1680, "2 × 390 + 3 × 300")
                await cart.add("o3")
                #expect(!cart.canBeOrdered && cart.lines.map(\.isAvailable) == [true, true, false])
            }
            let client = try FarmClient(server: farm.url, folder: folder)
            let (cart, orders) = (CartModel(client), OrdersModel(client))
            await cart.refresh()
            #expect(cart.lines.map(\.id) == ["o1", "o2", "o3"] && cart.pickups.map(\.id) == ["barn"])
            await cart.set("o3", to: 0)
            let order = try #require(await cart.order(pickup: "barn"))
            #expect(cart.lines.isEmpty && cart.total == nil && cart.lastError == nil)
            await orders.refresh()
            #expect(orders.orders.map(\.id) == [order.id] && orders.orders.first?.state == .waiting)
            // An empty cart is no order.
            #expect(await cart.order(pickup: "barn") == nil)
            #expect(cart.lastError?.code == .misuse)
        }
    }

    @Test func `a folder can be opened again as soon as its client is released`() async throws {
        try await withTemporaryDirectory { folder in
            let farm = try SmallFarm()
            defer { farm.close() }
            farm.tells(Self.market.replacing("\n", with: ""), at: 1, all: true)
            for _ in 0..<200 { try await FarmClient(server: farm.url, folder: folder).sync() }
        }
    }

    @Test func `an order moves from this device to the farm, and one that waits is taken back`() async throws {
        try await withMarket { farm, client, _ in
            farm.set { $0.person = "bea" }
            _ = try await client.signIn(email: "bea@buyers.test", password: "battery staple")
            farm.tells("{}", at: 2, scope: "person/bea", me: SmallFarm.me("bea"))
            let orders = OrdersModel(client)
            try client.order([OrderItem(offer: "o2", quantity: 1)], pickup: "barn")
            await orders.refresh()
            #expect(orders.orders.map(\.state) == [.waiting])
            try await client.sync()
            await orders.refresh()
            #expect(orders.orders.map(\.state) == [.accepted("placed")] && orders.orders.first?.total?.minor == 1)
            await orders.cancel(try #require(orders.orders.first))
            #expect(orders.orders.map(\.isBeingCancelled) == [true])
            try client.order([OrderItem(offer: "o2", quantity: 1)], pickup: "barn")
            await orders.refresh()
            #expect(orders.orders.count == 2)
            await orders.cancel(try #require(orders.orders.first))
            #expect(orders.orders.map(\.isBeingCancelled) == [true], "the one that waited is gone")
        }
    }

    @Test func `a story is shown only if every check has passed, and that of the latest code`() async throws {
        try await withClient { farm, client, _ in
            let page = StoryModel(client)
            guard case .empty = page.state else { return #expect(Bool(false), "\(page.state)") }
            await page.open("https://farm.test/no-label")
            guard case .failed(let error) = page.state else { return #expect(Bool(false), "\(page.state)") }
            #expect(!error.detail.isEmpty)
            let grown = try {
                var log = farm.log
                for lot in ["TOM-1", "TOM-2"] { try log.issue(lot) }
                return log
            }()
            farm.set { $0.log = grown }
            await page.open(try grown.label("TOM-1", serial: "BOX1"))
            guard case .verified(let story) = page.state else { return #expect(Bool(false), "\(page.state)") }
            #expect(story.lot == "TOM-1" && story.isLabelSigned)
            // The first code's answer arrives after the second's.
            farm.set { $0.holds = { $0.path.contains("TOM-1") && $0.path.hasSuffix("/passport") } }
            let before = farm.requests.count
            let slow = Task { await page.open(try grown.label("TOM-1", serial: "BOX1")) }
            while !farm.requests.dropFirst(before).contains(where: { $0.path.hasSuffix("/passport") }) {
                await Task.yield()
            }
            await page.open(try grown.label("TOM-2", serial: "BOX1"))
            farm.release()
            try await slow.value
            guard case .verified(let latest) = page.state else { return #expect(Bool(false), "\(page.state)") }
            #expect(latest.lot == "TOM-2")
        }
    }

    /// Waits until the model shows something, told by its observation alone.
    private func until(_ model: some ViewModel, _ isShown: @escaping @MainActor () -> Bool) async throws {
        while true {
            let changed = AsyncStream<Void>.makeStream()
            let isDone = withObservationTracking(isShown) {
                changed.continuation.yield()
                changed.continuation.finish()
            }
            if isDone { return }
            var iterator = changed.stream.makeAsyncIterator()
            await iterator.next()
            // The value is set after this turn of the main actor.
            await Task.yield()
        }
    }
}
