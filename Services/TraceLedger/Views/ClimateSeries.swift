import EventSourcing
import JSON
import Vocabulary

/// One quantity during a stay: lowest, mean and highest, over all of it and in as many points as there is room for.
struct ClimateSeries {
    private let stay: Stay
    private let quantity: Quantity
    private var whole = Point(hour: 0)
    private var points: [Point] = []
    private var lastHour: Int64 = 0
    private var length = 0

    /// Some hours joined.
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

    /// How many hours a point may join; each is a multiple of the one before, so that points can be joined further.
    private static let lengths: [Int64] = [1, 2, 6, 12, 24, 72, 360, 720, 7200]

    /// Reads the hours of the stay up to the one of `end`, page by page. Nil if nothing was measured.
    init?(_ stay: Stay, _ quantity: Quantity, until end: Instant, room: Int, from tables: any Tables) {
        self.stay = stay
        self.quantity = quantity
        HourRow.each(stay.place, quantity, from: stay.from, to: end, most: LedgerLimits.stayHours, in: tables) {
            add($0, room: max(room, 4))
        }
        guard whole.count > 0 else { return nil }
    }

    /// Whether anything was measured, without reading it all.
    static func isThere(_ stay: Stay, _ quantity: Quantity, until end: Instant, in tables: any Tables) -> Bool {
        HourRow.isThere(stay.place, quantity, from: stay.from, to: end, most: LedgerLimits.stayHours, in: tables)
    }

    func write(to json: inout JSONWriter) {
        json.field("quantity", quantity)
        json.field("unit", quantity.unit)
        json.field("from", stay.from)
        // While the lot lies there the line ends with what was measured last: the story is not news every second.
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

    /// Two decimals: more than any of the sensors can tell apart.
    private func rounded(_ value: Double) -> Double {
        (value * 100).rounded() / 100
    }
}
