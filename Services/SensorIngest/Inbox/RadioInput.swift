import Radio
import Vocabulary

/// What one message of a radio told, or a spell of noise.
struct RadioInput {
    let heard: DecodedInput
    let excerpt: QuarantinedBytes
    let at: Instant

    /// Silence within a frame that means the rest is lost; also how long noise is gathered before it is told.
    static let gapSeconds = 1.0

    /// Bytes that belonged to none of the radio's frames (or packets).
    static func noise(_ excerpt: QuarantinedBytes, _ unit: String, at time: Instant) -> RadioInput {
        RadioInput(
            heard: DecodedInput(problem: Malformed("bytes that belong to no \(unit)", at: 0)), excerpt: excerpt,
            at: time)
    }

    /// A clock that was set back ends every wait.
    static func isPast(_ time: Instant, _ seconds: Double, _ now: Instant) -> Bool {
        now < time || now.seconds(since: time) > seconds
    }
}

/// A radio that is attached to this machine.
enum AttachedRadio {
    case coordinator(SerialRadio)
    case bluetooth(BluetoothRadio)

    /// `znp:…` is a coordinator's serial line, `hci:…` a Bluetooth controller's stream; nil for any other name.
    init?(_ source: String, keys: [DeviceID: [UInt8]]) {
        if source.hasPrefix("znp:") {
            self = .coordinator(SerialRadio())
        } else if source.hasPrefix("hci:") {
            self = .bluetooth(BluetoothRadio(keys: keys))
        } else {
            return nil
        }
    }

    /// Applies what is known of the make of a device.
    mutating func learn(_ make: DeviceMakeRow) {
        guard case .coordinator(var radio) = self else { return }
        radio.learn(make)
        self = .coordinator(radio)
    }

    /// What the bytes told, and what to send to the radio.
    mutating func hear(_ bytes: [UInt8], at now: Instant, wall: Instant) -> (inputs: [RadioInput], orders: [ZNPMessage])
    {
        switch self {
        case .coordinator(var radio):
            defer { self = .coordinator(radio) }
            return radio.hear(bytes, at: now, wall: wall)
        case .bluetooth(var radio):
            defer { self = .bluetooth(radio) }
            return (radio.hear(bytes, at: now, wall: wall), [])
        }
    }

    /// What the time that went by told, and what to send by now.
    mutating func tend(at now: Instant, wall: Instant) -> (inputs: [RadioInput], orders: [ZNPMessage]) {
        switch self {
        case .coordinator(var radio):
            defer { self = .coordinator(radio) }
            return radio.tend(at: now, wall: wall)
        case .bluetooth(var radio):
            defer { self = .bluetooth(radio) }
            return (radio.tend(at: now, wall: wall), [])
        }
    }

    /// Why the radio does not work although its line is there; nil while it does. A Bluetooth controller may be silent.
    func trouble(at wall: Instant) -> String? {
        switch self {
        case .coordinator(let radio): radio.trouble(at: wall)
        case .bluetooth: nil
        }
    }

    /// What is left to tell of a radio that went.
    func end(at now: Instant, wall: Instant) -> [RadioInput] {
        switch self {
        case .coordinator(var radio): radio.end(at: now, wall: wall)
        case .bluetooth(var radio): radio.end(at: now, wall: wall)
        }
    }
}
