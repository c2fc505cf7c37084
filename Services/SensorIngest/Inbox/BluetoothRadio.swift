import Radio
import Vocabulary

/// One Bluetooth controller, as it is overheard: a live HCI stream. It only listens; who feeds the stream makes the
/// controller scan.
struct BluetoothRadio {
    private var stream = HCIStream()
    private var receiver: AdvertisementReceiver
    private var lastByte: Instant?
    /// When the noise that waits to be told began.
    private var noise: (at: Instant, wall: Instant)?

    init(keys: [DeviceID: [UInt8]]) {
        receiver = AdvertisementReceiver(AdvertisementDecoder(keys: keys, commonKey: nil))
    }

    /// What the bytes told.
    mutating func hear(_ bytes: [UInt8], at now: Instant, wall: Instant) -> [RadioInput] {
        lastByte = wall
        return take(stream.feed(bytes), at: now, wall: wall)
    }

    /// What the time that went by told.
    mutating func tend(at now: Instant, wall: Instant) -> [RadioInput] {
        var inputs: [RadioInput] = []
        if stream.isInsidePacket, let lastByte, RadioInput.isPast(lastByte, RadioInput.gapSeconds, wall) {
            inputs = take(stream.reset(), at: now, wall: wall)
        }
        if let began = noise, RadioInput.isPast(began.wall, RadioInput.gapSeconds, wall) { inputs += takeNoise() }
        return inputs
    }

    /// What is left when the stream has ended: nothing that comes belongs to what has begun.
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
            let heard = receiver.decode(packet: packet.bytes)
            if heard.isEmpty { continue }
            // Never in the future, and a recorder's clock may be anything.
            inputs.append(
                RadioInput(heard: heard, excerpt: QuarantinedBytes(packet.bytes), at: min(packet.time ?? now, now)))
        }
        if noise == nil, stream.hasNoise { noise = (now, wall) }
        return inputs
    }
}
