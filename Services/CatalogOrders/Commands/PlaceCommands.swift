import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// Commands for pick-up points.
extension MarketCommands {
    func openPickup(_ command: OpenPickup) throws(Problem) -> Outcome {
        let pickup = command.pickup
        if let farm = command.farm { try check(farm) }
        let event = PickupOpened(
            pickup: pickup, title: command.title, address: command.address, county: command.county,
            hours: command.hours, opens: try OpeningTime.checked(command.opens), latitude: command.latitude,
            longitude: command.longitude)
        return made(event, "pickup/\(pickup)", farm: command.farm) { $0.field("pickup", pickup) }
    }

    func closePickup(_ command: ClosePickup) throws(Problem) -> Outcome {
        let pickup = try pickup(command.pickup).pickup
        let event = PickupClosed(pickup: pickup, reason: command.reason)
        let farm = tables.get(PickupRow.self, pickup.rawValue)?.farm
        return made(event, "pickup/\(pickup)", farm: farm) { $0.field("pickup", pickup) }
    }

    /// Returns the description of a place that is open for orders.
    func pickup(_ name: PickupID) throws(Problem) -> PickupOpened {
        guard let row = tables.get(PickupRow.self, name.rawValue) else {
            throw Problem(404, "unknown-pickup", "There is no pick-up point \(name.rawValue.prefix(40)).")
        }
        guard !row.isClosed else {
            throw Problem(409, "pickup-closed", "Nothing can be picked up at \(row.place.title) any more.")
        }
        return row.place
    }
}

extension OpeningTime {
    /// Returns the opening times of a place, each with its weekdays in order. Throws 422 if one is none.
    static func checked(_ times: [OpeningTime]) throws(Problem) -> [OpeningTime] {
        for time in times {
            guard !time.weekdays.isEmpty, time.weekdays.allSatisfy((1...7).contains), time.from < time.to else {
                throw Problem(
                    422, "no-time",
                    "opens: weekdays are numbers from 1 for Monday to 7 for Sunday; `to` (12:30) has to be after "
                        + "`from` (08:00).")
            }
        }
        return times.map { OpeningTime(weekdays: Set($0.weekdays).sorted(), from: $0.from, to: $0.to) }
    }
}
