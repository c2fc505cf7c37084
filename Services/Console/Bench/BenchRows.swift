import EventSourcing
import Events
import Vocabulary

/// The newest report of a node; the key is its device.
struct BenchLatestRow: TableRow {
    static let schema = TableSchema(
        "bench_latest", [("time", .integer), ("temperature", .real), ("humidity", .real), ("illuminance", .real)])

    let key: String
    let time: Int64
    let values: BenchValues

    init(key: String, time: Instant, readings: [Events.Reading]) {
        self.key = key
        self.time = time.microseconds
        values = BenchValues(readings)
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        time = try cells.integer()
        values = try BenchValues(&cells)
    }

    var cells: [Cell] { values.cells(behind: time) }
}

/// The sums of an hour, from which its means are computed. The key is `<device>|<hour since 1970>`.
struct BenchHourRow: TableRow {
    static let schema = TableSchema(
        "bench_hour", [("count", .integer), ("temperature", .real), ("humidity", .real), ("illuminance", .real)])

    let key: String
    private(set) var count: Int64 = 0
    private(set) var sums = BenchValues([])

    init(key: String) {
        self.key = key
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        count = try cells.integer()
        sums = try BenchValues(&cells)
    }

    mutating func add(_ readings: [Events.Reading]) {
        count += 1
        sums.add(BenchValues(readings))
    }

    var cells: [Cell] { sums.cells(behind: count) }
}

/// The values that a node of the demonstration measures.
struct BenchValues: Equatable {
    private var temperature = 0.0
    private var humidity = 0.0
    private var illuminance = 0.0

    init(_ readings: [Events.Reading]) {
        for reading in readings {
            switch reading.quantity {
            case .temperature: temperature = reading.value
            case .humidity: humidity = reading.value
            case .illuminance: illuminance = reading.value
            default: continue
            }
        }
    }

    init(_ cells: inout CellReader) throws(RowDecodingError) {
        temperature = try cells.real()
        humidity = try cells.real()
        illuminance = try cells.real()
    }

    mutating func add(_ values: BenchValues) {
        temperature += values.temperature
        humidity += values.humidity
        illuminance += values.illuminance
    }

    func cells(behind first: Int64) -> [Cell] {
        [.integer(first), .real(temperature), .real(humidity), .real(illuminance)]
    }
}
