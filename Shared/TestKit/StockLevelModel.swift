public import Events
public import Vocabulary

/// The boxes of lots, as they follow from the events of the market and the ledger: what the market has to publish.
///
/// It is written apart from the market's own projection, so that one can be checked by the other. Tests of services
/// that store the levels use it in place of a market.
public struct StockLevelModel {
    private struct Lot {
        var boxes = 0
        var held = 0
        var ordered = 0
        var isBlocked = false
        var holds = OpenHolds()
    }

    private var lots: [LotID: Lot] = [:]
    private var carts: [PersonID: [LotID: Int]] = [:]
    private var orders: [OrderID: [LotID: Int]] = [:]
    private var published: [LotID: StockLevelChanged] = [:]

    /// Creates a model without lots.
    public init() {}

    /// Returns the levels that an event changes, in the order of their lots.
    public mutating func apply(_ fact: EventPayload) -> [StockLevelChanged] {
        switch fact {
        case .catalog(.stockSet(let event)): lots[event.lot, default: Lot()].boxes = event.boxes
        case .catalog(.stockAdjusted(let event)): lots[event.lot, default: Lot()].boxes += event.by
        case .catalog(.lotBlocked(let event)): lots[event.lot, default: Lot()].isBlocked = true
        case .trace(.handedOver(let event)): lots[event.lot, default: Lot()].isBlocked = true
        case .trace(.lotRecalled(let event)):
            for lot in [event.lot] + event.includes { lots[lot, default: Lot()].isBlocked = true }
        case .trace(.lotSplit(let event)):
            lots[event.into, default: Lot()].holds = lots[event.lot, default: Lot()].holds
        case .trace(let fact):
            guard let change = fact.holdChange else { return [] }
            for lot in change.lots { lots[lot, default: Lot()].holds.apply(change) }
        case .orders(.cartHeld(let event)):
            hold(event.buyer, boxes(event.lines))
        case .orders(.cartReleased(let event)): hold(event.buyer, [:])
        case .orders(.orderPlaced(let event)): order(event.order, boxes(event.lines))
        case .orders(.orderChanged(let event)): order(event.order, boxes(event.lines))
        case .orders(.orderCancelled(let event)): order(event.order, [:])
        case .orders(.orderCollected(let event)):
            for (lot, boxes) in orders[event.order] ?? [:] { lots[lot, default: Lot()].boxes -= boxes }
            order(event.order, [:])
        case .catalog, .orders, .inventory, .sync, .journal, .sensors, .recommendations: return []
        }
        return changes()
    }

    /// The level of each lot that has or had boxes.
    public var levels: [LotID: StockLevelChanged] { published }

    private mutating func hold(_ buyer: PersonID, _ boxes: [LotID: Int]) {
        for (lot, count) in carts[buyer] ?? [:] { lots[lot, default: Lot()].held -= count }
        for (lot, count) in boxes { lots[lot, default: Lot()].held += count }
        carts[buyer] = boxes
    }

    private mutating func order(_ order: OrderID, _ boxes: [LotID: Int]) {
        for (lot, count) in orders[order] ?? [:] { lots[lot, default: Lot()].ordered -= count }
        for (lot, count) in boxes { lots[lot, default: Lot()].ordered += count }
        orders[order] = boxes
    }

    private func boxes(_ lines: [OrderLine]) -> [LotID: Int] {
        var boxes: [LotID: Int] = [:]
        for line in lines { if let lot = line.lot { boxes[lot, default: 0] += line.boxes } }
        return boxes
    }

    private mutating func changes() -> [StockLevelChanged] {
        lots.keys.sorted { $0.rawValue < $1.rawValue }.compactMap { name in
            guard let lot = lots[name] else { return nil }
            let left = max(0, lot.boxes - lot.held - lot.ordered)
            let level = StockLevelChanged(
                lot: name, boxes: lot.boxes, held: lot.held, ordered: lot.ordered,
                free: lot.isBlocked || lot.holds.isHeld ? 0 : left)
            let before = published[name] ?? StockLevelChanged(lot: name, boxes: 0, held: 0, ordered: 0, free: 0)
            guard level != before else { return nil }
            published[name] = level
            return level
        }
    }
}
