import EventSourcing
import Events
import JSON
import Vocabulary

/// A cart with reserved stock. The key is the buyer.
struct CartRow: TableRow {
    static let schema = TableSchema("cart", [("lines", .text), ("until", .integer)])

    let key: String
    let lines: [OrderLine]
    let until: Instant

    init(_ event: CartHeld) {
        key = event.buyer.rawValue
        lines = event.lines
        until = event.until
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        lines = try cells.lines(Self.schema, key)
        until = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.text(lines.text), .integer(until.microseconds)] }

    /// The items of the cart without prices, to price them again.
    var wishes: [CartItem] {
        lines.compactMap { line in line.offer.map { CartItem(offer: $0, quantity: line.quantity) } }
    }
}

/// The current state of an order. The key is the order.
struct OrderRow: TableRow {
    static let schema = TableSchema(
        "orders",
        [
            ("buyer", .text), ("phase", .text), ("placed", .integer), ("first_lines", .text), ("first_total", .integer),
            ("currency", .text), ("first_pickup", .text), ("payment", .text), ("until", .integer), ("lines", .text),
            ("total", .integer), ("pickup", .text), ("captured", .integer), ("refunded", .integer),
            ("refunds", .integer), ("reason", .text), ("recalled", .text),
        ], indexed: ["buyer", "phase"])

    let key: String
    /// When it was placed.
    let placed: Instant
    var state: Order.State
    /// The number of refunds.
    var refunds = 0
    /// The reason of the cancellation.
    var reason: String?
    /// The reason of the newest recall of lots in it.
    var recalled: String?

    init(_ event: OrderPlaced, at placed: Instant) {
        key = event.order.rawValue
        self.placed = placed
        state = Order.fold([.orderPlaced(event)])
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        let buyer = PersonID(try cells.text())
        let phase = try cells.text(OrderState.init(rawValue:))
        placed = Instant(microseconds: try cells.integer())
        let lines = try cells.lines(Self.schema, key)
        let total = try cells.integer()
        let currency = try cells.text(Currency.init)
        let first = OrderPlaced(
            order: OrderID(key), buyer: buyer, lines: lines, total: Money(total, currency),
            pickup: PickupID(try cells.text()), payment: try cells.text(PaymentMethod.init(rawValue:)),
            until: try cells.optionalInteger().map { Instant(microseconds: $0) })
        state = Order.fold([.orderPlaced(first)])
        state.phase = phase
        state.lines = try cells.lines(Self.schema, key)
        state.total = Money(try cells.integer(), currency)
        state.pickup = PickupID(try cells.text())
        state.captured = try cells.integer()
        state.refunded = try cells.integer()
        refunds = try cells.int()
        reason = try cells.optionalText()
        recalled = try cells.optionalText()
    }

    /// Applies a later event of the order or its payments.
    mutating func apply(_ fact: OrdersEvent) {
        Order.evolve(&state, with: fact)
        switch fact {
        case .orderCancelled(let event): reason = event.reason ?? event.why.rawValue
        case .orderRefunded: refunds += 1
        case .orderRecalled(let event): recalled = event.reason
        case .cartHeld, .cartReleased, .orderPlaced, .orderChanged, .orderCollected, .orderImported,
            .orderRecordChanged, .paymentRequested, .paymentOpened, .paymentAuthorized, .paymentCaptured,
            .paymentFailed, .paymentVoided, .paymentRefunded:
            break
        }
    }

    var cells: [Cell] {
        let first = state.placed
        return [
            Cell(first?.buyer.rawValue ?? ""), .text(state.phase.rawValue), .integer(placed.microseconds),
            .text(first?.lines.text ?? "[]"), .integer(first?.total.minor ?? 0),
            Cell(first?.total.currency.code ?? ""), Cell(first?.pickup.rawValue ?? ""),
            Cell(first?.payment.rawValue ?? ""), Cell(first?.until?.microseconds), .text(state.lines.text),
            .integer(state.total?.minor ?? 0), Cell(state.pickup?.rawValue ?? ""), .integer(state.captured),
            .integer(state.refunded), .integer(Int64(refunds)), Cell(reason), Cell(recalled),
        ]
    }
}

/// An order with boxes of a lot, collected orders included. The key is `<lot>|<order>`.
struct LotOrderRow: TableRow {
    static let schema = TableSchema("lot_order", [("boxes", .integer), ("collected", .integer)])

