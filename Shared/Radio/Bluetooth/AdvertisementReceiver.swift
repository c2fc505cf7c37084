/// The decoder of one Bluetooth controller's packets, in order; it joins advertisements that arrive in parts.
public struct AdvertisementReceiver: Sendable {
    public var decoder: AdvertisementDecoder
    private var assembler = AdvertisementAssembler()

    public init(_ decoder: AdvertisementDecoder = AdvertisementDecoder()) {
        self.decoder = decoder
    }

    /// Decodes one packet in H4 form.
    public mutating func decode(packet bytes: [UInt8]) -> DecodedInput {
        do throws(Malformed) {
            let packet = try HCIPacket(bytes)
            var decoded = DecodedInput()
            for part in packet.advertisements {
                guard let advertisement = assembler.take(part) else { continue }
                var one = decoder.decode(advertisement)
                if let miss = AdvertisementDecoder.miss(advertisement, one) { one.misses = [miss] }
                decoded.append(one)
            }
            if let problem = packet.problem { decoded.note(problem) }
            return decoded
        } catch {
            return DecodedInput(problem: error)
        }
    }
}
