import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// Commands for pick-up points.
extension MarketCommands {
    func openPickup(_ body: RequestBody) throws(Problem) -> Outcome {
        let pickup = PickupID(try body.name("pickup"))
        let farm = try body.has("farm") ? farm(body) : nil
        let event = PickupOpened(
            pickup: pickup, title: try body.text("title"), address: try body.optionalText("address"),
            county: try body.optionalText("county"), hours: try body.optionalText("hours"),
            opens: try OpeningTime.list(body), latitude: try degrees(body, "latitude", 90),
            longitude: try degrees(body, "longitude", 180))
        return made(event, "pickup/\(pickup)", farm: farm) { $0.field("pickup", pickup) }
    }

    func closePickup(_ body: RequestBody) throws(Problem) -> Outcome {
        let pickup = try pickup(named: body.name("pickup"))
        let event = PickupClosed(pickup: pickup, reason: try optionalReason(body))
        let farm = tables.get(PickupRow.self, pickup.rawValue)?.farm
        return made(event, "pickup/\(pickup)", farm: farm) { $0.field("pickup", pickup) }
    }

    func pickup(named name: String) throws(Problem) -> PickupID { try pickup(PickupID(name)).pickup }

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
    /// Reads the opening times of a place, `opens`; empty if there are none.
    static func list(_ body: RequestBody) throws(Problem) -> [OpeningTime] {
        let times = try body.find("opens", as: [OpeningTime].self) ?? []
        guard times.count <= MarketLimits.openingTimes else {
            throw Problem(400, "malformed", "opens: at most \(MarketLimits.openingTimes) times.")
        }
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
