import EventSourcing
import JSON
import Vocabulary

/// A lot's stay at one place.
struct Stay: Sendable, Equatable {
    let place: Place
    /// `field` while it grew, `store` while it lay.
    let role: String
    let from: Instant
    var to: Instant
}

/// The hourly values of one quantity during a stay.
struct Line {
    let stay: Stay
    let quantity: Quantity
    let hours: [HourRow]

    /// The longest stay that is looked at: two years of hours.
    static let hoursAtMost = 2 * 366 * 24

    init(_ stay: Stay, _ quantity: Quantity, from tables: any Tables) {
        self.stay = stay
        self.quantity = quantity
        let prefix = HourRow.prefix(stay.place, quantity)
        let first = stay.from.microseconds / 3_600_000_000
        let last = stay.to.microseconds / 3_600_000_000
        hours = tables.scan(
            HourRow.self, prefix: prefix, after: prefix + HourRow.digits(first - 1), limit: Self.hoursAtMost
        ).filter { $0.hour <= last }
    }

    /// Lowest, mean and highest of the whole stay, and as many points as there is room for.
    func write(to json: inout JSONWriter, points: Int) {
        json.field("quantity", quantity)
        json.field("unit", quantity.unit)
        json.field("from", stay.from)
        json.field("to", stay.to)
        json.field("min", rounded(hours.map(\.lowest).min() ?? 0))
        json.field("mean", rounded(mean(hours[...])))
        json.field("max", rounded(hours.map(\.highest).max() ?? 0))
        json.field(
            "hours",
            array: { json in
                for group in groups(points) {
                    json.array { json in
                        json.element(group.first?.hour ?? 0)
                        json.element(rounded(group.map(\.lowest).min() ?? 0))
                        json.element(rounded(mean(group)))
                        json.element(rounded(group.map(\.highest).max() ?? 0))
                    }
                }
            })
    }

    /// Hours joined so that there are at most `points` groups, each beginning at a multiple of its length.
    private func groups(_ points: Int) -> [ArraySlice<HourRow>] {
        guard let first = hours.first, let last = hours.last else { return [] }
        let span = last.hour - first.hour + 1
        let length = [1, 2, 3, 6, 12, 24, 72, 168].first { span / $0 < Int64(max(points, 4)) } ?? 720
        var groups: [ArraySlice<HourRow>] = []
        var start = 0
        for index in hours.indices where hours[index].hour / length != hours[start].hour / length {
            groups.append(hours[start..<index])
            start = index
        }
        groups.append(hours[start...])
        return groups
    }

    private func mean(_ rows: ArraySlice<HourRow>) -> Double {
        let count = rows.reduce(0) { $0 + $1.count }
        return count == 0 ? 0 : rows.reduce(0) { $0 + $1.sum } / Double(count)
    }

    /// Two decimals: more than any of the sensors can tell apart.
    private func rounded(_ value: Double) -> Double {
        (value * 100).rounded() / 100
    }
}
