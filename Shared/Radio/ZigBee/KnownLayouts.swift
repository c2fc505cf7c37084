public import Vocabulary

extension Layout {
    /// The farm's own node: twelve bytes on profile 0xF0A0, cluster 1.
    public static let furrowNode = Layout(
        name: "furrow-node-1", profile: 0xF0A0, cluster: 0x0001,
        fields: [
            Field(.temperature, at: 0, .signed(width: 2), divisor: 100),
            Field(.humidity, at: 2, .unsigned(width: 2), divisor: 100),
            Field(.illuminance, at: 4, .unsigned(width: 4), divisor: 10),
            Field(.voltage, at: 8, .unsigned(width: 2), divisor: 1000),
        ],
        counter: Counter(at: 10, width: 2))

    /// The five bytes of a DHT11 as the sensor sends them: humidity, temperature, sum.
    public static let dht11 = Layout(
        name: "dht11", profile: 0xF0A0, cluster: 0x0011,
        fields: [
            Field(.humidity, at: 0, .wholeAndTenths),
            Field(.temperature, at: 2, .wholeAndTenths),
        ],
        sumOffset: 4, kind: .dht11)

    public static let known = [furrowNode, dht11]

    /// Returns the bytes of a payload with these values. Quantities that are not given are written as "no value".
    public func write(_ values: [Quantity: Double], counter number: UInt64 = 0) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        for field in fields {
            let raw = field.form.bytes(values[field.quantity].map { ($0 - field.addend) * field.divisor })
            bytes.replaceSubrange(field.offset..<(field.offset + raw.count), with: raw)
        }
        if let counter {
            var writer = ByteWriter()
            writer.unsigned(number, width: counter.width)
            bytes.replaceSubrange(counter.offset..<(counter.offset + counter.width), with: writer.bytes)
        }
        if let sumOffset { bytes[sumOffset] = bytes.prefix(sumOffset).reduce(0) { $0 &+ $1 } }
        return bytes
    }
}

extension Layout.Form {
    /// Returns the bytes of a raw number, clamped to the range of the form; nil is written as "no value".
    fileprivate func bytes(_ raw: Double?) -> [UInt8] {
        if self == .wholeAndTenths {
            let tenths = Int(((raw ?? 0) * 10).rounded().clamped(to: -2559...2559))
            return [UInt8(abs(tenths) / 10), UInt8(abs(tenths) % 10) | (tenths < 0 ? 0x80 : 0)]
        }
        var writer = ByteWriter()
        writer.unsigned(pattern(raw), width: width)
        switch self {
        case .unsignedBigEndian, .signedBigEndian: return writer.bytes.reversed()
        default: return writer.bytes
        }
    }

    private func pattern(_ raw: Double?) -> UInt64 {
        let bits = UInt64(8 * min(width, 6))
        let span = Double(UInt64(1) << bits)
        switch self {
        case .signed, .signedBigEndian:
            guard let raw, raw.isFinite else { return 1 << UInt64(8 * width - 1) }
            return UInt64(bitPattern: Int64(raw.rounded().clamped(to: (1 - span / 2)...(span / 2 - 1))))
        default:
            guard let raw, raw.isFinite else { return .max }
            return UInt64(raw.rounded().clamped(to: 0...(span - 2)))
        }
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
