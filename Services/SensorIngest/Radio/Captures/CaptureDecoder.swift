/// Turns the packets of a capture, in order, into reports, beacons and raw reports.
///
/// It remembers what later packets need: network keys, who is behind which short address, and parts of advertisements.
public struct CaptureDecoder: Sendable {
    public var advertisements: AdvertisementReceiver
    public var sniffer: ZigBeeSniffer

    public init(advertisements: AdvertisementDecoder = AdvertisementDecoder(), sniffer: ZigBeeSniffer = ZigBeeSniffer())
    {
        self.advertisements = AdvertisementReceiver(advertisements)
        self.sniffer = sniffer
    }

    public mutating func decode(_ frame: CapturedFrame) -> DecodedInput {
        switch frame.medium {
        case .bluetooth: advertisements.decode(packet: frame.bytes)
        case .ieee802154: sniffer.decode(frame.bytes)
        }
    }
}