    let key: String
    let boxes: Int
    let isCollected: Bool

    init(_ lot: LotID, _ order: OrderID, boxes: Int, isCollected: Bool = false) {
        key = Self.key(lot, order)
        self.boxes = boxes
        self.isCollected = isCollected
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        boxes = try cells.int()
        isCollected = try cells.flag()
    }

    var cells: [Cell] { [.integer(Int64(boxes)), Cell(isCollected)] }
    var order: OrderID { OrderID(String(key.drop { $0 != "|" }.dropFirst())) }

    static func key(_ lot: LotID, _ order: OrderID) -> String { "\(lot)|\(order)" }
}

/// The current state of a payment. The key is the payment.
struct PaymentRow: TableRow {
    static let schema = TableSchema(
        "payment",
        [
            ("orders", .text), ("minor", .integer), ("currency", .text), ("method", .text), ("until", .integer),
            ("phase", .text), ("reference", .text), ("page", .text), ("refunds", .text), ("refunded", .integer),
        ], indexed: ["orders"])

    let key: String
    var state: Payment.State

    init(_ event: PaymentRequested) {
        key = event.payment.rawValue
        state = Payment.fold([.paymentRequested(event)])
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        let order = OrderID(try cells.text())
        let amount = Money(try cells.integer(), try cells.text(Currency.init))
        let method = try cells.text(PaymentMethod.init(rawValue:))
        state = Payment.fold([
            .paymentRequested(
                PaymentRequested(
                    payment: PaymentID(key), order: order, amount: amount, method: method,
                    until: try cells.optionalInteger().map { Instant(microseconds: $0) }))
        ])
        state.phase = try cells.text(PaymentState.init(rawValue:))
        state.reference = try cells.optionalText()
        state.page = try cells.optionalText()
        state.refunds = try cells.text().split(separator: " ").map { RefundID(String($0)) }
        state.refunded = try cells.integer()
    }

    var cells: [Cell] {
        let asked = state.requested
        return [
            Cell(asked?.order.rawValue ?? ""), .integer(asked?.amount.minor ?? 0),
            Cell(asked?.amount.currency.code ?? ""), Cell(asked?.method.rawValue ?? ""),
            Cell(asked?.until?.microseconds), .text(state.phase.rawValue), Cell(state.reference), Cell(state.page),
            .text(state.refunds.map(\.rawValue).joined(separator: " ")), .integer(state.refunded),
        ]
    }
}

/// The expiry of a cart or an unpaid order.
///
/// The key is `<time>|<kind>|<name>`, so that the next to expire is the first in byte order.
struct ExpiryRow: TableRow {
    static let schema = TableSchema("due", [("since", .integer)])

    let key: String

    /// The things that can expire.
    enum Thing: Sendable, Equatable {
        case cart(PersonID)
        case order(OrderID)
        case promotion(PromotionID)
    }

    init(_ thing: Thing, at time: Instant) {
        key = Self.key(thing, at: time)
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        self.key = key
        var cells = try CellReader(Self.schema, key, cells)
        _ = try cells.integer()
    }

    var cells: [Cell] { [.integer(0)] }

    var thing: Thing? {
        let parts = key.split(separator: "|", maxSplits: 2)
        guard parts.count == 3 else { return nil }
        let name = String(parts[2])
        return switch parts[1] {
        case "cart": .cart(PersonID(name))
        case "promotion": .promotion(PromotionID(name))
        default: .order(OrderID(name))
        }
    }

    /// The time of expiry, which is the first 27 characters of the key.
    var time: Instant? { Instant(String(key.prefix(27))) }

    static func key(_ thing: Thing, at time: Instant) -> String {
        switch thing {
        case .cart(let buyer): "\(time)|cart|\(buyer)"
        case .order(let order): "\(time)|order|\(order)"
        case .promotion(let promotion): "\(time)|promotion|\(promotion)"
        }
    }
}

extension [OrderLine] {
    fileprivate var text: String {
        var json = JSONWriter()
        write(to: &json)
        return json.text
    }
}

extension CellReader {
    fileprivate mutating func lines(_ schema: TableSchema, _ key: String) throws(RowDecodingError) -> [OrderLine] {
        let text = try text()
        do {
            return try [OrderLine](json: JSONValue.parse(text))
        } catch {
            throw RowDecodingError(table: schema.name, key: key)
        }
    }
}
