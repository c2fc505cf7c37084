import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import SensorIngest

/// The packets of a broker, and an ingest process that is connected to it.
final class TestBroker {
    static let settings = BrokerSettings(
        source: "mqtt://broker:1883", client: "furrow-farm", user: "farm", password: "x")
    static let accepted: [UInt8] = [0x20, 3, 0, 0, 0]
    let bench: Bench
    private var next: UInt16 = 0

    init(_ settings: BrokerSettings = TestBroker.settings) throws {
        bench = try Bench(brokers: [settings])
        try connect()
    }

    /// Connects, as after a start or a lost connection.
    func connect() throws {
        try bench.take(.ticked(wall: bench.now))
        try bench.take(.opened(source: Self.settings.source))
        try send(Self.accepted)
    }

    /// Kills the process and connects a new one, which has its journal.
    func restart() throws {
        try bench.restart()
        try connect()
    }

    func send(_ bytes: [UInt8]) throws { try bench.take(.received(source: Self.settings.source, bytes: bytes)) }

    /// Publishes a message at QoS 1 and returns its number.
    @discardableResult
    func publish(
        _ topic: String, _ payload: String, number: UInt16? = nil, again: Bool = false, retained: Bool = false
    ) throws -> UInt16 {
        if number == nil { next += 1 }
        let id = number ?? next
        try send(Self.message(topic, Array(payload.utf8), id: id, again: again, retained: retained))
        return id
    }

    static func message(
        _ topic: String, _ payload: [UInt8], id: UInt16?, again: Bool = false, retained: Bool = false
    ) -> [UInt8] {
        let name = Array(topic.utf8)
        var body = [UInt8(name.count >> 8), UInt8(name.count & 0xFF)] + name
        if let id { body += [UInt8(id >> 8), UInt8(id & 0xFF)] }
        body += [0] + payload
        let head = 0x30 | (id == nil ? 0 : 2) | (again ? 8 : 0) | (retained ? 1 : 0)
        return [UInt8(head)] + MQTTRequest.variable(body.count) + body
    }

    /// Returns the numbers that were acknowledged since the last call.
    func takeAcknowledged() -> [UInt16] {
        defer { bench.sent = [] }
        var numbers: [UInt16] = []
        var rest = bench.sent[...]
        while rest.count >= 2 {
            let length = Int(rest[rest.startIndex + 1])
            if rest.first == 0x40 {
                numbers.append(UInt16(rest[rest.startIndex + 2]) << 8 | UInt16(rest[rest.startIndex + 3]))
            }
            // Only requests to subscribe are longer than 127 bytes, and they come first.
            guard length < 0x80 else {
                rest = rest.dropFirst(3 + (length & 0x7F) + Int(rest[rest.startIndex + 2]) * 128)
                continue
            }
            rest = rest.dropFirst(2 + length)
        }
        return numbers
    }

    /// Publishes the list of devices with one device named `cold store`.
    func list(_ exposes: String = #"{"property":"temperature","unit":"°C"},{"property":"humidity","unit":"%"}"#) throws
    {
        try publish(
            "zigbee2mqtt/bridge/devices",
            """
            [{"ieee_address":"0x00124b0000000001","type":"Coordinator","friendly_name":"Coordinator"},
             {"ieee_address":"0x00124b001e17efa8","type":"EndDevice","friendly_name":"cold store",
              "manufacturer":"LUMI","model_id":"lumi.weather","definition":{"exposes":[\(exposes)]}}]
            """, retained: true)
    }

    /// The readings of all recorded reports.
    func readings() throws -> [[Events.Reading]] { try bench.measured().map(\.readings) }
}
