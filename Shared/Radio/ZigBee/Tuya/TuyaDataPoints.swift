import Vocabulary

/// The data points in a frame of Tuya's cluster 0xEF00 (Tuya "Zigbee generic interfaces"); big-endian.
enum TuyaDataPoints {
    static let cluster: UInt16 = 0xEF00

    /// The kinds of a value that are numbers.
    private enum Kind {
        static let flag: UInt8 = 1
        static let number: UInt8 = 2
        static let choice: UInt8 = 4
    }

    /// Whether the command reports data points: a response, a report, and both kinds of a status.
    private static func isReport(_ command: UInt8) -> Bool { [1, 2, 5, 6].contains(command) }

    /// Adds the values that are known of the maker's device. Returns whether there is any.
    ///
    /// Reads a sequence number, then for each data point its number, kind, length and value. Throws if the frame is cut
    /// off; values before that are added.
    static func add(_ frame: ZCLFrame, maker: String, to report: inout Report) throws(Malformed) -> Bool {
        guard isReport(frame.command), let points = TuyaDevices.points(of: maker) else { return false }
        var reader = ByteReader(frame.payload)
        try reader.skip(2)
        var isClaimed = false
        var count = 0
        while !reader.isAtEnd, count < RadioLimits.records {
            count += 1
            let number = try reader.u8()
            let kind = try reader.u8()
            var value = try reader.part(Int(try reader.u16BE()))
            guard let point = points.first(where: { $0.number == number }) else { continue }
            switch (kind, value.remaining) {
            case (Kind.number, 4):
                let raw = Int32(bitPattern: try value.u32BE())
                report.addPossible(point.quantity, Double(raw) / point.divisor)
            case (Kind.flag, 1), (Kind.choice, 1):
                report.addPossible(point.quantity, Double(try value.u8()) / point.divisor)
            default: continue
            }
            isClaimed = true
        }
        return isClaimed
    }
}
