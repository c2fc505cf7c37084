public import Vocabulary

/// The positions of values in the payload of a device that does not use the cluster library.
///
/// A custom node needs a layout and no code; `LayoutFile` reads those of a farm. A type's marker for "no value" gives
/// no reading: 0x8000 and the like for signed types, all ones for unsigned ones.
///
/// ```
/// let decoder = ZigBeeDecoder(layouts: Layout.known + [layout])
/// let reports = decoder.decode(message).reports
/// ```
public struct Layout: Hashable, Sendable {
    /// The encoding of a value.
    public enum Form: Hashable, Sendable {
        case unsigned(width: Int)
        case signed(width: Int)
        case unsignedBigEndian(width: Int)
        case signedBigEndian(width: Int)
        /// A byte of whole units and a byte of tenths whose highest bit is the sign (DHT11).
        case wholeAndTenths

        var width: Int {
            switch self {
            case .unsigned(let width), .signed(let width), .unsignedBigEndian(let width), .signedBigEndian(let width):
                min(max(width, 1), 8)
            case .wholeAndTenths: 2
            }
        }
    }

    /// One quantity: value = raw / divisor + addend, in the quantity's unit.
    public struct Field: Hashable, Sendable {
        public let offset: Int
        public let form: Form
        public let divisor: Double
        public let addend: Double
        public let quantity: Quantity

        public init(_ quantity: Quantity, at offset: Int, _ form: Form, divisor: Double = 1, addend: Double = 0) {
            self.quantity = quantity
            self.offset = Layout.place(offset)
            self.form = form
            self.divisor = divisor
            self.addend = addend
        }
    }

    /// The position of the number that increases with every measurement.
    public struct Counter: Hashable, Sendable {
        public let offset: Int
        public let width: Int

        public init(at offset: Int, width: Int) {
            self.offset = Layout.place(offset)
            self.width = min(max(width, 1), 8)
        }
    }

    public let name: String
    public let profile: UInt16
    public let cluster: UInt16
    /// The coordinator's endpoint to which the nodes send.
    public let endpoint: UInt8
    public let fields: [Field]
    public let counter: Counter?
    /// The position of the checksum: the low byte of the sum of all bytes before it.
    public let sumOffset: Int?
    public let kind: SensorKind

    public init(
        name: String, profile: UInt16, cluster: UInt16, endpoint: UInt8 = 240, fields: [Field], counter: Counter? = nil,
        sumOffset: Int? = nil, kind: SensorKind = .any
    ) {
        self.kind = kind
        self.name = name
        self.profile = profile
        self.cluster = cluster
        self.endpoint = endpoint
        self.fields = fields
        self.counter = counter
        self.sumOffset = sumOffset.map(Layout.place)
    }

    /// The least number of bytes in a payload. More are allowed, so that nodes can be extended.
    public var length: Int {
        let ends =
            fields.map { $0.offset + $0.form.width } + [counter.map { $0.offset + $0.width } ?? 0]
            + [sumOffset.map { $0 + 1 } ?? 0]
        return ends.max() ?? 0
    }

    /// Clamps an offset to the longest possible payload.
    private static func place(_ offset: Int) -> Int { min(max(offset, 0), RadioLimits.serialData) }

    func matches(_ message: ZigBeeMessage) -> Bool { message.profile == profile && message.cluster == cluster }

    func read(_ message: ZigBeeMessage) throws(Malformed) -> Report {
        let payload = message.payload
        guard payload.count >= length else {
            throw Malformed("\(name) has \(length) bytes", at: payload.count)
        }
        if let sumOffset {
            let sum = payload.prefix(sumOffset).reduce(UInt8(0)) { $0 &+ $1 }
            guard sum == payload[sumOffset] else { throw Malformed("the sum does not fit", at: sumOffset) }
        }
        var report = Report(
            device: message.device, protocolName: name, kind: kind, repeats: .zigbee, fingerprint: message.fingerprint,
            rssi: message.rssi, lqi: message.lqi)
        if let counter {
            var reader = ByteReader(payload)
            try reader.skip(counter.offset)
            report.counter = try reader.unsigned(counter.width)
        } else {
            report.counter = message.counter.map(UInt64.init)
        }
        for field in fields {
            var reader = ByteReader(payload)
            try reader.skip(field.offset)
            if let raw = try field.form.read(&reader) {
                report.addChecked(field.quantity, raw / field.divisor + field.addend, .standard)
            }
        }
        return report
    }
}

extension Layout.Form {
    /// Returns the raw number; nil if it is the marker for "no value".
    fileprivate func read(_ reader: inout ByteReader) throws(Malformed) -> Double? {
        switch self {
        case .unsigned: return Self.present(try reader.unsigned(width), width)
        case .unsignedBigEndian: return Self.present(try reader.unsignedBE(width), width)
        case .signed: return Self.present(signed: try reader.unsigned(width), width)
        case .signedBigEndian: return Self.present(signed: try reader.unsignedBE(width), width)
        case .wholeAndTenths:
            let whole = Double(try reader.u8())
            let tenths = try reader.u8()
            let magnitude = (whole * 10 + Double(tenths & 0x7F)) / 10
            return tenths & 0x80 == 0 ? magnitude : -magnitude
        }
    }

    private static func present(_ raw: UInt64, _ width: Int) -> Double? {
        raw == .max >> UInt64(64 - 8 * width) ? nil : Double(raw)
    }

    private static func present(signed raw: UInt64, _ width: Int) -> Double? {
        let shift = Int64(64 - 8 * width)
        let value = (Int64(bitPattern: raw) << shift) >> shift
        return value == Int64.min >> shift ? nil : Double(value)
    }
}
