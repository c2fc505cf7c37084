import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The row of the test services.
struct TallyRow: TableRow {
    static let schema = TableSchema("tally", [("count", .integer), ("trail", .integer)])

    let key: String
    var count: Int64 = 0
    var trail: Int64 = 0

    init(key: String) {
        self.key = key
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        count = try cells.integer()
        trail = try cells.integer()
    }

    var cells: [Cell] { [.integer(count), .integer(trail)] }
}

/// The row of a later build, which also stores the largest number, and counts all devices.
struct WideRow: TableRow {
    static let schema = TableSchema("tally", [("count", .integer), ("largest", .integer)])
    static let all = TableSchema("whole", [("count", .integer), ("largest", .integer)])

    let key: String
    var count: Int64 = 0
    var largest: Int64 = 0

    init(key: String) {
        self.key = key
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        count = try cells.integer()
        largest = try cells.integer()
    }

    var cells: [Cell] { [.integer(count), .integer(largest)] }
}

/// A service that counts reports; the trail depends on their order.
protocol Tallying: Service {
    static func note(_ device: String, _ number: Int64, in tables: some Tables)
}

extension Tallying {
    static var name: String { "tally" }
    static var tables: [TableSchema] { [TallyRow.schema] }

    static func fold(_ told: RecordedEvent, into tables: some Tables) {
        guard case .sensors(.measured(let event)) = told.fact else { return }
        note(event.device.rawValue, Int64(clamping: event.counter ?? 0), in: tables)
    }

    static func note(_ device: String, _ number: Int64, in tables: some Tables) {
        var row = tables.get(TallyRow.self, device) ?? TallyRow(key: device)
        row.count += 1
        row.trail = row.trail &* 31 &+ number
        tables.put(row)
    }

    mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        guard case .asked(let ask) = input else { return [] }
        let count = tables.get(TallyRow.self, "ble:01")?.count ?? 0
        return [.settle(ask, [Tally.report("ble:01", Int(count) + 1)], .made(201) { $0.field("count", count) })]
    }
}

/// The current build.
struct Tally: Tallying {
    static func report(_ device: String, _ number: Int) -> Draft {
        let event = Measured(
            device: DeviceID(device), format: "test", readings: [Reading(.temperature, 20)], source: "test",
            counter: UInt64(number), repeats: 1, payload: "00")
        return Draft(event, in: "device/\(device)", by: .node(DeviceID(device)))
    }
}

/// A mutant that omits one event.
struct SkippingTally: Tallying {
    static func note(_ device: String, _ number: Int64, in tables: some Tables) {
        if number != 77 { Tally.note(device, number, in: tables) }
    }
}

/// The next build, in which the same columns have another meaning.
struct SecondTally: Tallying {
    static var tables: [TableSchema] {
        [TableSchema(TallyRow.schema.name, TallyRow.schema.columns, version: 2)]
    }

    static func note(_ device: String, _ number: Int64, in tables: some Tables) {
        Tally.note(device, number * 2, in: tables)
    }
}

/// The build after that, with other columns and a new table.
struct WideTally: Tallying {
    static var tables: [TableSchema] { [WideRow.schema, WideRow.all] }

    static func note(_ device: String, _ number: Int64, in tables: some Tables) {
        var row = tables.get(WideRow.self, device) ?? WideRow(key: device)
        row.count += 1
        row.largest = max(row.largest, number)
        tables.put(row)
    }
}
