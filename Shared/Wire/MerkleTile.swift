/// A tile of a Merkle tree: up to 256 adjacent hashes of one level, spanning 8 levels of the tree (C2SP tlog-tiles).
///
/// In a tile of level L every hash is the root of 256^L entries.
public struct MerkleTile: Sendable, Equatable {
    /// Hashes of a full tile.
    public static let widthMax = 256
    /// The highest level that a tree of 2^64 entries has.
    public static let levelMax = 7

    /// The level, from 0.
    public let level: Int
    /// The index within the level, from 0.
    public let index: UInt64
    /// The concatenated hashes, 32 bytes each.
    public let hashes: [UInt8]

    /// Creates a tile of concatenated hashes.
    public init(level: Int, index: UInt64, hashes: [UInt8]) {
        self.level = level
        self.index = index
        self.hashes = hashes
    }

    /// The number of hashes.
    public var width: Int { hashes.count / MerkleTree.hashBytes }
    /// Whether it has all 256 hashes.
    public var isFull: Bool { width == Self.widthMax }

    /// The address of a tile and the number of its hashes.
    public struct Address: Hashable, Sendable {
        /// The level, from 0.
        public let level: Int
        /// The index within the level, from 0.
        public let index: UInt64
        /// The number of hashes, 1 to 256.
        public let width: Int

        /// Creates an address.
        public init(level: Int, index: UInt64, width: Int) {
            self.level = level
            self.index = index
            self.width = width
        }
    }
}

extension MerkleTile.Address {
    /// Creates the address of a tile as wide as a tree of `size` entries has it; nil if the tree has no such tile.
    public init?(level: Int, index: UInt64, size: UInt64) {
        guard (0...MerkleTile.levelMax).contains(level) else { return nil }
        let hashes = size >> UInt64(8 * level)
        guard index <= UInt64.max >> 8, index << 8 < hashes else { return nil }
        let width = Int(min(hashes - index << 8, UInt64(MerkleTile.widthMax)))
        self.init(level: level, index: index, width: width)
    }

    /// `tile/<level>/<index>[.p/<width>]`, the index in groups of three digits: `tile/0/x001/x234/067.p/8`.
    public var path: String {
        let suffix = width == MerkleTile.widthMax ? "" : ".p/\(width)"
        return "tile/\(level)/\(Self.groups(index))\(suffix)"
    }

    /// Reads a `path`; nil for any other spelling.
    public init?(path: String) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0] == "tile", let level = Self.number(parts[1], upTo: UInt64(MerkleTile.levelMax))
        else { return nil }
        parts.removeFirst(2)
        var width = MerkleTile.widthMax
        if parts.count >= 2, parts[parts.count - 2].hasSuffix(".p") {
            guard let partial = Self.number(parts.removeLast(), upTo: 255), partial > 0 else { return nil }
            width = Int(partial)
            parts.append(parts.removeLast().dropLast(2))
        }
        guard let index = Self.index(parts) else { return nil }
        self.init(level: Int(level), index: index, width: width)
    }

    private static func groups(_ index: UInt64) -> String {
        let digits = String(index)
        let padded = String(repeating: "0", count: (3 - digits.utf8.count % 3) % 3) + digits
        var groups: [Substring] = []
        var rest = padded[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(3))
            rest = rest.dropFirst(3)
        }
        return groups.dropLast().map { "x\($0)/" }.joined() + (groups.last ?? "000")
    }

    private static func index(_ groups: [Substring]) -> UInt64? {
        guard (1...7).contains(groups.count) else { return nil }
        var digits = ""
        for (number, group) in groups.enumerated() {
            let isLast = number == groups.count - 1
            guard isLast || group.first == "x" else { return nil }
            let three = isLast ? group : group.dropFirst()
            guard three.utf8.count == 3, three.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            digits += three
        }
        guard let index = UInt64(digits), Self.groups(index) == groups.joined(separator: "/") else { return nil }
        return index
    }

    private static func number(_ text: Substring, upTo most: UInt64) -> UInt64? {
        guard let number = UInt64(text), String(number) == text, number <= most else { return nil }
        return number
    }
}
