import EventSourcing
import Vocabulary

/// The reports of one device that were first received within one half hour, with their receivers.
///
/// The identity of a report is looked up here. A window is stored until `SensorLimits.reportDays` after the last
/// recording in it. So an old capture that is uploaded again is recognised for as long as a new one. The key is `<half
/// hours since 1970, 8 digits>|<device>`.
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

    /// Returns a number in eight digits, so that keys sort by time.
    static func digits(_ number: Int64) -> String {
        let text = String(max(number, 0))
        return String(repeating: "0", count: max(0, 8 - text.utf8.count)) + text
    }
}

/// How far a receiver's clock is ahead, learnt from reports with long counters that another receiver also received. The
/// key is the hash of its name.
struct ReceiverRow: TableRow {
    static let schema = TableSchema(
        "receiver", [("source", .text), ("offset", .integer), ("samples", .integer)])

    let key: String
    let source: String
    /// The offset in microseconds.
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

    /// Adds a measured offset in microseconds.
    ///
    /// The estimate is the mean of the first 16 samples and follows later ones slowly. A single sample may be wrong: a
    /// receiver may receive a packet only when the device repeats it.
    mutating func add(_ measured: Int64) {
        let most = Int64(ReportIdentity.reachSeconds) * 1_000_000
        samples = min(samples + 1, 16)
        offset = min(max(offset + (measured - offset) / Int64(samples), -most), most)
    }
}

/// The stored reports, for decisions and projections.
///
/// A projection writes windows to the tables. A decision collects them in memory, because its events are projected once
/// they are committed.
struct StoredReports: ReportStore {
    static let windowSeconds: Int64 = 1800

    private let tables: any Tables
    /// The recording time of the projected event; nil for a decision.
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
    /// Removes the windows in which nothing was recorded for `SensorLimits.reportDays` before `trusted`, a time that is
    /// certainly past.
    ///
    /// It is called only for marks of the trusted clock, so a wall clock that is ahead removes nothing. Marks are never
    /// pruned, so a rebuild from a pruned journal removes the same windows.
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

    /// Removes what was projected from reports of this period, which were pruned.
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
