import Events
import JSON
import Radio
import Vocabulary

/// The reports of the demonstration's day, one after the other: no two alike.
struct BenchEvents {
    private let nodes = FakeArea.all.flatMap { area in (0..<FakeArea.nodesEach).map { FakeNode(area: area, number: $0) }
    }
    private let start = Instant(microseconds: 1_780_000_000_000_000)

    func event(_ number: Int) -> (event: Measured, time: Instant) {
        let node = nodes[number % nodes.count]
        let time = start.advanced(bySeconds: Double(number / nodes.count) * 600 + node.phase)
        let values = node.area.values(at: time, node: node.number)
        let readings = Quantity.allCases.compactMap { quantity in
            values[quantity].map { Events.Reading(quantity, ($0 * 100).rounded() / 100) }
        }
        let turn = UInt64(number / nodes.count + 1)
        let event = Measured(
            device: node.device, format: Layout.furrowNode.name, readings: readings, source: "znp:/dev/ttyUSB0",
            counter: turn, lqi: Int(node.lqi), repeats: 1,
            payload: Hex.encode(Layout.furrowNode.write(values, counter: turn)))
        return (event, time)
    }

    func body(_ number: Int) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in event(number).event.write(fields: &json) }
        return json.bytes
    }
}
