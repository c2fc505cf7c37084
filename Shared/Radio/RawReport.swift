public import Vocabulary

/// A message of a ZigBee device that no decoder claims. It is stored as received, so that a layout can be written for
/// it later.
public struct RawReport: Hashable, Sendable {
    public var device: DeviceID
    /// Nil if the receiver does not know it (`AF_INCOMING_MSG` on an unknown endpoint).
    public var profile: UInt16?
    public var cluster: UInt16
    public var endpoint: UInt8
    /// The transaction sequence number of a ZCL frame, else the radio's own counter.
    public var tsn: UInt8?
    public var payload: [UInt8]
    public var rssi: Int?
    public var lqi: Int?

    public init(
        device: DeviceID, profile: UInt16?, cluster: UInt16, endpoint: UInt8, tsn: UInt8?, payload: [UInt8],
        rssi: Int? = nil, lqi: Int? = nil
    ) {
        self.device = device
        self.profile = profile
        self.cluster = cluster
        self.endpoint = endpoint
        self.tsn = tsn
        self.payload = payload
        self.rssi = rssi
        self.lqi = lqi
    }

    public var repeatKey: RepeatKey {
        let place = [endpoint, UInt8(truncatingIfNeeded: cluster), UInt8(truncatingIfNeeded: cluster >> 8)]
        return RepeatKey(device: device, rule: .zigbee, counter: tsn.map(UInt64.init), payload: place + payload)
    }
}
