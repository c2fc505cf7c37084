import EventSourcing
import Events
import Vocabulary

/// The criteria of a lot search: words, a plot, a period of harvest. A lot must match all of them.
struct LotSearch {
    /// The words in lower case. Each must be part of the lot's number, product or item number.
    private let words: [String]
    /// The lot that has a box with exactly this serial number; nil if there is none.
    private let boxed: String?
    private let plot: String?
    private let from: Instant?
    private let to: Instant?
    /// The most lots of one page.
    private let limit: Int
    private let tables: any Tables

    init(_ query: LotsQuery, in tables: any Tables) {
        let text = query.q ?? ""
        words = text.lowercased().split(separator: " ").map(String.init)
        boxed = tables.find(BoxRow.self, where: "serial", is: text.uppercased(), limit: 1).first?.lot
        plot = query.plot?.rawValue
        (from, to) = (query.from, query.to)
        limit = query.limit ?? LedgerLimits.pageItems
        self.tables = tables
    }

    /// Returns one page in the order of the list, and the key after which the next one begins; nil at the end.
    ///
    /// A page examines at most `LedgerLimits.searchedLots` lots, so it can be empty although a later one is not.
    func page(after last: String?) -> (rows: [ListedLotRow], next: String?) {
        if let boxed { return (only(boxed), nil) }
        var rows: [ListedLotRow] = []
        var examined = 0
        for part in ["0|", "1|"] {
            if let last, last.prefix(2) > part { continue }
            var after = [start(of: part), last.flatMap { $0.hasPrefix(part) ? $0 : nil }].compactMap(\.self).max()
            var isOver = false
            while !isOver {
                let some = tables.scan(ListedLotRow.self, prefix: part, after: after, limit: LedgerLimits.pageItems)
                isOver = some.count < LedgerLimits.pageItems
                for row in some {
                    examined += 1
                    if let from, row.harvested < from {
                        isOver = true
                        break
                    }
                    if fits(row) { rows.append(row) }
                    if rows.count == limit || examined == LedgerLimits.searchedLots { return (rows, row.key) }
                }
                after = some.last?.key ?? after
            }
        }
        return (rows, nil)
    }

    /// Returns the key before the first lot that can match. The list is sorted from the newest harvest to the oldest.
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
