import Vocabulary

/// NodOn's smart button NIU, in service data of the number 0x0000.
enum NodOn {
    static let service: UInt16 = 0x0000

    private static let colours: ClosedRange<UInt8> = 2...7
    private static let presses: ClosedRange<UInt8> = 1...7

    /// Reads the battery. Returns nil for other makes' data: a colour and a kind of press must be in their places.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        guard body.remaining == 16, body.peek(10) == 0, let colour = body.peek(11), colours.contains(colour),
            let battery = body.peek(12), let press = body.peek(15), presses.contains(press)
        else { return nil }
        var report = sender.report("nodon", .any, body.rest)
        report.addPossible(.battery, Double(battery & 0x7F))
        return report
    }
}
