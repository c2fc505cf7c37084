import EventSourcing
import Events
import Vocabulary

/// The samples of one device at one measuring point during one hour. The key is `<place>|<point>|<device>|<hours since
/// 1970, 8 digits>`.
///
/// One row has all quantities, because a report has them all. It has at most 60 samples of each, so a device that
/// reports every second takes no more room than one that reports every minute. A report that arrives in order costs the
/// same however many samples there are: it is compared with those of its minute only, which are the last ones.
struct SampleRow: HourlyRow {
    static let schema = TableSchema("sample", [("samples", .text)], version: 2)

    let key: String
    /// `0:temperature=21.5,humidity=60;600000:temperature=21.4`: the samples in the order of time, grouped by the
    /// milliseconds of the hour at which their last value was reported.
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
        let (hour, name) = (hour, quantity.rawValue.utf8)
        return text.utf8.split(separator: UInt8(ascii: ";")).compactMap { group in
            guard let parts = SampleGroup.parts(group) else { return nil }
            let samples = parts.samples.split(separator: UInt8(ascii: ","))
            let found = samples.first { $0.starts(with: name) && $0.dropFirst(name.count).first == UInt8(ascii: "=") }
            return found.flatMap { Sample($0.dropFirst(name.count + 1), at: parts.milliseconds, in: hour) }
        }
    }

    /// Adds the values of a report. Reports may arrive in any order.
    mutating func add(_ readings: [Reading], at time: Instant) {
        let hour = hour
        let start = Instant(hours: hour).microseconds / 1000
        let minute = (time.microseconds / 1000 - start) / 60_000
        var (samples, later): ([(quantity: String, sample: Sample)], [String]) = ([], [])
        while let group = lastGroup, let parts = SampleGroup.parts(group), parts.milliseconds / 60_000 >= minute {
            if parts.milliseconds / 60_000 == minute {
                samples += SampleGroup.samples(parts, in: hour)
            } else {
                later.append(String(Substring(group)))
            }
            removeLastGroup()
        }
        for reading in readings {
            let name = reading.quantity.rawValue
            if let index = samples.firstIndex(where: { $0.quantity == name }) {
                samples[index].sample.add(reading.value, at: time)
            } else {
                samples.append((name, Sample(reading.value, at: time)))
            }
        }
        for group in SampleGroup.texts(samples, in: hour) + later.reversed() {
            if !text.isEmpty { text += ";" }
            text += group
        }
    }

    private var lastGroup: Substring.UTF8View? {
        guard !text.isEmpty else { return nil }
        guard let end = text.utf8.lastIndex(of: UInt8(ascii: ";")) else { return text[...].utf8 }
        return text[text.utf8.index(after: end)...].utf8
    }

    private mutating func removeLastGroup() {
        text.removeSubrange((text.utf8.lastIndex(of: UInt8(ascii: ";")) ?? text.startIndex)...)
    }
}

/// Samples whose last value was reported at the same time, as text.
private enum SampleGroup {
    typealias Parts = (milliseconds: Int64, samples: Substring.UTF8View)

    /// Splits `<milliseconds of the hour>:<samples>`; nil if it is malformed.
    static func parts(_ group: Substring.UTF8View) -> Parts? {
        guard let colon = group.firstIndex(of: UInt8(ascii: ":")),
            let milliseconds = Int64(Substring(group[..<colon]))
        else { return nil }
        return (milliseconds, group[group.index(after: colon)...])
    }

    static func samples(_ parts: Parts, in hour: Int64) -> [(quantity: String, sample: Sample)] {
        parts.samples.split(separator: UInt8(ascii: ",")).compactMap { text in
            guard let equals = text.firstIndex(of: UInt8(ascii: "=")),
                let sample = Sample(text[text.index(after: equals)...], at: parts.milliseconds, in: hour)
            else { return nil }
            return (String(Substring(text[..<equals])), sample)
        }
    }

    /// Returns the groups of the samples of one minute, in the order of time.
    static func texts(_ samples: [(quantity: String, sample: Sample)], in hour: Int64) -> [String] {
        let start = Instant(hours: hour).microseconds
        let times = Set(samples.map(\.sample.at)).sorted()
        return times.map { time in
            let group = samples.filter { $0.sample.at == time }.sorted { $0.quantity < $1.quantity }
            return "\((time.microseconds - start) / 1000):"
                + group.map { "\($0.quantity)=\($0.sample.text)" }.joined(separator: ",")
        }
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
