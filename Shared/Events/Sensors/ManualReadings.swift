public import Vocabulary

/// The source of the values that people read themselves and record at a measuring point.
///
/// Such a report is a `Measured` event like any other: of the device `manual:<point>`, in the format `manual`, by a
/// person. So it counts in limits, history and stories like a sensor's, and a point may have both.
extension DeviceID {
    private static let manualPrefix = "manual:"

    /// Returns the source of a point's values that people record.
    public static func manual(_ point: PointID) -> DeviceID { DeviceID(manualPrefix + point.rawValue) }

    /// The point whose values people record; nil for a device.
    public var manualPoint: PointID? {
        rawValue.hasPrefix(Self.manualPrefix) ? PointID(String(rawValue.dropFirst(Self.manualPrefix.count))) : nil
    }
}

extension Measured {
    /// The format of values that people recorded.
    public static let manualFormat = "manual"

    /// Creates a report of values that a person recorded. It is recognised by the id of its event alone.
    public static func manual(_ readings: [Reading], at point: PointID, source: String) -> Measured {
        Measured(
            device: .manual(point), format: manualFormat, readings: readings, source: source, repeats: 0, payload: "")
    }
}
