import EventSourcing
import Vocabulary

/// The current place of a device, and since when: the newest of its `PlacementRow`s, which most reports need.
///
/// The key is the device. A device that was removed has a row without a place.
struct DevicePlaceRow: TableRow {
    static let schema = TableSchema(
        "device_place", [("point", .text), ("place", .text), ("since", .integer)], indexed: ["point"], version: 2)

    let key: String
    let point: PointID?
    let place: Place?
    let since: Instant

    init(_ device: String, point: PointID?, place: Place?, since: Instant) {
        key = device
        self.point = point
        self.place = place
        self.since = since
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        point = try cells.optionalText().map { PointID($0) }
        place = try cells.optionalText().flatMap { Place($0) }
        since = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [Cell(point?.rawValue), Cell(place?.description), .integer(since.microseconds)] }
}

/// The point and place of a device from a time on; nil if it was removed. The key is `<device>|<microseconds since
/// 1970, 17 digits>`.
struct PlacementRow: TableRow {
    static let schema = TableSchema("placed", [("point", .text), ("place", .text)], version: 2)

    let key: String
    let point: PointID?
    let place: Place?

    init(_ device: String, point: PointID?, place: Place?, since: Instant) {
        key = "\(device)|\(since.microseconds.digits(17))"
        self.point = point
        self.place = place
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        point = try cells.optionalText().map { PointID($0) }
        place = try cells.optionalText().flatMap { Place($0) }
    }

    var cells: [Cell] { [Cell(point?.rawValue), Cell(place?.description)] }

    var since: Instant { Instant(microseconds: Int64(key.suffix(17)) ?? 0) }

    /// Returns the series of a device at a time, also for reports that arrive late; nil if it had no place.
    ///
    /// A device is bound after it was put up, so its reports before the first binding count at that place.
    static func series(of device: DeviceID, at time: Instant, in tables: some Tables) -> SeriesRow? {
        guard let row = tables.get(DevicePlaceRow.self, device.rawValue) else { return nil }
        if row.since <= time { return series(device, row.place, row.point) }
        var found: PlacementRow?
        var after: String?
        while true {
            let page = tables.scan(PlacementRow.self, prefix: "\(device)|", after: after, limit: LedgerLimits.scanned)
            found = page.last { $0.since <= time } ?? found ?? page.first
            guard let last = page.last, page.count == LedgerLimits.scanned, last.since <= time else {
                return series(device, found?.place, found?.point)
            }
            after = last.key
        }
    }

    private static func series(_ device: DeviceID, _ place: Place?, _ point: PointID?) -> SeriesRow? {
        guard let place, let point else { return nil }
        return SeriesRow(place, point, device)
    }
}

/// A device that measures or once measured at a place; later bindings do not remove the row. The key is
/// `<place>|<device>`.
struct BindingRow: TableRow {
    static let schema = TableSchema("bound", [("point", .text)])

    let key: String
    /// The device's last point at the place.
    let point: PointID

    init(_ place: Place, _ device: DeviceID, point: PointID) {
        key = "\(place)|\(device)"
        self.point = point
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        point = PointID(try cells.text())
    }

    var cells: [Cell] { [.text(point.rawValue)] }

    var place: Place? { Place(String(key.prefix { $0 != "|" })) }
    var device: String { String(key.drop { $0 != "|" }.dropFirst()) }
}

/// The reports of a device in one hour, with the slots that recorded them, so that each counts once. The key is `<hours
/// since 1970, 8 digits>|<device>`.
///
/// Whether a report counts depends only on the reports of its hour and the hours beside it. So in a retained period the
/// same reports count after others are pruned.
struct ReportDedupRow: TableRow {
    static let schema = TableSchema("heard", [("reports", .text)], version: 3)

    let key: String
    let window: ReportWindow

    init(_ window: ReportWindow, _ hour: Int64, _ device: DeviceID) {
        key = Self.key(hour, device)
        self.window = window
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        window = try cells.text { ReportWindow(text: $0) }
    }

    var cells: [Cell] { [.text(window.text)] }

    var weight: Int { window.weight }

    var hour: Int64 { Int64(key.prefix(8)) ?? 0 }

    static func key(_ hour: Int64, _ device: DeviceID) -> String { "\(hour.hourDigits)|\(device)" }
}

/// The reports that the ledger has counted, by hour.
///
/// No clock is corrected here, because a receiver's offset would depend on reports that may be pruned.
struct ReportDedup: ReportStore {
    static let windowSeconds: Int64 = 3600

    private let tables: any Tables

    init(_ tables: any Tables) {
        self.tables = tables
    }

    func window(_ number: Int64, of device: DeviceID) -> ReportWindow? {
        tables.get(ReportDedupRow.self, ReportDedupRow.key(number, device))?.window
    }

    func put(_ window: ReportWindow, _ number: Int64, of device: DeviceID) {
        tables.put(ReportDedupRow(window, number, device))
    }

    func clockOffset(of receiver: Receiver) -> Int64 { 0 }
}
