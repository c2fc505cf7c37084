import Host

/// A serial line and its speed: `/dev/ttyUSB0` or `/dev/ttyUSB0@460800`.
struct SerialLineAddress: Equatable {
    let path: String
    let baud: UInt32

    private static let usual: UInt32 = 115_200
    private static let speeds: [UInt32] = [9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600]

    /// Throws if what follows the last `@` is no speed of a serial line. A name of udev may contain an `@`, too.
    init(_ text: String) throws(SettingError) {
        let at = text.lastIndex(of: "@")
        guard let at, let speed = UInt32(text[text.index(after: at)...]) else {
            (path, baud) = (text, Self.usual)
            return
        }
        guard Self.speeds.contains(speed), at > text.startIndex else {
            throw SettingError(
                name: "FURROW_SOURCES",
                reason: "znp:\(text): the speed is one of \(Self.speeds.map(String.init).joined(separator: ", "))")
        }
        (path, baud) = (String(text[..<at]), speed)
    }
}
