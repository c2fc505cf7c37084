/// Decodes the packets of one Bluetooth controller, in order: joins advertisements that come in parts.
public struct AdvertisementReceiver: Sendable {
    public var decoder: AdvertisementDecoder
    private var assembler = AdvertisementAssembler()

    public init(_ decoder: AdvertisementDecoder = AdvertisementDecoder()) {
        self.decoder = decoder
    }

    /// Everything that one packet in H4 form tells.
    public mutating func decode(packet bytes: [UInt8]) -> DecodedInput {
        do throws(Malformed) {
            let packet = try HCIPacket(bytes)
            var heard = DecodedInput()
            for part in packet.advertisements {
                guard let advertisement = assembler.take(part) else { continue }
                var one = decoder.decode(advertisement)
                if let miss = AdvertisementDecoder.miss(advertisement, one) { one.misses = [miss] }
                heard.append(one)
            }
            if let problem = packet.problem { heard.note(problem) }
            return heard
        } catch {
            return DecodedInput(problem: error)
        }
    }
}
