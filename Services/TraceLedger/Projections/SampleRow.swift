import EventSourcing
import Vocabulary

/// The samples of one device at one measuring point during one hour. The key is `<place>|<point>|<device>|<hours since
/// 1970, 8 digits>`.
///
/// One row has all quantities, because a report has them all. It has at most 60 samples of each, so a device that
/// reports every second takes no more room than one that reports every minute.
struct SampleRow: HourlyRow {
    static let schema = TableSchema("sample", [("samples", .text)])

    let key: String
    /// `temperature 0:21.5 600000:21.4;humidity 0:60`: the samples of each quantity in the order of time.
    private var text = ""

    init(_ series: SeriesRow, hour: Int64) {
        key = "\(series.key)|\(hour.hourDigits)"
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        text = try cells.text()
    }

    var cells: [Cell] { [.text(text)] }
    var weight: Int { 1 + text.utf8.count / 256 }

    /// Returns the samples of a quantity in the order of time.
    func samples(of quantity: Quantity) -> [Sample] {
        let hour = hour
        return sections.first { $0.isSection(of: quantity) }.map { section in
            section.split(separator: UInt8(ascii: " ")).dropFirst().compactMap { Sample($0, in: hour) }
        } ?? []
    }

    /// Adds a value. Reports may arrive in any order.
    mutating func add(_ value: Double, of quantity: Quantity, at time: Instant) {
        var samples = samples(of: quantity)
        let minute = time.microseconds / 60_000_000
        let index = samples.lastIndex { $0.minute <= minute }
        if let index, samples[index].minute == minute {
            samples[index].add(value, at: time)
        } else {
            samples.insert(Sample(value, at: time), at: index.map { $0 + 1 } ?? 0)
        }
        let hour = hour
        let section = ([quantity.rawValue] + samples.map { $0.text(in: hour) }).joined(separator: " ")
        let others = sections.filter { !$0.isSection(of: quantity) }.map { String(Substring($0)) }
        text = (others + [section]).joined(separator: ";")
    }

    private var sections: [Substring.UTF8View] { text.utf8.split(separator: UInt8(ascii: ";")) }
}

extension Substring.UTF8View {
    fileprivate func isSection(of quantity: Quantity) -> Bool {
        let name = quantity.rawValue.utf8
        return starts(with: name) && dropFirst(name.count).first == UInt8(ascii: " ")
    }
}

/// A device that measures or once measured at a point of a place: one series of samples. The key is
/// `<place>|<point>|<device>`. Later bindings do not remove the row.
struct SeriesRow: TableRow {
    static let schema = TableSchema("series", [("point", .text), ("device", .text)], indexed: ["point", "device"])

    let key: String
    let point: PointID
    let device: DeviceID

    init(_ place: Place, _ point: PointID, _ device: DeviceID) {
        key = "\(place)|\(point)|\(device)"
        self.point = point
        self.device = device
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        point = PointID(try cells.text())
        device = DeviceID(try cells.text())
    }

    var cells: [Cell] { [.text(point.rawValue), .text(device.rawValue)] }

    var place: Place? { Place(String(key.prefix { $0 != "|" })) }
}
