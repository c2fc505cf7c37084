import Wire

/// The tile that a path names: `<L>/<N>[.p/<W>]`, the index in groups of three digits (C2SP tlog-tiles).
struct TilePath: Equatable {
    let level: Int
    let index: UInt64
    /// The number of hashes; 256 for a full tile.
    let width: Int

    /// Parses the path of a tile; nil for any other spelling, so that each tile has one path.
    init?(level: String, rest: String) {
        guard let level = Self.number(level), level <= 63 else { return nil }
        var groups = rest.split(separator: "/", omittingEmptySubsequences: false)
        var width = 256
        if groups.count > 1, groups[groups.count - 2].hasSuffix(".p") {
            guard let partial = Self.number(String(groups.removeLast())), (1...255).contains(partial) else {
                return nil
            }
            width = partial
            groups[groups.count - 1].removeLast(2)
        }
        guard let last = groups.popLast(), groups.count < 6 else { return nil }
        var index: UInt64 = 0
        for (number, group) in groups.enumerated() {
            guard group.hasPrefix("x"), let digits = Self.digits(group.dropFirst()), number > 0 || digits > 0 else {
                return nil
            }
            index = index * 1000 + digits
        }
        guard let digits = Self.digits(last) else { return nil }
        self.level = level
        self.index = index * 1000 + digits
        self.width = width
    }

    private static func digits(_ text: Substring) -> UInt64? {
        guard text.utf8.count == 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(text)
    }

    /// Parses a number of up to three digits without leading zeros.
    private static func number(_ text: String) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || !text.hasPrefix("0")
        else { return nil }
        return Int(text)
    }
}
