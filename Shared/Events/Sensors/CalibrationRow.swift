public import EventSourcing
public import JSON
public import Vocabulary

/// The calibrations of one device or probe, the oldest first. The key is the device.
///
/// Each service that uses values of measuring points projects it, because a report contains what the device measured.
public struct CalibrationRow: TableRow {
    public static let schema = TableSchema("calibration", [("newest", .text), ("corrections", .text)])
    /// The most calibrations that are stored of one quantity; older ones are dropped. Only reports that arrive later
    /// than all of them would need those.
    static let corrections = 32

    /// A calibration and the time from which it is valid.
    public struct Correction: Equatable, Sendable {
        public let calibration: DeviceCalibrated
        public fileprivate(set) var since: Instant
    }

    public let key: String
    public private(set) var corrections: [Correction]

    /// Creates the row of a device without calibrations.
    public init(_ device: DeviceID) {
        key = device.rawValue
        corrections = []
    }

    public init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        _ = try reader.text()
        let text = try reader.text()
        do throws(JSONError) {
            corrections = try [Correction](json: JSONValue.parse(text))
        } catch {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
    }

    /// The quantity of the newest calibration, for people who read the table, and all calibrations as JSON.
    public var cells: [Cell] {
        var json = JSONWriter()
        corrections.write(to: &json)
        return [.text(corrections.last?.calibration.quantity.rawValue ?? ""), .text(json.text)]
    }

    public var weight: Int { 1 + corrections.count / 4 }

    /// Adds a calibration that is valid from `time` on.
    public mutating func add(_ calibration: DeviceCalibrated, at time: Instant) {
        let index = corrections.lastIndex { $0.since <= time }.map { $0 + 1 } ?? 0
        corrections.insert(Correction(calibration: calibration, since: time), at: index)
        let same = corrections.filter { $0.calibration.quantity == calibration.quantity }
        guard same.count > Self.corrections, let oldest = same.first else { return }
        corrections.removeAll { $0 == oldest }
    }

    /// Limits times to `now` after the clock was set back, so that every calibration made so far is valid.
    public mutating func setBack(to now: Instant) {
        for index in corrections.indices { corrections[index].since = min(corrections[index].since, now) }
    }

    /// The newest calibration of each quantity, in the order of their names.
    public var newest: [Correction] {
        let quantities = Set(corrections.map(\.calibration.quantity)).sorted { $0.rawValue < $1.rawValue }
        return quantities.compactMap { quantity in corrections.last { $0.calibration.quantity == quantity } }
    }

    /// The calibration of a quantity that is valid at a time; nil before the first.
    public func correction(of quantity: Quantity, at time: Instant) -> DeviceCalibrated? {
        corrections.last { $0.since <= time && $0.calibration.quantity == quantity }?.calibration
    }
}

extension CalibrationRow.Correction: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        since = try json.get("since")
        calibration = try DeviceCalibrated(json: json)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("since", since)
            calibration.write(fields: &json)
        }
    }
}

extension DeviceCalibrated {
    /// Returns the corrected value, rounded to a millionth so that it has no digits that come from the computation.
    public func corrected(_ value: Double) -> Double {
        let exact = value * factor + offset
        let rounded = (exact * 1_000_000).rounded() / 1_000_000
        return rounded.isFinite ? rounded : exact
    }
}

extension Tables {
    /// Projects a calibration.
    public func calibrate(_ event: DeviceCalibrated, at time: Instant) {
        var row = get(CalibrationRow.self, event.device.rawValue) ?? CalibrationRow(event.device)
        row.add(event, at: time)
        put(row)
    }

    /// Returns the readings of a device or probe at a time, corrected by its calibrations.
    public func calibrated(_ readings: [Reading], of device: DeviceID, at time: Instant) -> [Reading] {
        guard let row = get(CalibrationRow.self, device.rawValue) else { return readings }
        return readings.map { reading in
            guard let calibration = row.correction(of: reading.quantity, at: time) else { return reading }
            return Reading(reading.quantity, calibration.corrected(reading.value))
        }
    }
}
