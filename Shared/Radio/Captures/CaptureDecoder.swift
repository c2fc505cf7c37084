/// The decoder of a capture's packets, in order, into reports, beacons and raw reports.
///
/// Its state is what later packets need: network keys, short addresses, and parts of advertisements.
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
