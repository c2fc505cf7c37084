public import JSON

/// How fast a farm server fills its disk: what all of it takes for each event of the hub, times the events of a day of
/// late.
public struct DiskGrowthEstimate: Sendable, Equatable {
    public let bytesPerDay: Double
    /// Over how many days that was seen: seven, if the farm is as old.
    public let seenDays: Double

    public init(bytesPerDay: Double, seenDays: Double) {
        self.bytesPerDay = bytesPerDay
        self.seenDays = seenDays
    }

    /// From what every service tells of how it stands; nil while nobody can tell.
    public init?(_ told: [JSONValue]) {
        do throws(JSONError) {
            var used = 0
            var hub: (events: Int, perDay: Double, days: Double)?
            for one in told {
                used += try one.find("used") ?? 0
                guard let head = try one["hub"]?.find("head", as: Int.self), head > 0,
                    let perDay: Double = try one.find("eventsPerDay"), let days: Double = try one.find("seenDays")
                else { continue }
                hub = (head, perDay, days)
            }
            guard let hub, used > 0, hub.perDay > 0 else { return nil }
            self.init(bytesPerDay: Double(used) / Double(hub.events) * hub.perDay, seenDays: hub.days)
        } catch {
            // A service of another build tells something else.
            return nil
        }
    }

    /// In how many days new records are refused; a hundred years are for ever.
    public func days(_ disk: DiskStatus) -> Int {
        bytesPerDay > 0 ? Int(min(Double(disk.left) / bytesPerDay, 36_500)) : 36_500
    }
}
