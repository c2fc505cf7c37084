import EventSourcing
import Events
import Vocabulary

/// A row about one hour, whose key ends in the hours since 1970 with 8 digits.
protocol HourlyRow: TableRow {}

extension HourlyRow {
    /// The hours since 1970 (UTC).
    var hour: Int64 { Int64(key.suffix(8)) ?? 0 }
}

/// One quantity of one place during one hour. The key is `<place>|<quantity>|<hours since 1970, 8 digits>`.
struct HourRow: HourlyRow {
    static let schema = TableSchema(
        "hour", [("count", .integer), ("sum", .real), ("lowest", .real), ("highest", .real), ("latest", .real)])

    let key: String
    var count = 0
    var sum = 0.0
    var lowest = Double.infinity
    var highest = -Double.infinity
    var latest = 0.0

    init(_ place: Place, _ quantity: Quantity, hour: Int64) {
        key = Self.prefix(place, quantity) + hour.hourDigits
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        count = try cells.int()
        sum = try cells.real()
        lowest = try cells.real()
        highest = try cells.real()
        latest = try cells.real()
    }

    var cells: [Cell] { [.integer(Int64(count)), .real(sum), .real(lowest), .real(highest), .real(latest)] }

    mutating func add(_ value: Double) {
        count += 1
        sum += value
        lowest = min(lowest, value)
        highest = max(highest, value)
        latest = value
    }

    /// Calls `body` with the hours of a quantity at a place in a period, in order; with the newest `most` if there are
    /// more.
    static func each(
        _ place: Place, _ quantity: Quantity, from: Instant, to: Instant, most: Int64, in tables: any Tables,
        _ body: (HourRow) -> Void
    ) {
        let prefix = prefix(place, quantity)
        let last = to.hours
        var next = max(from.hours, last - most + 1)
        while next <= last {
            let page = tables.scan(
                HourRow.self, prefix: prefix, after: prefix + (next - 1).hourDigits,
                limit: min(1000, Int(last - next) + 1))
            for row in page where row.hour <= last { body(row) }
            guard let end = page.last?.hour, page.count == 1000 else { return }
            next = end + 1
        }
    }

    /// Returns whether there is any such hour.
    static func exists(
        _ place: Place, _ quantity: Quantity, from: Instant, to: Instant, most: Int64, in tables: any Tables
    ) -> Bool {
        let prefix = prefix(place, quantity)
        let last = to.hours
        let first = max(from.hours, last - most + 1)
        let row = tables.scan(HourRow.self, prefix: prefix, after: prefix + (first - 1).hourDigits, limit: 1).first
        return row.map { $0.hour <= last } ?? false
    }

    static func prefix(_ place: Place, _ quantity: Quantity) -> String { "\(place)|\(quantity.rawValue)|" }
}

/// The newest value of one quantity at one place. The key is `<place>|<quantity>`.
struct LatestRow: TableRow {
    static let schema = TableSchema("latest", [("value", .real), ("at", .integer)])

    let key: String
    let value: Double
    var at: Instant

    init(_ place: Place, _ quantity: Quantity, value: Double, at: Instant) {
        key = "\(place)|\(quantity.rawValue)"
        self.value = value
        self.at = at
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        value = try cells.real()
        at = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.real(value), .integer(at.microseconds)] }
}

/// An alarm at a place. The key is `<place>|<hour it ended with, 8 digits>|<rule>|<point>|<microseconds since 1970>`.
///
/// So alarms that ended later are found without reading the earlier ones. An open alarm has the hour 99,999,999.
struct LedgerAlarmRow: TableRow {
    static let schema = TableSchema(
        "alarm",
        [
            ("quantity", .text), ("value", .real), ("bound", .real), ("raised", .integer), ("cleared", .integer),
            ("open", .text), ("products", .text), ("over_minutes", .integer),
            ("stage", .text),
        ], indexed: ["open"], version: 2)

    private(set) var key: String
    let quantity: Quantity
    let value: Double
    let limit: Double
    let raised: Instant
    private(set) var cleared: Instant?
    /// `<rule>|<point>` while the alarm is open, then empty.
    private(set) var open: String
    /// The products that a limit of goods is about, as compared; nil for a limit of the place.
    let products: [String]?
    /// The minutes of a limit of change, of which `value` is the change; nil for a limit of the value.
    let overMinutes: Int?
    /// The stage of lots that the limit of goods is about; nil if it is about every stage.
    let stage: LotStage?

    /// - Parameter kind: The kind of goods whose limit it is, as it was when the alarm was raised.
    init(_ event: AlarmRaised, at raised: Instant, kind: GoodsLimitsSet?) {
        open = "\(event.rule)|\(event.point)"
        key = "\(event.place)|99999999|\(open)|\(raised.microseconds)"
        quantity = event.quantity
        value = event.value
        limit = event.limit
        self.raised = raised
        products = kind.map { $0.products.map(StorageLimits.comparable) }
        overMinutes = event.overMinutes
        stage = kind?.stage
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        quantity = try cells.text(Quantity.init(rawValue:))
        value = try cells.real()
        limit = try cells.real()
        raised = Instant(microseconds: try cells.integer())
        cleared = try cells.optionalInteger().map { Instant(microseconds: $0) }
        open = try cells.text()
        products = try cells.optionalText()?.split(separator: "\n").map(String.init)
        overMinutes = try cells.optionalInteger().map { Int($0) }
        stage = try cells.optionalText().flatMap(LotStage.init(rawValue:))
    }

    var cells: [Cell] {
        [
            .text(quantity.rawValue), .real(value), .real(limit), .integer(raised.microseconds),
            Cell(cleared?.microseconds), .text(open), Cell(products?.joined(separator: "\n")),
            Cell(overMinutes.map(Int64.init)), Cell(stage?.rawValue),
        ]
    }

    /// Returns the row of the cleared alarm, which has another key.
    func cleared(at time: Instant) -> LedgerAlarmRow {
        var row = self
        row.cleared = time
        row.key = "\(key.prefix { $0 != "|" })|\(time.hours.hourDigits)|\(open)|\(raised.microseconds)"
        row.open = ""
        return row
    }

    /// Returns the alarms of a place that were open in a period, in the order of their end.
    static func overlapping(_ place: Place, from: Instant, to: Instant, in tables: any Tables) -> [LedgerAlarmRow] {
        var found: [LedgerAlarmRow] = []
        // The key sorts before those of all alarms that ended in that hour, which are longer.
        var after = "\(place)|\(from.hours.hourDigits)"
        while true {
            let page = tables.scan(LedgerAlarmRow.self, prefix: "\(place)|", after: after, limit: LedgerLimits.alarms)
            found += page.filter { $0.overlaps(from, to) }
            guard let last = page.last, page.count == LedgerLimits.alarms else { return found }
            after = last.key
        }
    }

    /// Whether the alarm is about a lot in the place: a limit of goods is about its products only, and one of packed
    /// goods about lots with boxes.
    func concerns(_ lot: LotRow) -> Bool {
        if stage == .packed, lot.state.boxes == 0 { return false }
        return products?.contains(StorageLimits.comparable(lot.state.harvest?.product ?? "")) ?? true
    }

    func overlaps(_ from: Instant, _ to: Instant) -> Bool {
        raised <= to && (cleared ?? to) >= from
    }
}
