import JSON
import Vocabulary

/// The decoded contents of one input, and their form as one line of JSON.
struct DecodeOutput {
    var id: JSONAny = .null
    /// The first error.
    var error: String?
    private var decoded = DecodedInput()
    private var frames: [JSONAny] = []

    /// Adds one frame of the input, and its decoded contents.
    mutating func add(frame members: [(String, JSONAny)], _ decoded: DecodedInput = DecodedInput()) {
        self.decoded.append(decoded)
        var members = members
        for (name, list) in [
            ("reports", decoded.reports.map(\.summary)), ("raws", decoded.raws.map(\.summary)),
            ("unclaimed", decoded.unclaimed.map(\.summary)),
        ] where !list.isEmpty {
            members.append((name, .array(list)))
        }
        frames.append(.object(members))
        for problem in decoded.problems + decoded.sealed { add(problem) }
    }

    mutating func add(_ problem: Malformed) {
        if error == nil { error = problem.description }
    }

    var line: [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.field("id", id)
            json.field("readings") { json in
                for report in decoded.reports { report.writeReadings(to: &json) }
            }
            json.field("beacons", decoded.beacons.map(\.summary))
            json.field("frames", frames)
            json.field("error", error.map(JSONAny.string) ?? .null)
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func field(_ key: String, _ body: (inout JSONWriter) -> Void) { field(key, array: body) }
}

extension Report {
    /// Writes the readings, and the signal strength as one more if anything was measured.
    fileprivate func writeReadings(to json: inout JSONWriter) {
        var readings = readings
        if let rssi, !readings.isEmpty {
            readings.append(DecodedReading(device: device, quantity: .rssi, value: Double(rssi)))
        }
        for reading in readings {
            json.element(object: { json in
                json.field("device", reading.device.json)
                json.field("quantity", reading.quantity)
                json.field("value", reading.value)
                json.field("unit", reading.unit)
                if reading.channel > 1 { json.field("channel", reading.channel) }
                if let doubt = reading.doubt { json.field("doubt", doubt.rawValue) }
            })
        }
    }

    fileprivate var summary: JSONAny {
        var members: [(String, JSONAny)] = [("device", device.json), ("protocol", .string(protocolName))]
        if let counter { members.append(("counter", .integer(Int64(clamping: counter)))) }
        if let rssi { members.append(("rssi", .integer(Int64(rssi)))) }
        if let lqi { members.append(("lqi", .integer(Int64(lqi)))) }
        if let maker { members.append(("maker", .string(maker))) }
        if let model { members.append(("model", .string(model))) }
        if !rejected.isEmpty {
            members.append(
                (
                    "rejected",
                    .array(
                        rejected.map { reading in
                            .object([
                                ("quantity", .string(reading.quantity.rawValue)), ("value", .double(reading.value)),
                                ("doubt", .string(reading.doubt?.rawValue ?? "")),
                            ])
                        })
                ))
        }
        return .object(members)
    }
}

extension DeviceID {
    /// The id, or null if the input does not identify the device.
    var json: JSONAny { self == .unknownBluetooth || self == .unknownZigBee ? .null : .string(rawValue) }
}
