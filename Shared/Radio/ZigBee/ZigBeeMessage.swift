public import Vocabulary

/// A message of one ZigBee device to one endpoint, independent of the transport it arrived by.
public struct ZigBeeMessage: Hashable, Sendable {
    public var device: DeviceID
    /// Nil if the receiver does not know it; Home Automation is then assumed.
    public var profile: UInt16?
    public var cluster: UInt16
    public var endpoint: UInt8
    /// The counter of the application layer, or the coordinator's.
    public var counter: UInt8?
    public var rssi: Int?
    public var lqi: Int?
    public var payload: [UInt8]

    public init(
        device: DeviceID, profile: UInt16?, cluster: UInt16, endpoint: UInt8, counter: UInt8? = nil,
        rssi: Int? = nil, lqi: Int? = nil, payload: [UInt8]
    ) {
        self.device = device
        self.profile = profile
        self.cluster = cluster
        self.endpoint = endpoint
        self.counter = counter
        self.rssi = rssi
        self.lqi = lqi
        self.payload = payload
    }

    /// The bytes that distinguish this message from others of the device.
    var fingerprint: [UInt8] {
        [endpoint, UInt8(truncatingIfNeeded: cluster), UInt8(truncatingIfNeeded: cluster >> 8)] + payload
    }

    func raw(tsn: UInt8?) -> RawReport {
        RawReport(
            device: device, profile: profile, cluster: cluster, endpoint: endpoint, tsn: tsn ?? counter,
            payload: payload, rssi: rssi, lqi: lqi)
    }
}
