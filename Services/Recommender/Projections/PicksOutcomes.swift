import EventSourcing
import Events
import Vocabulary

/// A person's picks of one day, and which of them the person ordered within a week. The key is `<person>|<day>`.
struct PicksOutcomeRow: TableRow {
    static let schema = TableSchema(
        "picks_outcome", [("person", .text), ("model", .text), ("chosen", .integer), ("products", .text)],
        indexed: ["person"])

    /// One of the picks.
    struct Pick: Equatable, Sendable {
        let product: ProductID
        /// The probability with which it was drawn; thousandths.
        let chance: Int
        var isOrdered = false
    }

    let key: String
    let person: PersonID
    let model: PicksModel
    let chosen: Instant
    var picks: [Pick]

    /// Returns nil for picks of a version that recorded no probabilities.
    init?(_ event: PicksChosen, at time: Instant) {
        guard let model = event.model, event.chances.count == event.products.count else { return nil }
        key = "\(event.person)|\(event.day)"
        person = event.person
        self.model = model
        chosen = time
        picks = zip(event.products, event.chances).map { Pick(product: $0, chance: $1) }
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        person = PersonID(try cells.text())
        model = try cells.text(PicksModel.init(rawValue:))
        chosen = Instant(microseconds: try cells.integer())
        picks = try cells.text().split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let chance = Int(parts[0]) else { return nil }
            return Pick(product: ProductID(String(parts[2])), chance: chance, isOrdered: parts[1] == "1")
        }
    }

    var cells: [Cell] {
        let lines = picks.map { "\($0.chance) \($0.isOrdered ? 1 : 0) \($0.product)" }
        return [
            .text(person.rawValue), .text(model.rawValue), .integer(chosen.microseconds),
            .text(lines.joined(separator: "\n")),
        ]
    }

    var day: String { String(key.drop { $0 != "|" }.dropFirst()) }
}

/// The sums of the outcomes of a model on one day. The key is `<day>|<model>`.
struct PicksCountRow: TableRow {
    static let schema = TableSchema(
        "picks_count",
        [
            ("people", .integer), ("ordering", .integer), ("picks", .integer), ("ordered", .integer),
            ("weight", .integer), ("ordered_weight", .integer),
        ])

    let key: String
    /// People with picks, and those of them who ordered one within a week.
    var (people, ordering) = (0, 0)
    /// Picks, and those that were ordered.
    var (picks, ordered) = (0, 0)
    /// The same, each weighted by the inverse of its probability; thousandths.
    var (weight, orderedWeight) = (0, 0)

    init(day: String, _ model: PicksModel) { key = "\(day)|\(model.rawValue)" }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        (people, ordering) = (try cells.int(), try cells.int())
        (picks, ordered) = (try cells.int(), try cells.int())
        (weight, orderedWeight) = (try cells.int(), try cells.int())
    }

    var cells: [Cell] {
        [people, ordering, picks, ordered, weight, orderedWeight].map { .integer(Int64($0)) }
    }

    var day: String { String(key.prefix { $0 != "|" }) }
    var model: PicksModel? { PicksModel(rawValue: String(key.drop { $0 != "|" }.dropFirst())) }

    /// The Monday of the day's week: `2026-04-27`.
    var monday: String {
        guard let time = Instant("\(day)T00:00:00Z") else { return day }
        let length: Int64 = 86_400_000_000
        let number = time.microseconds / length
        // The first of January 1970 was a Thursday.
        return String(Instant(microseconds: (number - (number + 3) % 7) * length).description.prefix(10))
    }

    /// Adds an outcome, or subtracts it if `times` is −1.
    mutating func add(_ outcome: PicksOutcomeRow, times: Int) {
        people += times
        if outcome.picks.contains(where: \.isOrdered) { ordering += times }
        for pick in outcome.picks {
            let weight = 1_000_000 / max(pick.chance, 1)
            picks += times
            self.weight += times * weight
            guard pick.isOrdered else { continue }
            ordered += times
            orderedWeight += times * weight
        }
    }
}

/// The projection of picks and orders into the outcomes of the models.
///
/// The outcomes of a person's last ``RecommenderLimits/outcomeDays`` days are stored, and the sums are those over the
/// stored outcomes. So the erasure of a person subtracts them exactly.
enum PicksOutcomes {
    /// Notes picks that were chosen, and deletes the person's outcomes that are too old.
    static func note(_ event: PicksChosen, at time: Instant, _ tables: some Tables) {
        for old in outcomes(of: event.person, tables)
        where time.seconds(since: old.chosen) > Double(RecommenderLimits.outcomeDays) * 86_400 {
            remove(old, tables)
        }
        guard var outcome = PicksOutcomeRow(event, at: time),
            tables.get(PicksOutcomeRow.self, outcome.key) == nil
        else { return }
        mark(&outcome, purchases(of: event.person, tables))
        put(outcome, instead: nil, tables)
    }

    /// Notes a change of a person's orders.
    static func update(_ person: PersonID, _ tables: some Tables) {
        // Only people with picks have outcomes; most imported orders are of others.
        guard tables.get(PicksRow.self, person.rawValue) != nil else { return }
        let stored = outcomes(of: person, tables)
        guard !stored.isEmpty else { return }
        let purchases = purchases(of: person, tables)
        for before in stored {
            var outcome = before
            mark(&outcome, purchases)
            if outcome.picks != before.picks { put(outcome, instead: before, tables) }
        }
    }

    /// Deletes the outcomes of an erased person.
    static func erase(_ person: PersonID, _ tables: some Tables) {
        for outcome in outcomes(of: person, tables) { remove(outcome, tables) }
    }

    private static func mark(_ outcome: inout PicksOutcomeRow, _ purchases: [PurchaseRow]) {
        let within = purchases.filter { purchase in
            let seconds = purchase.placed.seconds(since: outcome.chosen)
            return purchase.state != .cancelled && seconds >= 0 && seconds < RecommenderLimits.outcomeSeconds
        }
        let products = Set(within.flatMap { $0.products })
        for index in outcome.picks.indices {
            outcome.picks[index].isOrdered = products.contains(outcome.picks[index].product)
        }
    }

    private static func outcomes(of person: PersonID, _ tables: some Tables) -> [PicksOutcomeRow] {
        tables.find(PicksOutcomeRow.self, where: "person", is: person.rawValue, limit: RecommenderLimits.rows)
    }

    private static func purchases(of person: PersonID, _ tables: some Tables) -> [PurchaseRow] {
        tables.find(PurchaseRow.self, where: "buyer", is: person.rawValue, limit: RecommenderLimits.rows)
    }

    private static func remove(_ outcome: PicksOutcomeRow, _ tables: some Tables) {
        count(outcome, times: -1, tables)
        tables.remove(PicksOutcomeRow.self, outcome.key)
    }

    private static func put(_ outcome: PicksOutcomeRow, instead before: PicksOutcomeRow?, _ tables: some Tables) {
        if let before { count(before, times: -1, tables) }
        count(outcome, times: 1, tables)
        tables.put(outcome)
    }

    private static func count(_ outcome: PicksOutcomeRow, times: Int, _ tables: some Tables) {
        let new = PicksCountRow(day: outcome.day, outcome.model)
        var row = tables.get(PicksCountRow.self, new.key) ?? new
        row.add(outcome, times: times)
        if row.people == 0 { tables.remove(PicksCountRow.self, row.key) } else { tables.put(row) }
    }
}
