public import JSON

/// The speed at which a farm server fills its disk: the bytes of all services per event of the hub, times the recent
/// number of events a day.
public struct DiskGrowthEstimate: Sendable, Equatable {
    /// The growth in bytes a day.
    public let bytesPerDay: Double
    /// The number of days that the estimate is based on: seven, or fewer for a younger farm.
    public let seenDays: Double

    /// Creates an estimate from its numbers.
    public init(bytesPerDay: Double, seenDays: Double) {
        self.bytesPerDay = bytesPerDay
        self.seenDays = seenDays
    }

    /// Estimates the growth from the status responses of all services; returns nil if they do not suffice.
    public init?(_ statuses: [JSONValue]) {
        do throws(JSONError) {
            var used = 0
            var hub: (events: Int, perDay: Double, days: Double)?
            for one in statuses {
                used += try one.find("used") ?? 0
                guard let head = try one["hub"]?.find("head", as: Int.self), head > 0,
                    let perDay: Double = try one.find("eventsPerDay"), let days: Double = try one.find("seenDays")
                else { continue }
                hub = (head, perDay, days)
            }
            guard let hub, used > 0, hub.perDay > 0 else { return nil }
            self.init(bytesPerDay: Double(used) / Double(hub.events) * hub.perDay, seenDays: hub.days)
        } catch {
            // A service of another build has a different response.
            return nil
        }
    }

    /// Returns in how many days new records will be refused; at most a hundred years, which stands for never.
    public func days(_ disk: DiskStatus) -> Int {
        bytesPerDay > 0 ? Int(min(Double(disk.left) / bytesPerDay, 36_500)) : 36_500
    }
}
