/// Splits a stream of bytes into lines, which end with LF, CR or CR LF (HTML, 9.2.5).
struct LineSplitter {
    private var line: [UInt8] = []
    private var endedWithCR = false
    /// Whether a line exceeded `TransferLimits.lineBytes`.
    private(set) var overflowed = false

    /// Passes each line that these bytes complete to `onLine`, without its end.
    ///
    /// Returns false if `onLine` did or a line is too long.
    mutating func take(_ bytes: [UInt8], _ onLine: (String) -> Bool) -> Bool {
        for byte in bytes {
            let belongsToCR = byte == 0x0A && endedWithCR
            endedWithCR = byte == 0x0D
            if belongsToCR { continue }
            if byte == 0x0A || byte == 0x0D {
                let text = String(decoding: line, as: UTF8.self)
                line.removeAll(keepingCapacity: true)
                guard onLine(text) else { return false }
            } else {
                guard line.count < TransferLimits.lineBytes else {
                    overflowed = true
                    return false
                }
                line.append(byte)
            }
        }
        return true
    }
}
