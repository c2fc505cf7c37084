import Crypto
import JSON
import System
import Vocabulary

/// What a file of a backup was when it was made: its SHA-256, and its blocks', so that damage has a place.
struct FileSum: Equatable, Sendable {
    let bytes: Int
    /// SHA-256 of the whole file, 64 hexadecimal digits.
    let digest: String
    let blockBytes: Int
    /// Of each block the first 16 bytes of its SHA-256 and its locator sums.
    let blocks: [Block]

    /// One run of bytes.
    struct Block: Equatable, Sendable {
        let digest: String
        let sums: DamageLocator

        static let digestBytes = 16

        init(_ bytes: [UInt8]) {
            digest = Self.digest(of: bytes)
            sums = DamageLocator(bytes[...])
        }

        /// Reads what `text` wrote; nil for anything else.
        init?(_ text: String) {
            let digits = 2 * Self.digestBytes
            guard text.utf8.count == digits + DamageLocator.textBytes, Hex.decode(text) != nil,
                let sums = DamageLocator(text.suffix(DamageLocator.textBytes))
            else { return nil }
            digest = String(text.prefix(digits))
            self.sums = sums
        }

        var text: String { digest + sums.text }

        static func digest(of bytes: [UInt8]) -> String {
            Hex.encode(SHA256.hash(bytes).prefix(digestBytes))
        }
    }

    static let smallestBlockBytes = 65_536
    /// A file of more blocks gets larger ones.
    static let blocksAtMost = 65_536

    /// Reads a file whole.
    init(of path: String) throws(SystemError) {
        let size = try File.size(path)
        var blockBytes = Self.smallestBlockBytes
        while blockBytes * Self.blocksAtMost < size { blockBytes *= 2 }
        var summing = Summing(blockBytes: blockBytes)
        let reader = try FileReader(path: path)
        while case let block = try reader.read(blockBytes), !block.isEmpty { summing.add(block) }
        self = summing.sum
    }

    init(bytes: Int, digest: String, blockBytes: Int, blocks: [Block]) {
        self.bytes = bytes
        self.digest = digest
        self.blockBytes = blockBytes
        self.blocks = blocks
    }

    /// Sums a file that is read block by block.
    struct Summing {
        private let blockBytes: Int
        private var stream = SHA256Stream()
        private var bytes = 0
        private var blocks: [Block] = []

        init(blockBytes: Int) {
            self.blockBytes = blockBytes
        }

        mutating func add(_ block: [UInt8]) {
            stream.update(block)
            bytes += block.count
            blocks.append(Block(block))
        }

        var sum: FileSum {
            var stream = stream
            return FileSum(bytes: bytes, digest: Hex.encode(stream.finish()), blockBytes: blockBytes, blocks: blocks)
        }
    }
}

extension FileSum {
    /// Holds a file against what it was; `each` sees every good block.
    ///
    /// - Parameter name: what the file is called in what is thrown.
    func check(_ path: String, as name: String, each: ([UInt8]) throws -> Void = { _ in }) throws {
        guard File.exists(path) else { throw Damage(file: name, offset: 0, what: "the file is missing") }
        let reader = try FileReader(path: path)
        var (stream, offset) = (SHA256Stream(), 0)
        for block in blocks {
            let expected = min(blockBytes, bytes - offset)
            let found = try reader.read(expected)
            guard found.count == expected else {
                throw Damage(
                    file: name, offset: offset + found.count, what: "the file ends here; it had \(bytes) bytes")
            }
            guard Block.digest(of: found) == block.digest else {
                throw Damage(in: found, which: block, at: offset, of: name)
            }
            stream.update(found)
            offset += found.count
            try each(found)
        }
        guard try reader.read(1).isEmpty else {
            throw Damage(file: name, offset: bytes, what: "something follows the \(bytes) bytes that were backed up")
        }
        guard Hex.encode(stream.finish()) == digest else {
            throw Damage(file: name, offset: 0, what: "its SHA-256 is not the one in the manifest")
        }
    }
}

/// Where a backup is not what it was when it was made.
struct Damage: Error, Equatable, CustomStringConvertible {
    let file: String
    /// In bytes from the start of the file: the changed byte, or the first of the run that it is in.
    let offset: Int
    let what: String

    init(file: String, offset: Int, what: String) {
        self.file = file
        self.offset = offset
        self.what = what
    }

    /// A run of bytes that is not what it was. Where a single byte changed, the run without the change has the digest
    /// it had, which proves it.
    init(in found: [UInt8], which block: FileSum.Block, at start: Int, of name: String) {
        file = name
        if let byte = Self.changed(
            in: found, from: block.sums, isRepaired: { FileSum.Block.digest(of: $0) == block.digest })
        {
            offset = start + byte.index
            what = "the byte is \(byte.found) and was \(byte.was)"
        } else {
            offset = start
            what = "some of the \(found.count) bytes from here are not what they were"
        }
    }

    /// The single byte of a run that changed; nil where the repaired run does not prove it.
    static func changed(
        in found: [UInt8], from sums: DamageLocator, isRepaired: ([UInt8]) -> Bool
    ) -> (index: Int, found: UInt8, was: UInt8)? {
        guard let (index, delta) = sums.change(in: DamageLocator(found[...]), count: found.count),
            let was = UInt8(exactly: Int(found[index]) - delta)
        else { return nil }
        var repaired = found
        repaired[index] = was
        return isRepaired(repaired) ? (index, found[index], was) : nil
    }

    var description: String { "\(file), byte \(offset): \(what)" }
}
