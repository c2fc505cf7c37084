import Events
import Vocabulary

/// Which person is on call in which week.
struct OnCallRota {
    /// A week of the rota.
    struct Week: Equatable {
        let begins: Instant
        let ends: Instant
        let person: PersonID
        /// Whether the person is another one than planned.
        let isSwapped: Bool
    }

    private static let weekSeconds: Int64 = 7 * 86_400

    private let weeks: OnCallWeeks
    private let zone: Zone

    /// - Parameter weeks: at least one person.
    init(_ weeks: OnCallWeeks, in zone: Zone) {
        self.weeks = weeks
        self.zone = zone
    }

    /// Returns the weeks from the one that contains a time. The rota also extends to the time
    /// before the first week, so that there is always a person on call.
    func weeks(from time: Instant, count: Int) -> [Week] {
        let first = number(of: time)
        return (0..<Int64(count)).map { week(first + $0) }
    }

    func person(at time: Instant) -> PersonID { week(number(of: time)).person }

    private func week(_ number: Int64) -> Week {
        let planned = weeks.people[Int(number - number.floored(to: Int64(weeks.people.count)))]
        let swap = weeks.swaps.last { self.number(of: $0.week) == number }?.person
        return Week(
            begins: beginning(number), ends: beginning(number + 1), person: swap ?? planned,
            isSwapped: swap != nil && swap != planned)
    }

    /// Returns the number of the week that contains a time; 0 is the first one. Weeks are those of the zone's clocks.
    private func number(of time: Instant) -> Int64 {
        (zone.local(of: time) - zone.local(of: weeks.begins)).floored(to: Self.weekSeconds) / Self.weekSeconds
    }

    private func beginning(_ number: Int64) -> Instant {
        zone.time(ofLocal: zone.local(of: weeks.begins) + number * Self.weekSeconds)
    }
}
