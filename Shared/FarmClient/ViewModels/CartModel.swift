import JSON
public import Observation
import SQLite
public import Vocabulary

/// The cart of this device: it survives a restart, and becomes an order with or without a network.
@MainActor
@Observable
public final class CartModel: ViewModel {
    /// One line of the cart.
    public struct Line: Sendable, Equatable, Identifiable {
        /// The id of the offer.
        public let id: String
        /// The number of units.
        public let quantity: Int
        /// The product and the offer; nil if the shop has it no more.
        public let product: ShopProduct?
        public let offer: ShopOffer?

        /// Price times quantity; nil if the offer is gone.
        public var amount: Money? { offer?.price.times(quantity) }
        /// Whether this many units can be ordered now.
        public var isAvailable: Bool { (offer?.left ?? 0) >= quantity }
    }

    public let farm: FarmClient
    public var lastError: FarmClientError?
    /// The lines in the order in which they were added.
    public private(set) var lines: [Line] = []
    /// The pickup places: id and title.
    public private(set) var pickups: [(id: String, title: String)] = []
    /// The ways to pay, as of the last synchronisation: `at-pickup`.
    public private(set) var payments: [String] = []

    public init(_ farm: FarmClient) { self.farm = farm }

    public func update() async throws(FarmClientError) {
        let catalog = try await catalog()
        lines = try farm.cart().map { item in
            let found = catalog.offer(item.offer)
            return Line(id: item.offer, quantity: item.quantity, product: found?.product, offer: found?.offer)
        }
        pickups = catalog.pickups
        payments = try farm.payments()
    }

    /// The sum; nil if the cart is empty, a line has no offer, or the lines have several currencies.
    public var total: Money? {
        let amounts = lines.map(\.amount)
        return amounts.contains(nil) ? nil : Money.sum(amounts.compactMap(\.self))
    }

    /// Whether every line can be ordered now.
    public var canBeOrdered: Bool { !lines.isEmpty && lines.allSatisfy(\.isAvailable) }

    /// Sets the number of units of an offer; 0 removes it.
    public func set(_ offer: String, to quantity: Int) async {
        await change { () throws(FarmClientError) in
            var items = try farm.cart()
            let place = items.firstIndex { $0.offer == offer }
            if let place { items.remove(at: place) }
            if quantity > 0 {
                items.insert(OrderItem(offer: offer, quantity: quantity), at: place ?? items.endIndex)
            }
            try farm.store(cart: items)
        }
    }

    /// Adds units of an offer.
    public func add(_ offer: String, _ quantity: Int = 1) async {
        let before = lines.first { $0.id == offer }?.quantity ?? 0
        await set(offer, to: before + quantity)
    }

    /// Orders what is in the cart, and empties it. The order waits on the device until it is sent.
    ///
    /// Returns the pending order; nil if it could not be written down (`lastError`).
    @discardableResult
    public func order(pickup: String, payment: String = "at-pickup") async -> PendingChange? {
        var order: PendingChange?
        await change { () throws(FarmClientError) in
            order = try farm.order(try farm.cart(), pickup: pickup, payment: payment)
            try farm.store(cart: [])
        }
        return order
    }

    private func change(_ body: () throws(FarmClientError) -> Void) async {
        do throws(FarmClientError) {
            try body()
            try await update()
            lastError = nil
        } catch {
            lastError = error
        }
    }
}

extension FarmClient {
    /// Returns what is in the cart of this device.
    public func cart() throws(FarmClientError) -> [OrderItem] {
        let stored: String? = try kept { keep throws(SQLiteError) in try keep.fact(.cart) }
        guard let stored, case .array(let items)? = parsed(stored) else { return [] }
        return items.compactMap { item in
            guard case .string(let offer)? = item["offer"], case .integer(let quantity)? = item["quantity"] else {
                return nil
            }
            return OrderItem(offer: offer, quantity: Int(clamping: quantity))
        }
    }

    /// Stores what is in the cart of this device.
    ///
    /// - Throws: `misuse` for more lines than an order may have; `store`.
    public func store(cart items: [OrderItem]) throws(FarmClientError) {
        guard items.count <= ClientLimits.cartLines else {
            throw FarmClientError(.misuse, "A cart has \(ClientLimits.cartLines) lines at most.")
        }
        let stored = JSONAny.array(
            items.map { .object([("offer", .string($0.offer)), ("quantity", .integer(Int64($0.quantity)))]) })
        try kept { keep throws(SQLiteError) in try keep.put(.cart, items.isEmpty ? nil : text(of: stored)) }
        tell()
    }
}
