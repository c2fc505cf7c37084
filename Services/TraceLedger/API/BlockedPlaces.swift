import EventSourcing
import Events
import Host
import Vocabulary

/// Places where something was measured that the ledger could not use yet, or that waits behind what it could not: what
/// is told of them may be older than what is known.
struct BlockedPlaces {
    private let places: Set<Place>

    init(_ tables: any Tables) {
        let devices = tables.heldStreams.filter { $0.hasPrefix("device/") }.map { $0.dropFirst("device/".utf8.count) }
        places = Set(devices.compactMap { tables.get(DevicePlaceRow.self, String($0))?.place })
    }

    func holds(_ place: Place) -> Bool { places.contains(place) }

    /// Where it grew, or where it lies.
    func holds(_ lot: LotRow) -> Bool {
        guard !places.isEmpty else { return false }
        return lot.state.harvest.map { holds(.plot($0.plot)) } ?? false || lot.state.place.map(holds) ?? false
    }
}
