/// The first bytes of an input, as many as are stored if it cannot be read, and its full length.
struct QuarantinedBytes {
    let bytes: [UInt8]
    let length: Int

    init(_ bytes: [UInt8]) {
        self.init(bytes, length: bytes.count)
    }

    init(_ bytes: [UInt8], length: Int) {
        self.bytes = Array(bytes.prefix(SensorLimits.quarantineBytes))
        self.length = length
    }
}
