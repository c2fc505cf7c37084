import EventSourcing
import Events
import Vocabulary
import Wire

/// The staff's queries about orders.
extension MarketQueries {
    /// Returns a page of all buyers' orders, each with the buyer's name if the vault has one.
    func soldOrders(_ query: SoldOrdersQuery) throws(Problem) -> ResponsePage<SoldOrder> {
        var page = page(OrderRow.self, after: query.after) { (row: OrderRow) -> SoldOrder? in
            guard query.pickup == nil || row.state.pickup == query.pickup,
                query.state == nil || row.state.phase == query.state,
                query.lot == nil || row.state.lines.contains(where: { $0.lot == query.lot })
            else { return nil }
            return record(row).map { SoldOrder(order: $0, buyer: row.state.placed?.buyer) }
        }
        var names: [PersonID: String] = [:]
        for buyer in Set(page.items.compactMap(\.buyer)) { names[buyer] = try contacts?.contact(of: buyer)?.name }
        for index in page.items.indices { page.items[index].name = page.items[index].buyer.flatMap { names[$0] } }
        return page
    }

    /// Returns one order of any buyer, with how to reach them.
    func soldOrder(_ query: SoldOrderQuery) throws(Problem) -> SoldOrder {
        guard let row = tables.get(OrderRow.self, query.order.rawValue), let record = record(row) else {
            throw Order.Refusal.unknown.problem(query.order)
        }
        guard let buyer = row.state.placed?.buyer else { return SoldOrder(order: record) }
        return SoldOrder(order: record, buyer: buyer, contact: try contacts?.contact(of: buyer))
    }

    /// Returns the quantities to pack for each pick-up point, summed over its open orders.
    ///
    /// Orders that must be paid in advance are left out until they are paid.
    func packing(_ query: PackingQuery) -> ResponsePage<PackingResponse> {
        let open = tables.find(OrderRow.self, where: "phase", is: OrderState.placed.rawValue, limit: .max)
            .filter { $0.state.placed?.payment == .atPickup || $0.state.isPaid }
            .filter { query.pickup == nil || $0.state.pickup == query.pickup }
        let places = Dictionary(grouping: open) { $0.state.pickup?.rawValue ?? "" }.sorted { $0.key < $1.key }
        return ResponsePage(
            places.map { pickup, orders in
                PackingResponse(
                    pickup: pickup, title: tables.get(PickupRow.self, pickup)?.place.title, orders: orders.count,
                    lines: sums(of: orders.flatMap(\.state.lines)))
            })
    }

    private func sums(of lines: [OrderLine]) -> [PackingLine] {
        let groups = Dictionary(grouping: lines) { "\($0.product)|\($0.lot?.rawValue ?? "")" }
        return groups.sorted { $0.key < $1.key }.compactMap { _, lines in
            lines.first.map { first in
                let details = tables.get(ProductRow.self, first.product.rawValue)?.details
                return PackingLine(
                    product: first.product, title: details?.title, unit: details?.unit, lot: first.lot,
                    quantity: lines.reduce(0) { $0 + $1.quantity }, boxes: lines.reduce(0) { $0 + $1.boxes })
            }
        }
    }
}
