import JSON
import Vocabulary

/// Collects what one input told and writes it as one line of JSON.
struct DecodeOutput {
    var id: JSONAny = .null
    /// The first thing that went wrong.
    var error: String?
    private var heard = Heard()
    private var frames: [JSONAny] = []

    mutating func add(_ heard: Heard) {
        self.heard.append(heard)
        for report in heard.reports { frames.append(report.summary) }
        for raw in heard.raws { frames.append(raw.summary) }
        for message in heard.unclaimed { frames.append(message.summary) }
        for problem in heard.problems { add(problem) }
    }

    mutating func add(_ problem: Malformed) {
        if error == nil { error = problem.description }
    }

    mutating func add(frame: JSONAny) { frames.append(frame) }
    mutating func add(_ packet: HCIPacket) { frames.append(packet.summary) }
    mutating func add(_ advertisement: Advertisement) { frames.append(advertisement.summary) }
    mutating func add(_ frame: UNPIFrame) { frames.append(frame.summary) }
    mutating func add(_ frame: ZCLFrame) { frames.append(frame.summary) }

    var line: [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.field("id", id)
            json.field("readings") { json in
                for report in heard.reports { report.writeReadings(to: &json) }
            }
            json.field("beacons", heard.beacons.map(\.summary))
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
    /// Readings as the contract has them, and the signal strength as one more where anything was measured.
    fileprivate func writeReadings(to json: inout JSONWriter) {
        var readings = readings
        if let rssi, !readings.isEmpty {
            readings.append(Reading(device: device, quantity: .rssi, value: Double(rssi)))
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
        var members: [(String, JSONAny)] = [
            ("kind", .string("report")), ("device", device.json), ("protocol", .string(protocolName)),
        ]
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
    /// The name, or null where the input did not tell which device it is.
    var json: JSONAny { self == .unknownBluetooth || self == .unknownZigBee ? .null : .string(rawValue) }
}
