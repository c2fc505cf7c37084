import Glibc
import Vocabulary

/// One of the sixteen areas of the simulated farm: twelve plots and four stores. Its weather is a pure function of
/// time.
struct FakeArea: Sendable, Equatable {
    let number: Int

    static let all = (0..<16).map(FakeArea.init)
    static let nodesEach = 16
    /// Hours by which solar time is behind UTC: the farm is at 82.8° west.
    static let sunBehind = 5.5

    var isStore: Bool { number >= 12 }
    var isCold: Bool { number == 12 || number == 13 }
    var name: String { isStore ? "s\(number - 11)" : "p\(number + 1)" }
    var place: Place { isStore ? .store(StoreID(name)) : .plot(PlotID(name)) }

    var title: String {
        switch number {
        case 12: "Cold store north"
        case 13: "Cold store south"
        case 14: "Packing hall"
        case 15: "Barn"
        default: "Plot \(number + 1)"
        }
    }

    var crop: String { ["Tomato", "Cucumber", "Pepper", "Lettuce"][number % 4] }

    /// The values that node `node` measures at `time`.
    func values(at time: Instant, node: Int) -> [Quantity: Double] {
        let hours = Double(time.microseconds) / 3_600_000_000 - Self.sunBehind
        let wobble = sin(hours * 2.1 + Double(number * 7 + node)) * 0.3 + Double(node % 5) * 0.05
        if isStore {
            let base = isCold ? 8.0 : 17.0
            return [
                .temperature: base + sin(hours / 24 * 2 * .pi) * (isCold ? 0.4 : 2.0) + wobble,
                .humidity: (isCold ? 88.0 : 62.0) + wobble * 4, .illuminance: isCold ? 0 : daylight(hours) * 0.05,
                .voltage: 3.0 - Double(node) * 0.01,
            ]
        }
        let sun = daylight(hours)
        let temperature = 16 + 9 * sin((hours - 9) / 24 * 2 * .pi) + Double(number) * 0.2 + wobble
        return [
            .temperature: temperature, .humidity: max(35, min(98, 120 - temperature * 2.6 + wobble * 3)),
            .illuminance: max(0, sun * 62_000 * (0.75 + 0.25 * sin(hours * 0.13 + Double(number)))),
            .voltage: 3.1 - Double(node) * 0.01,
        ]
    }

    /// 0 at night, 1 at noon.
    private func daylight(_ hours: Double) -> Double {
        max(0, sin((hours - 6) / 24 * 2 * .pi))
    }
}
