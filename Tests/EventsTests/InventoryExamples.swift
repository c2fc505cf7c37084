import EventSourcing
import Events
import Vocabulary

/// An example of every event of inventories.
enum InventoryExamples {
    static let all: [any Event] = [
        InventorySet(inventory: "tools", title: "Werkzeug", place: .store("barn")),
        ItemSet(
            item: "saw-3", inventory: "tools", title: "Motorsäge", place: .store("barn"),
            beacon: "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:2", code: "4006381333931",
            value: MarketExamples.euros(49_900)),
        ItemRemoved(item: "saw-3", reason: "Sold to the neighbour"),
        FarmMapSet(
            farm: "sonnhof", plan: String(repeating: "6d", count: 32),
            pins: [MapPin(place: .store("barn"), spot: PlanSpot(x: 250, y: 1000))]),
        StocktakeStarted(stocktake: "tools-2026", inventory: "tools", title: "Tools, autumn 2026"),
        ItemsCounted(
            stocktake: "tools-2026",
            sightings: [
                Sighting(
                    thing: "beacon/ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:2",
                    at: Instant(microseconds: 1_784_000_000_000_000), how: .beacon, place: .store("barn"),
                    device: "Anna's phone"),
                Sighting(thing: "code/4006381333931", at: Instant(microseconds: 1_784_000_001_500_000), how: .typed),
            ]),
        DifferenceResolved(
            stocktake: "tools-2026", thing: "item/saw-3", resolution: .missing, reason: "Lent, and not returned"),
        StocktakeFinished(
            stocktake: "tools-2026", found: 29, missing: 1, unexpected: 2, digest: String(repeating: "5c", count: 32)),
    ]

    /// The same events without optional fields.
    static let bare: [any Event] = [
        InventorySet(inventory: "tools", title: "Tools"), ItemSet(item: "saw-3", inventory: "tools", title: "Saw"),
        DifferenceResolved(stocktake: "tools-2026", thing: "code/1", resolution: .ignored),
    ]
}
