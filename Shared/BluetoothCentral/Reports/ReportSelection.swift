package import Radio
package import Vocabulary

/// Selects what a hub reports: advertisements with data for the farm, unless they repeat, and values of characteristics
/// at the interval of their profile.
package struct ReportSelection: Sendable {
    private struct Source: Hashable {
        let address: UInt64
        let characteristic: String?
        let isScanResponse: Bool
    }

    private struct Last {
        let data: [UInt8]
        let at: Int64
    }

    private let decoder = AdvertisementDecoder()
    private var last: [Source: Last] = [:]
    /// The sources of `last`, the oldest first.
    private var order: [Source] = []

    package init() {}

    /// Returns the report of an advertisement, or nil if it has no data for the farm, or the same data as a moment ago.
    ///
    /// Data that is encrypted, or in a format that the hub does not know, is for the farm, which may have the key.
    /// - Parameter now: The monotonic time in microseconds.
    package mutating func report(_ advertisement: Advertisement, at: Instant, now: Int64) -> AdvertReport? {
        guard let address = advertisement.address else { return nil }
        let decoded = decoder.decode(advertisement)
        guard !decoded.isEmpty || AdvertisementDecoder.miss(advertisement, decoded) != nil else { return nil }
        let source = Source(address: address, characteristic: nil, isScanResponse: advertisement.isScanResponse)
        if let last = last[source], last.data == advertisement.data,
            now - last.at < Int64(CentralLimits.repeatSeconds * 1_000_000)
        {
            return nil
        }
        remember(source, advertisement.data, at: now)
        return AdvertReport(
            address: address, data: advertisement.data, rssi: advertisement.rssi, at: at, characteristic: nil,
            sensor: nil)
    }

    /// Returns the report of a value, or nil if the interval of its profile has not passed since the last one.
    package mutating func report(_ value: NotifiedValue, at: Instant, now: Int64) -> AdvertReport? {
        let source = Source(
            address: value.peer.address, characteristic: value.characteristic, isScanResponse: false)
        if let last = last[source], now - last.at < Int64(value.interval) * 1_000_000 { return nil }
        remember(source, value.value, at: now)
        return AdvertReport(
            address: value.peer.address, data: value.value, rssi: nil, at: at, characteristic: value.characteristic,
            sensor: value.sensor)
    }

    private mutating func remember(_ source: Source, _ data: [UInt8], at now: Int64) {
        if last[source] == nil {
            if order.count >= CentralLimits.senders { last[order.removeFirst()] = nil }
            order.append(source)
        }
        last[source] = Last(data: data, at: now)
    }
}
