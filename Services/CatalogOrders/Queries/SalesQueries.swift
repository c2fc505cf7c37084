import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The staff's queries about orders.
extension MarketQueries {
    /// Returns a page of all buyers' orders, each with the buyer's name if the vault has one.
    func soldOrders(_ body: RequestBody) throws(Problem) -> Response {
        let (pickup, state) = (try body.optionalText("pickup"), try body.optionalText("state"))
        let lot = try body.optionalText("lot")
        let page = try rows(
            OrderRow.self, body,
            where: { row in
                (pickup == nil || row.state.pickup?.rawValue == pickup)
                    && (state == nil || row.state.phase.rawValue == state)
                    && (lot == nil || row.state.lines.contains { $0.lot?.rawValue == lot })
            })
        var names: [PersonID: String] = [:]
        for case let buyer? in page.rows.map({ $0.state.placed?.buyer }) where names[buyer] == nil {
            names[buyer] = try contacts?.contact(of: buyer)?.name
        }
        return list(page.rows, next: page.next) { row, json in
            write(row, &json)
            let buyer = row.state.placed?.buyer
            json.field("buyer", ifPresent: buyer)
            json.field("name", ifPresent: buyer.flatMap { names[$0] })
        }
    }

    /// Returns the quantities to pack for each pick-up point, summed over its open orders.
    ///
    /// Orders that must be paid in advance are left out until they are paid.
    func packing(_ body: RequestBody) throws(Problem) -> Response {
        let only = try body.optionalText("pickup").map { PickupID($0) }
        let open = tables.find(OrderRow.self, where: "phase", is: OrderState.placed.rawValue, limit: .max)
            .filter { $0.state.placed?.payment == .atPickup || $0.state.isPaid }
            .filter { only == nil || $0.state.pickup == only }
        let places = Dictionary(grouping: open) { $0.state.pickup?.rawValue ?? "" }.sorted { $0.key < $1.key }
        return list(places, next: nil) { place, json in
            json.field("pickup", place.key)
            json.field("title", ifPresent: tables.get(PickupRow.self, place.key)?.place.title)
            json.field("orders", place.value.count)
            let sums = Self.sums(of: place.value.flatMap(\.state.lines))
            json.field("lines", array: { json in for line in sums { json.object { json in write(line, &json) } } })
        }
    }

    /// The quantity of a product of one lot in all orders of a pick-up point.
    private struct Sum {
        let product: ProductID
        let lot: LotID?
        var quantity = 0
        var boxes = 0
    }

    private static func sums(of lines: [OrderLine]) -> [Sum] {
        let groups = Dictionary(grouping: lines) { "\($0.product)|\($0.lot?.rawValue ?? "")" }
        return groups.sorted { $0.key < $1.key }.compactMap { _, lines in
            lines.first.map { first in
                lines.reduce(into: Sum(product: first.product, lot: first.lot)) { sum, line in
                    sum.quantity += line.quantity
                    sum.boxes += line.boxes
                }
            }
        }
    }

    private func write(_ sum: Sum, _ json: inout JSONWriter) {
        let product = tables.get(ProductRow.self, sum.product.rawValue)
        json.field("product", sum.product)
        json.field("title", ifPresent: product?.details.title)
        json.field("unit", ifPresent: product?.details.unit)
        json.field("lot", ifPresent: sum.lot)
        json.field("quantity", sum.quantity)
        json.field("boxes", sum.boxes)
    }
}
