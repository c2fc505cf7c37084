public import Vocabulary

/// The source of the values that people read themselves and record at a measuring point.
///
/// Such a report is a `Measured` event like any other: of the device `hand:<point>`, in the format `hand`, by a person.
/// So it counts in limits, history and stories like a sensor's, and a point may have both.
extension DeviceID {
    private static let handPrefix = "hand:"

    /// Returns the source of a point's values that people record.
    public static func hand(_ point: PointID) -> DeviceID { DeviceID(handPrefix + point.rawValue) }

    /// The point whose values people record; nil for a device.
    public var handPoint: PointID? {
        rawValue.hasPrefix(Self.handPrefix) ? PointID(String(rawValue.dropFirst(Self.handPrefix.count))) : nil
    }
}

extension Measured {
    /// The format of values that people recorded.
    public static let handFormat = "hand"

    /// Creates a report of values that a person recorded. It is recognised by the id of its event alone.
    public static func byHand(_ readings: [Reading], at point: PointID, source: String) -> Measured {
        Measured(
            device: .hand(point), format: handFormat, readings: readings, source: source, repeats: 0, payload: "")
    }
}
