import EventSourcing
import Events
import JSON
import Radio
import Vocabulary

/// The reports of the demonstration's day, in order, all different.
struct BenchEvents {
    private let nodes = FakeArea.all.flatMap { area in
        (0..<FakeArea.nodesEach).map { FakeNode(area: area, number: $0) }
    }
    private let start = Instant(microseconds: 1_780_000_000_000_000)
    /// The number of hexadecimal digits to add to a payload, negative to remove some.
    private var stretch = 0

    /// The number of reports in one day.
    static let day = FakeArea.all.count * FakeArea.nodesEach * 144

    /// The size that an envelope adds to an event, in bytes, within ten.
    private static let envelopeBytes = 430

    /// - Parameter size: the approximate size of each event in bytes; its payload is extended or shortened to match.
    init(size: Int? = nil) {
        if let size { stretch = size - Self.envelopeBytes - body(0).count }
    }

    func event(_ number: Int) -> (event: Measured, time: Instant) {
        let node = nodes[number % nodes.count]
        let time = start.advanced(bySeconds: Double(number / nodes.count) * 600 + node.phase)
        let values = node.area.values(at: time, node: node.number)
        let readings = Quantity.reported.compactMap { quantity in
            values[quantity].map { Events.Reading(quantity, ($0 * 100).rounded() / 100) }
        }
        let turn = UInt64(number / nodes.count + 1)
        var payload = Hex.encode(Layout.furrowNode.write(values, counter: turn))
        let digits = max(payload.utf8.count + stretch, 0)
        while payload.utf8.count < digits { payload += payload }
        payload = String(payload.prefix(digits))
        let event = Measured(
            device: node.device, format: Layout.furrowNode.name, readings: readings, source: "znp:/dev/ttyUSB0",
            counter: turn, lqi: Int(node.lqi), repeats: 1, payload: payload)
        return (event, time)
    }

    func draft(_ number: Int) -> Draft {
        let (event, time) = event(number)
        return Draft(event, in: "device/\(event.device)", at: time, by: .node(event.device))
    }

    /// The event as the body of a client's request.
    func body(_ number: Int) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in event(number).event.write(fields: &json) }
        return json.bytes
    }
}
