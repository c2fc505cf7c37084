import EventSourcing
import JSON
import Vocabulary

/// One quantity during a stay: minimum, mean and maximum, over the whole stay and in a limited number of points.
struct ClimateSeries {
    private let stay: Stay
    private let quantity: Quantity
    private var whole = Point(hour: 0)
    private var points: [Point] = []
    private var lastHour: Int64 = 0
    private var length = 0

    /// A number of consecutive hours.
    private struct Point {
        var hour: Int64
        var count = 0
        var sum = 0.0
        var lowest = Double.infinity
        var highest = -Double.infinity

        var mean: Double { count == 0 ? 0 : sum / Double(count) }

        mutating func add(_ row: HourRow) {
            count += row.count
            sum += row.sum
            lowest = min(lowest, row.lowest)
            highest = max(highest, row.highest)
        }

        mutating func add(_ other: Point) {
            count += other.count
            sum += other.sum
            lowest = min(lowest, other.lowest)
            highest = max(highest, other.highest)
        }
    }

    /// The hours per point. Each is a multiple of the one before, so that points can be merged further.
    private static let lengths: [Int64] = [1, 2, 6, 12, 24, 72, 360, 720, 7200]

    /// Reads the hours of the stay up to the one of `end`, page by page. Returns nil if nothing was measured.
    init?(_ stay: Stay, _ quantity: Quantity, until end: Instant, room: Int, from tables: any Tables) {
        self.stay = stay
        self.quantity = quantity
        HourRow.each(stay.place, quantity, from: stay.from, to: end, most: LedgerLimits.stayHours, in: tables) {
            add($0, room: max(room, 4))
        }
        guard whole.count > 0 else { return nil }
    }

    /// Returns whether anything was measured, without reading all of it.
    static func exists(_ stay: Stay, _ quantity: Quantity, until end: Instant, in tables: any Tables) -> Bool {
        HourRow.exists(stay.place, quantity, from: stay.from, to: end, most: LedgerLimits.stayHours, in: tables)
    }

    func write(to json: inout JSONWriter) {
        json.field("quantity", quantity)
        json.field("unit", quantity.unit)
        json.field("from", stay.from)
        // For a lot that is still there, the series ends with the last measurement. Otherwise the story would change
        // every second.
        json.field("to", stay.to ?? Instant(hours: lastHour + 1))
        json.field("min", rounded(whole.lowest))
        json.field("mean", rounded(whole.mean))
        json.field("max", rounded(whole.highest))
        json.field(
            "hours",
            array: { json in
                for point in points {
                    json.array { json in
                        json.element(point.hour)
                        json.element(rounded(point.lowest))
                        json.element(rounded(point.mean))
                        json.element(rounded(point.highest))
                    }
                }
            })
    }

    private mutating func add(_ row: HourRow, room: Int) {
        whole.add(row)
        lastHour = row.hour
        if let last = points.last, last.hour / Self.lengths[length] == row.hour / Self.lengths[length] {
            points[points.count - 1].add(row)
        } else {
            var point = Point(hour: row.hour)
            point.add(row)
            points.append(point)
        }
        while points.count > room, length + 1 < Self.lengths.count { coarsen() }
    }

    private mutating func coarsen() {
        length += 1
        var joined: [Point] = []
        for point in points {
            if let last = joined.last, last.hour / Self.lengths[length] == point.hour / Self.lengths[length] {
                joined[joined.count - 1].add(point)
            } else {
                joined.append(point)
            }
        }
        points = joined
    }

    /// Two decimals, which is finer than the resolution of any sensor.
    private func rounded(_ value: Double) -> Double {
        (value * 100).rounded() / 100
    }
}
