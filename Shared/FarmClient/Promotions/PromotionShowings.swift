import JSON
import Vocabulary

/// How often each promotion was shown on this device today, and which were reported to the farm.
struct PromotionShowings: Equatable {
    /// Seconds for which a promotion stays in view without counting as shown once more.
    static let showingSeconds = 1800.0

    /// The showings of one promotion on one day of the farm.
    struct Entry: Equatable {
        let promotion: String
        let day: String
        var count: Int
        let last: Instant
    }

    private(set) var entries: [String: Entry] = [:]
    /// `person|promotion` of each showing that was reported, the newest last.
    private(set) var reported: [String] = []

    /// Whether it may be shown now: still, or once more on this day.
    func allows(_ promotion: String, _ timesPerDay: Int, at now: Instant, in zone: Zone) -> Bool {
        guard let entry = entries[promotion], entry.day == now.day(in: zone) else { return true }
        return now.seconds(since: entry.last) < Self.showingSeconds || entry.count < timesPerDay
    }

    mutating func note(_ promotion: String, at now: Instant, in zone: Zone) {
        let day = now.day(in: zone)
        var entry = Entry(promotion: promotion, day: day, count: 1, last: now)
        if let before = entries[promotion], before.day == day {
            guard now.seconds(since: before.last) >= Self.showingSeconds else { return }
            entry.count = before.count + 1
        }
        entries[promotion] = entry
        if entries.count > ClientLimits.showings, let oldest = entries.min(by: { $0.value.last < $1.value.last }) {
            entries[oldest.key] = nil
        }
    }

    /// Returns whether it was not reported for this person before, and notes that it is.
    mutating func report(_ promotion: String, of person: String) -> Bool {
        let key = "\(person)|\(promotion)"
        guard !reported.contains(key) else { return false }
        reported = (reported + [key]).suffix(ClientLimits.showings)
        return true
    }
}

extension PromotionShowings: JSONReadable, JSONWritable {
    init(json: borrowing JSONValue) throws(JSONError) {
        for entry in try json.find("shown", as: [Entry].self) ?? [] { entries[entry.promotion] = entry }
        reported = try json.find("reported") ?? []
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("shown", entries.values.sorted { $0.promotion < $1.promotion })
            json.field("reported", reported)
        }
    }
}

extension PromotionShowings.Entry: JSONReadable, JSONWritable {
    init(json: borrowing JSONValue) throws(JSONError) {
        promotion = try json.get("promotion")
        day = try json.get("day")
        count = try json.get("count")
        last = try json.get("last")
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("promotion", promotion)
            json.field("day", day)
            json.field("count", count)
            json.field("last", last)
        }
    }
}
