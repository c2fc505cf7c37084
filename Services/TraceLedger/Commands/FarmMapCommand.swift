import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The command that sets the map of a farm.
struct FarmMapCommand {
    let tables: any Tables
    let actor: Actor

    /// Handles `set-farm-map`. Throws a 404 for a farm, plot or store that is not known, and a 422 for a place that is
    /// there twice.
    func set(_ command: SetFarmMap) throws(Problem) -> LedgerCommands.Outcome {
        let farm = command.farm
        guard tables.get(FarmRow.self, farm.rawValue) != nil else {
            throw Problem(404, "unknown-farm", "There is no farm \(farm).")
        }
        var places: Set<Place> = []
        for pin in command.pins {
            guard tables.get(PlaceRow.self, pin.place.description) != nil else {
                throw Problem(404, "unknown-place", "pins: there is no place \(pin.place).")
            }
            guard places.insert(pin.place).inserted else {
                throw Problem(422, "twice", "pins: \(pin.place) is there twice.")
            }
        }
        let event = FarmMapSet(farm: farm, plan: command.plan, pins: command.pins)
        return ([Draft(event, in: "farm-map/\(farm)", by: actor)], .made(200) { $0.field("farm", farm) })
    }
}
