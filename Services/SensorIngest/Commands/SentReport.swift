import JSON
import Radio
import Vocabulary
import Wire

/// A report of `ingest-values`: values that another program has decoded.
///
/// `{"device":"greenhouse-plc","at":"2026-05-01T10:00:00Z","values":[{"quantity":"co2","value":640}]}`
struct SentReport: JSONReadable {
    /// The format under which the reports are recorded.
    static let format = "values"
    private static let prefix = "http:"

    private let device: String
    let at: Instant?
    private let maker: String?
    private let model: String?
    private let values: [Value]

    init(json: borrowing JSONValue) throws(JSONError) {
        device = try json.get("device")
        guard RequestBody.isName(device) else {
            throw JSONError(message: "expected 1 to 40 letters, digits, hyphens or underscores", path: "device")
        }
        at = try json.find("at")
        maker = try json.find("maker")
        model = try json.find("model")
        values = try json.get("values")
        guard (1...SensorLimits.sentValues).contains(values.count) else {
            throw JSONError(message: "expected 1 to \(SensorLimits.sentValues) values", path: "values")
        }
    }

    /// Returns the report. Equal values at one time are a repetition; without a time, those within two seconds.
    var decoded: DecodedInput {
        var fingerprint = Array((at?.description ?? "").utf8)
        for value in values { fingerprint += Array("|\(value.quantity.rawValue)=\(value.value)".utf8) }
        var report = Report(
            device: DeviceID(Self.prefix + device), protocolName: Self.format, repeats: .payload,
            fingerprint: fingerprint)
        report.maker = maker
        report.model = model
        for value in values {
            let (quantity, channel) = value.quantity.probe
            report.add(value.value, quantity, unit: value.unit, channel: channel)
        }
        return DecodedInput(report)
    }

    /// A value in its own unit, or else in that of the quantity.
    private struct Value: JSONReadable {
        let quantity: Quantity
        let value: Double
        let unit: String?

        init(json: borrowing JSONValue) throws(JSONError) {
            quantity = try json.get("quantity")
            guard quantity.isReported else { throw JSONError(message: "is not measured", path: "quantity") }
            value = try json.get("value")
            unit = try json.find("unit")
        }
    }
}
