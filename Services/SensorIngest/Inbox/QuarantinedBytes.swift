/// The bytes of one input, as many as are kept of what cannot be read, and how many there were.
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
