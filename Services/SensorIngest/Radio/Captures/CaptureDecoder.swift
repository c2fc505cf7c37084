/// Turns the packets of a capture, in order, into reports, beacons and raw reports.
///
/// It remembers what later packets need: network keys and who is behind which short address.
public struct CaptureDecoder: Sendable {
    public var advertisements: AdvertisementDecoder
    public var sniffer: ZigBeeSniffer

    public init(advertisements: AdvertisementDecoder = AdvertisementDecoder(), sniffer: ZigBeeSniffer = ZigBeeSniffer())
    {
        self.advertisements = advertisements
        self.sniffer = sniffer
    }

    public mutating func decode(_ frame: CapturedFrame) -> Heard {
        switch frame.medium {
        case .bluetooth: advertisements.decode(packet: frame.bytes)
        case .ieee802154: sniffer.decode(frame.bytes)
        }
    }
}

extension AdvertisementDecoder {
    /// Everything that one packet in H4 form tells.
    public func decode(packet bytes: [UInt8]) -> Heard {
        do throws(Malformed) {
            let packet = try HCIPacket(bytes)
            var heard = Heard()
            for advertisement in packet.advertisements { heard.append(decode(advertisement)) }
            if let problem = packet.problem { heard.note(problem) }
            return heard
        } catch {
            return Heard(problem: error)
        }
    }
}
