import Wire

/// A tree that grows leaf by leaf and stores its tiles in a dictionary, as a log would in a table.
struct GrownTree {
    private(set) var tiles = MerkleTiles()
    private(set) var kept: [Place: [UInt8]] = [:]
    /// `roots[n]` is the root of the first n leaves.
    private(set) var roots: [[UInt8]] = [MerkleTree.emptyRoot]
    private(set) var leaves: [[UInt8]] = []

    struct Place: Hashable {
        let level: Int
        let index: UInt64
    }

    init(leaves count: Int) {
        for number in 0..<count { grow(leaf: MerkleTree.leaf(Array("entry \(number)".utf8))) }
    }

    mutating func grow(leaf: [UInt8]) {
        leaves.append(leaf)
        tiles.append(leaf: leaf)
        for tile in tiles.takeChanged() { kept[Place(level: tile.level, index: tile.index)] = tile.hashes }
        roots.append(tiles.root)
    }

    func tile(_ address: MerkleTile.Address) -> [UInt8] {
        kept[Place(level: address.level, index: address.index)] ?? []
    }

    func reader(size: Int) -> MerkleTileReader<Never> {
        MerkleTileReader(size: UInt64(size), source: tile)
    }

    /// The definition of RFC 6962, section 2.1, implemented literally.
    static func root(of leaves: ArraySlice<[UInt8]>) -> [UInt8] {
        guard let first = leaves.first else { return MerkleTree.emptyRoot }
        guard leaves.count > 1 else { return first }
        var split = 1
        while split * 2 < leaves.count { split *= 2 }
        return MerkleTree.node(root(of: leaves.prefix(split)), root(of: leaves.dropFirst(split)))
    }
}
