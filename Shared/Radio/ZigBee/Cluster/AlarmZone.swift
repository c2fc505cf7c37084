import Vocabulary

/// The notifications of intruder alarm zones (ZCL specification, section 8.2), of the models whose alarm is known to be
/// a leak or a contact.
enum AlarmZone {
    static let cluster: UInt16 = 0x0500

    private static let statusChanged: UInt8 = 0x00
    /// Rain sensors that use the model of a leak detector.
    private static let rainSensors: Set<String> = ["_TZ3210_tgvtvdoc"]

    private static func quantity(_ traits: DeviceTraits) -> Quantity? {
        switch traits.model {
        case "TS0207": rainSensors.contains(traits.maker ?? "") ? nil : .leak
        case "lumi.sensor_wleak.aq1": .leak
        case "TS0203": .contact
        default: nil
        }
    }

    /// Adds bit 0 of the zone's status. Returns false for other commands and for models that are not known.
    static func add(_ frame: ZCLFrame, _ traits: DeviceTraits, to report: inout Report) throws(Malformed) -> Bool {
        guard frame.manufacturer == nil, frame.command == statusChanged, let quantity = quantity(traits) else {
            return false
        }
        var reader = ByteReader(frame.payload)
        report.addPossible(quantity, Double(try reader.u16() & 1))
        return true
    }
}
