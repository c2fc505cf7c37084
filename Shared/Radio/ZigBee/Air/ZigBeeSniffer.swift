/// The decoder of sniffed frames, in order, into reports. It decrypts them with its keys and those that it receives.
public struct ZigBeeSniffer: Sendable {
    public var devices: ZigBeeDecoder
    public var keys: KeyRing
    public var addresses = AddressBook()

    public init(devices: ZigBeeDecoder = ZigBeeDecoder(), keys: KeyRing = KeyRing()) {
        self.devices = devices
        self.keys = keys
    }

    /// Decodes one MAC frame without its check sequence.
    public mutating func decode(_ bytes: [UInt8], rssi: Int? = nil) -> DecodedInput {
        do throws(Malformed) {
            let frame = try MACFrame(bytes)
            guard frame.kind == .data, !frame.payload.isAtEnd else { return DecodedInput() }
            let network = try NetworkFrame(frame.payload)
            let body = network.isSecured ? ByteReader(try open(network, from: frame.source)) : network.body
            if let ieee = network.sourceIEEE { addresses.learn(short: network.source, ieee: ieee) }
            guard network.kind == .data else { return DecodedInput() }
            return try decode(body, network, rssi: rssi)
        } catch {
            return DecodedInput(problem: error)
        }
    }

    private mutating func open(
        _ frame: NetworkFrame, from transmitter: MACFrame.Address?
    ) throws(Malformed) -> [UInt8] {
        var body = frame.body
        let security = try SecurityHeader(&body)
        guard let source = security.sourceIEEE else {
            throw Malformed("a secured frame that does not name its sender", at: frame.body.offset)
        }
        for key in keys.candidates(for: security.key) {
            guard let plain = security.open(body, header: frame.header, key: key, source: source) else { continue }
            // Each router secures the frame again, so the sender named here is the sender of the MAC frame.
            if case .short(let short)? = transmitter { addresses.learn(short: short, ieee: source) }
            return plain
        }
        throw Malformed("no network key that is known opens it", at: frame.body.offset, isSealed: true)
    }

    private mutating func decode(
        _ body: ByteReader, _ network: NetworkFrame, rssi: Int?
    ) throws(Malformed) -> DecodedInput {
        let frame = try ApplicationFrame(body)
        let payload = frame.isSecured ? try open(frame, network) : frame.body.rest
        switch frame.kind {
        case .command:
            learnKey(payload)
            return DecodedInput()
        case .data:
            guard !frame.isPart else {
                throw Malformed("a message in parts, which are not put together", at: frame.body.offset)
            }
            return decode(payload, frame, network, rssi: rssi)
        case .acknowledgement, .interNetwork: return DecodedInput()
        }
    }

    private mutating func decode(
        _ payload: [UInt8], _ frame: ApplicationFrame, _ network: NetworkFrame, rssi: Int?
    ) -> DecodedInput {
        if frame.profile == DeviceObject.profile {
            // The first byte is the transaction number.
            let data = Array(payload.dropFirst())
            if let pair = DeviceObject.addresses(cluster: frame.cluster, data: data) {
                addresses.learn(short: pair.short, ieee: pair.ieee)
            }
            return DecodedInput()
        }
        return devices.decodeAndLearn(
            ZigBeeMessage(
                device: addresses.device(short: network.source), profile: frame.profile, cluster: frame.cluster,
                endpoint: frame.sourceEndpoint, counter: frame.counter, rssi: rssi, payload: payload))
    }

    private func open(_ frame: ApplicationFrame, _ network: NetworkFrame) throws(Malformed) -> [UInt8] {
        var body = frame.body
        let security = try SecurityHeader(&body)
        guard let source = security.sourceIEEE ?? network.sourceIEEE ?? addresses.ieee(of: network.source) else {
            throw Malformed("a secured message whose sender is not known", at: frame.body.offset, isSealed: true)
        }
        for key in keys.candidates(for: security.key) {
            if let plain = security.open(body, header: frame.header, key: key, source: source) { return plain }
        }
        throw Malformed("no link key that is known opens it", at: frame.body.offset, isSealed: true)
    }

    /// Stores the key of a transport-key command (ZigBee specification, section 4.4.10.1).
    private mutating func learnKey(_ command: [UInt8]) {
        guard command.count >= 2 + KeyHash.size, command[0] == 0x05 else { return }
        let key = Array(command[2..<(2 + KeyHash.size)])
        switch command[1] {
        case 0x01, 0x05: keys.learn(network: key)
        case 0x03, 0x04: keys.learn(link: key)
        default: break
        }
    }
}
