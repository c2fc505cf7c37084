import EventSourcing
import Events
import Vocabulary
import Wire

/// What a caller looks for among the lots: words, a plot, a span of harvest. A lot is found if all that is given fits.
struct LotSearch {
    /// In lower case. Each is part of the lot's number, product or item number.
    private let words: [String]
    /// The lot that has a box with exactly this serial number, if there is one.
    private let boxed: String?
    private let plot: String?
    private let from: Instant?
    private let to: Instant?
    /// Lots of one page.
    private let limit: Int
    private let tables: any Tables

    /// `q` is searched for; `plot` limits to a plot, `from` and `to` to harvests from the one until before the
    /// other; `limit` is how many a page has at most.
    init(_ body: RequestBody, in tables: any Tables) throws(Problem) {
        let text = try body.optionalText("q") ?? ""
        words = text.lowercased().split(separator: " ").map(String.init)
        boxed = tables.find(BoxRow.self, where: "serial", is: text.uppercased(), limit: 1).first?.lot
        plot = try body.has("plot") ? body.name("plot") : nil
        (from, to) = (try body.find("from"), try body.find("to"))
        limit = try body.find("limit") ?? LedgerLimits.pageItems
        guard (1...LedgerLimits.pageItems).contains(limit) else {
            throw Problem(400, "malformed", "limit: ask for 1 to \(LedgerLimits.pageItems) lots.")
        }
        self.tables = tables
    }

    /// Returns one page in the order of the list, and the key after which the next one begins; nil at the end. A page
    /// looks at `LedgerLimits.searchedLots` lots at most, so it can be empty although a next one is not.
    func page(after last: String?) -> (rows: [ListedLotRow], next: String?) {
        if let boxed { return (only(boxed), nil) }
        var rows: [ListedLotRow] = []
        var looked = 0
        for part in ["0|", "1|"] {
            if let last, last.prefix(2) > part { continue }
            var after = [start(of: part), last.flatMap { $0.hasPrefix(part) ? $0 : nil }].compactMap(\.self).max()
            var isOver = false
            while !isOver {
                let some = tables.scan(ListedLotRow.self, prefix: part, after: after, limit: LedgerLimits.pageItems)
                isOver = some.count < LedgerLimits.pageItems
                for row in some {
                    looked += 1
                    if let from, row.harvested < from {
                        isOver = true
                        break
                    }
                    if fits(row) { rows.append(row) }
                    if rows.count == limit || looked == LedgerLimits.searchedLots { return (rows, row.key) }
                }
                after = some.last?.key ?? after
            }
        }
        return (rows, nil)
    }

    /// The list goes from the newest harvest to the oldest: nothing before this key was harvested in time.
    private func start(of part: String) -> String? {
        to.map { part + ListedLotRow.digits(ofHour: $0.hours + 1) + "}" }
    }

    private func only(_ lot: String) -> [ListedLotRow] {
        tables.get(LotRow.self, lot).map { ListedLotRow($0) }.map { [$0] }?.filter(isInTime) ?? []
    }

    private func fits(_ row: ListedLotRow) -> Bool {
        guard isInTime(row) else { return false }
        guard !words.isEmpty else { return true }
        let text = "\(row.lot) \(row.product) \(row.gtin)".lowercased()
        return words.allSatisfy { text.contains($0) }
    }

    private func isInTime(_ row: ListedLotRow) -> Bool {
        (plot == nil || row.plot == plot) && (from.map { row.harvested >= $0 } ?? true)
            && (to.map { row.harvested < $0 } ?? true)
    }
}
