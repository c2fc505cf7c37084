import Radio
import Vocabulary

/// The decoded contents of one message of a radio, or a period of noise.
struct RadioInput {
    let decoded: DecodedInput
    let excerpt: QuarantinedBytes
    let at: Instant

    /// Seconds of silence within a frame after which its rest counts as lost; also how long noise is collected before
    /// it is reported.
    static let gapSeconds = 1.0

    /// Returns an input for bytes that are part of no frame or packet.
    static func noise(_ excerpt: QuarantinedBytes, _ unit: String, at time: Instant) -> RadioInput {
        RadioInput(
            decoded: DecodedInput(problem: Malformed("bytes that belong to no \(unit)", at: 0)), excerpt: excerpt,
            at: time)
    }

    /// Whether more than `seconds` have passed since `time`. Also true after the clock was set back, so that no wait is
    /// endless.
    static func isPast(_ time: Instant, _ seconds: Double, _ now: Instant) -> Bool {
        now < time || now.seconds(since: time) > seconds
    }
}

/// A radio attached to this machine.
enum AttachedRadio {
    case coordinator(SerialRadio)
    case bluetooth(BluetoothRadio)

    /// Creates the radio of a source: `znp:…` is a coordinator's serial line, `hci:…` a Bluetooth controller's stream.
    ///
    /// Returns nil for any other name.
    init?(_ source: String, keys: [DeviceID: [UInt8]], layouts: [Layout]) {
        if source.hasPrefix("znp:") {
            self = .coordinator(SerialRadio(layouts: layouts))
        } else if source.hasPrefix("hci:") {
            self = .bluetooth(BluetoothRadio(keys: keys))
        } else {
            return nil
        }
    }

    /// Takes the keys of Bluetooth devices that encrypt.
    mutating func pair(_ keys: [DeviceID: [UInt8]]) {
        guard case .bluetooth(var radio) = self else { return }
        radio.pair(keys)
        self = .bluetooth(radio)
    }

    /// Applies the known make of a device to the decoding of its messages.
    mutating func learn(_ make: DeviceMakeRow) {
        guard case .coordinator(var radio) = self else { return }
        radio.learn(make)
        self = .coordinator(radio)
    }

    mutating func receive(_ bytes: [UInt8], at now: Instant, wall: Instant) -> RadioOutput {
        switch self {
        case .coordinator(var radio):
            defer { self = .coordinator(radio) }
            return radio.receive(bytes, at: now, wall: wall)
        case .bluetooth(var radio):
            defer { self = .bluetooth(radio) }
            return RadioOutput(inputs: radio.receive(bytes, at: now, wall: wall))
        }
    }

    /// Returns what is due by time.
    mutating func tend(at now: Instant, wall: Instant) -> RadioOutput {
        switch self {
        case .coordinator(var radio):
            defer { self = .coordinator(radio) }
            return radio.tend(at: now, wall: wall)
        case .bluetooth(var radio):
            defer { self = .bluetooth(radio) }
            return RadioOutput(inputs: radio.tend(at: now, wall: wall))
        }
    }

    /// The coordinator; nil if the radio is another kind.
    var serial: SerialRadio? {
        get { if case .coordinator(let radio) = self { radio } else { nil } }
        set { if let newValue, case .coordinator = self { self = .coordinator(newValue) } }
    }

    /// Returns why the radio does not work although its line is connected; nil while it works. A Bluetooth controller
    /// may be silent.
    func trouble(at wall: Instant) -> String? {
        switch self {
        case .coordinator(let radio): radio.trouble(at: wall)
        case .bluetooth: nil
        }
    }

    /// Returns the inputs that are left of a radio whose source has ended.
    func end(at now: Instant, wall: Instant) -> [RadioInput] {
        switch self {
        case .coordinator(var radio): radio.end(at: now, wall: wall)
        case .bluetooth(var radio): radio.end(at: now, wall: wall)
        }
    }
}
