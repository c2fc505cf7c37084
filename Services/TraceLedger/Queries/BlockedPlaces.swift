import EventSourcing
import Events
import Host
import Vocabulary

/// Places with measurements in parked events or behind them in a blocked stream. Their values may be outdated.
struct BlockedPlaces {
    private let places: Set<Place>

    init(_ tables: any Tables) {
        let devices = tables.blockedStreams.filter { $0.hasPrefix("device/") }.map {
            $0.dropFirst("device/".utf8.count)
        }
        places = Set(devices.compactMap { tables.get(DevicePlaceRow.self, String($0))?.place })
    }

    func holds(_ place: Place) -> Bool { places.contains(place) }

    /// Whether the plot or the current store of a lot is such a place.
    func holds(_ lot: LotRow) -> Bool {
        guard !places.isEmpty else { return false }
        return lot.state.harvest.map { holds(.plot($0.plot)) } ?? false || lot.state.place.map(holds) ?? false
    }
}
