/// A set of texts in byte order, in blocks, so that an insertion moves few elements.
struct SortedKeys: Sendable {
    /// The blocks: none is empty, each is in order, and all keys of one are before all keys of the next.
    private var blocks: [[BinaryString]] = []

    init() {}

    mutating func insert(_ key: BinaryString) {
        guard !blocks.isEmpty else { return blocks.append([key]) }
        let block = min(self.block(of: key), blocks.count - 1)
        let place = Self.place(of: key, in: blocks[block])
        if place < blocks[block].count, blocks[block][place] == key { return }
        blocks[block].insert(key, at: place)
        if blocks[block].count > StoreLimits.keysInBlock {
            let half = blocks[block].count / 2
            let rest = Array(blocks[block][half...])
            blocks[block].removeSubrange(half...)
            blocks.insert(rest, at: block + 1)
        }
    }

    mutating func remove(_ key: BinaryString) {
        let block = self.block(of: key)
        guard block < blocks.count else { return }
        let place = Self.place(of: key, in: blocks[block])
        guard place < blocks[block].count, blocks[block][place] == key else { return }
        blocks[block].remove(at: place)
        if blocks[block].isEmpty { blocks.remove(at: block) }
    }

    var isEmpty: Bool { blocks.isEmpty }

    /// Returns at most `limit` keys from `first` on, in order, up to the first for which `isWanted` returns false.
    func keys(from first: BinaryString, limit: Int, while isWanted: (BinaryString) -> Bool) -> [BinaryString] {
        var found: [BinaryString] = []
        var block = self.block(of: first)
        guard block < blocks.count, limit > 0 else { return found }
        var place = Self.place(of: first, in: blocks[block])
        while block < blocks.count, found.count < limit {
            guard place < blocks[block].count else {
                block += 1
                place = 0
                continue
            }
            guard isWanted(blocks[block][place]) else { break }
            found.append(blocks[block][place])
            place += 1
        }
        return found
    }

    /// Returns the first block that does not end before the key; the number of blocks if all do.
    private func block(of key: BinaryString) -> Int {
        var (low, high) = (0, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            if let last = blocks[middle].last, last < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the first index in a block whose key is not before `key`.
    private static func place(of key: BinaryString, in block: [BinaryString]) -> Int {
        var (low, high) = (0, block.count)
        while low < high {
            let middle = (low + high) / 2
            if block[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
