import EventSourcing
import Vocabulary

/// The reports of one device that were first heard within half an hour, and who heard them: where the identity of a
/// report is looked up. Kept for `SensorLimits.reportDays` after the last of them was recorded: an old capture that is
/// given again is recognised as long as a new one. The key is `<half hours since 1970, 8 digits>|<device>`.
struct ReportWindowRow: TableRow {
    static let schema = TableSchema("report_window", [("reports", .text), ("recorded", .integer)])

    let key: String
    let window: ReportWindow
    /// The half hour in which the newest of its receptions was recorded.
    let recorded: Int64

    init(_ window: ReportWindow, _ number: Int64, _ device: DeviceID, recorded: Int64) {
        key = Self.key(number, device)
        self.window = window
        self.recorded = recorded
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        window = try reader.text { ReportWindow(text: $0) }
        recorded = try reader.integer()
    }

    var cells: [Cell] { [.text(window.text), .integer(recorded)] }

    var weight: Int { window.weight }

    var number: Int64 { Int64(key.prefix(8)) ?? 0 }

    static func key(_ number: Int64, _ device: DeviceID) -> String { "\(digits(number))|\(device)" }

    /// Eight digits sort by time.
    static func digits(_ number: Int64) -> String {
        let text = String(max(number, 0))
        return String(repeating: "0", count: max(0, 8 - text.utf8.count)) + text
    }
}

/// How far a receiver's clock is ahead, learnt from reports with long counters that it and another one heard. The key
/// is the short form of its name.
struct ReceiverRow: TableRow {
    static let schema = TableSchema(
        "receiver", [("source", .text), ("offset", .integer), ("samples", .integer)])

    let key: String
    let source: String
    /// In microseconds.
    var offset: Int64 = 0
    var samples = 0

    init(_ source: String) {
        key = Self.key(Receiver.name(source))
        self.source = source
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        source = try reader.text()
        offset = try reader.integer()
        samples = try reader.int()
    }

    var cells: [Cell] { [.text(source), .integer(offset), .integer(Int64(samples))] }

    static func key(_ name: UInt32) -> String { String(name, radix: 16) }

    /// One more reception says that the clock is ahead by this much. The estimate is the mean of the first 16 of them,
    /// and follows later ones slowly: a receiver may hear a packet first when the device repeats it.
    mutating func add(_ measured: Int64) {
        let most = Int64(ReportIdentity.reachSeconds) * 1_000_000
        samples = min(samples + 1, 16)
        offset = min(max(offset + (measured - offset) / Int64(samples), -most), most)
    }
}

/// The stored reports as decisions and views see them.
///
/// Views put windows into the tables. A decision puts them aside: what it decides is projected once it is written.
struct StoredReports: ReportStore {
    static let windowSeconds: Int64 = 1800

    private let tables: any Tables
    /// When the event was recorded that is projected; nil for a decision.
    private let recorded: Instant?
    private var aside: [String: ReportWindow] = [:]

    static func deciding(_ tables: any Tables) -> StoredReports { StoredReports(tables, recorded: nil) }

    static func projecting(_ tables: any Tables, at recorded: Instant) -> StoredReports {
        StoredReports(tables, recorded: recorded)
    }

    private init(_ tables: any Tables, recorded: Instant?) {
        self.tables = tables
        self.recorded = recorded
    }

    func window(_ number: Int64, of device: DeviceID) -> ReportWindow? {
        let key = ReportWindowRow.key(number, device)
        return aside[key] ?? tables.get(ReportWindowRow.self, key)?.window
    }

    mutating func put(_ window: ReportWindow, _ number: Int64, of device: DeviceID) {
        if let recorded {
            tables.put(ReportWindowRow(window, number, device, recorded: Self.number(of: recorded)))
        } else {
            aside[ReportWindowRow.key(number, device)] = window
        }
    }

    func clockOffset(of receiver: Receiver) -> Int64 {
        tables.get(ReceiverRow.self, ReceiverRow.key(receiver.name))?.offset ?? 0
    }
}

extension StoredReports {
    /// Removes the windows of which nothing was recorded in the `SensorLimits.reportDays` before a time that is known
    /// to be past.
    ///
    /// Only marks of the trusted clock call for it. A wall clock that is ahead removes nothing; and marks are never
    /// pruned, so a fold of what a pruned journal still holds removes the same windows.
    static func sweep(at trusted: Instant, in tables: some Tables) {
        let horizon = number(of: trusted.advanced(bySeconds: -Double(SensorLimits.reportDays) * 86_400))
        // Windows are sorted by their own time, and none is recorded before it.
        var after: String?
        while true {
            let page = tables.scan(ReportWindowRow.self, prefix: "", after: after, limit: SensorLimits.pageItems)
            for row in page where row.number < horizon && row.recorded < horizon {
                tables.remove(ReportWindowRow.self, row.key)
            }
            guard page.count == SensorLimits.pageItems, let end = page.last, end.number < horizon else { return }
            after = end.key
        }
    }

    /// Removes what rests on reports of this time, which were pruned.
    static func forget(from: Instant, through: Instant, in tables: some Tables) {
        var after = ReportWindowRow.digits(number(of: from))
        let last = number(of: through)
        while true {
            let page = tables.scan(ReportWindowRow.self, prefix: "", after: after, limit: SensorLimits.pageItems)
            for row in page where row.number <= last { tables.remove(ReportWindowRow.self, row.key) }
            guard page.count == SensorLimits.pageItems, let end = page.last, end.number <= last else { break }
            after = end.key
        }
        for row in tables.scan(ReceiverRow.self, prefix: "", limit: SensorLimits.receivers) {
            tables.remove(ReceiverRow.self, row.key)
        }
    }
}
