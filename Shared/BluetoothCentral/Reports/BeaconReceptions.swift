package import Radio
package import Vocabulary

/// What was received of beacons in the last second, in memory only: a reception says how far a beacon is now, and an
/// old one says nothing.
package struct BeaconReceptions: Sendable {
    private let decoder = AdvertisementDecoder()
    private var reports: [AdvertReport] = []
    /// Receptions that had no room.
    package private(set) var omitted = 0

    package init() {}

    package var isEmpty: Bool { reports.isEmpty }

    /// Takes an advertisement if it is a beacon's.
    package mutating func take(_ advertisement: Advertisement, at time: Instant) {
        guard let address = advertisement.address, advertisement.rssi != nil,
            !decoder.decode(advertisement).beacons.isEmpty
        else { return }
        guard reports.count < CentralLimits.receptions else {
            omitted += 1
            return
        }
        reports.append(
            AdvertReport(
                address: address, data: advertisement.data, rssi: advertisement.rssi, at: time, characteristic: nil,
                sensor: nil))
    }

    /// Returns the body of a request with all receptions, and forgets them.
    package mutating func takeBody() -> [UInt8] {
        defer { reports = [] }
        return AdvertReport.body(of: reports.map { AdvertReport.line($0.text, at: $0.at) })
    }
}
