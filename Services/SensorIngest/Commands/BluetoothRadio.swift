import Radio
import Vocabulary

/// A Bluetooth controller that is read as a live HCI stream. This only listens; the process that writes the stream
/// makes the controller scan.
struct BluetoothRadio {
    private var stream = HCIStream()
    private var receiver: AdvertisementReceiver
    private var lastByte: Instant?
    /// The time at which the noise that is not yet reported began.
    private var noise: (at: Instant, wall: Instant)?

    init(keys: [DeviceID: [UInt8]]) {
        receiver = AdvertisementReceiver(AdvertisementDecoder(keys: keys, commonKey: nil))
    }

    /// Takes the keys of devices that encrypt.
    mutating func pair(_ keys: [DeviceID: [UInt8]]) { receiver.decoder.keys = keys }

    /// Returns the inputs decoded from the bytes.
    mutating func receive(_ bytes: [UInt8], at now: Instant, wall: Instant) -> [RadioInput] {
        lastByte = wall
        return take(stream.feed(bytes), at: now, wall: wall)
    }

    /// Returns inputs that are due by time: those of an abandoned packet, and noise.
    mutating func tend(at now: Instant, wall: Instant) -> [RadioInput] {
        var inputs: [RadioInput] = []
        if stream.isInsidePacket, let lastByte, RadioInput.isPast(lastByte, RadioInput.gapSeconds, wall) {
            inputs = take(stream.reset(), at: now, wall: wall)
        }
        if let began = noise, RadioInput.isPast(began.wall, RadioInput.gapSeconds, wall) { inputs += takeNoise() }
        return inputs
    }

    /// Returns what is left when the stream ends; later bytes do not continue a packet that has begun.
    mutating func end(at now: Instant, wall: Instant) -> [RadioInput] {
        take(stream.reset(), at: now, wall: wall) + takeNoise()
    }

    private mutating func takeNoise() -> [RadioInput] {
        guard let began = noise else { return [] }
        noise = nil
        let (bytes, count) = stream.takeNoise()
        return [.noise(QuarantinedBytes(bytes, length: count), "packet", at: began.at)]
    }

    private mutating func take(_ packets: [HCIStream.Packet], at now: Instant, wall: Instant) -> [RadioInput] {
        var inputs: [RadioInput] = []
        for packet in packets {
            let decoded = receiver.decode(packet: packet.bytes)
            if decoded.isEmpty { continue }
            // The recorder's clock may be wrong; a time in the future is replaced by now.
            inputs.append(
                RadioInput(decoded: decoded, excerpt: QuarantinedBytes(packet.bytes), at: min(packet.time ?? now, now)))
        }
        if noise == nil, stream.hasNoise { noise = (now, wall) }
        return inputs
    }
}
