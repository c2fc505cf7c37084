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
            latitude: try degrees(body, "latitude", 90), longitude: try degrees(body, "longitude", 180))
        return made(event, "pickup/\(pickup)", farm: farm) { $0.field("pickup", pickup) }
    }

    func closePickup(_ body: RequestBody) throws(Problem) -> Outcome {
        let pickup = try pickup(named: body.name("pickup"))
        let event = PickupClosed(pickup: pickup, reason: try optionalReason(body))
        let farm = tables.get(PickupRow.self, pickup.rawValue)?.farm
        return made(event, "pickup/\(pickup)", farm: farm) { $0.field("pickup", pickup) }
    }

    func pickup(named name: String) throws(Problem) -> PickupID {
        guard let row = tables.get(PickupRow.self, name) else {
            throw Problem(404, "unknown-pickup", "There is no pick-up point \(name.prefix(40)).")
        }
        guard !row.isClosed else {
            throw Problem(409, "pickup-closed", "Nothing can be picked up at \(row.place.title) any more.")
        }
        return PickupID(name)
    }
}
