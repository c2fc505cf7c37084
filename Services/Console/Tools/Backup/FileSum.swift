import Crypto
import JSON
import System
import Vocabulary

/// The sums of a file of a backup: its SHA-256, and that of each block, so that damage can be located.
struct FileSum: Equatable, Sendable {
    let bytes: Int
    /// SHA-256 of the whole file, 64 hexadecimal digits.
    let digest: String
    let blockBytes: Int
    /// For each block, the first 16 bytes of its SHA-256 and its locator sums.
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

        /// Parses `text`; nil for anything else.
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
    /// The largest number of blocks; larger files get larger blocks.
    static let blocksAtMost = 65_536

    /// Reads a whole file.
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

    /// Computes the sums of a file that is read block by block.
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
    /// Checks a file against these sums, and calls `each` with every intact block. Throws ``Damage`` at the first
    /// difference.
    ///
    /// - Parameter name: the name of the file in errors.
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

/// A place at which a backup differs from what was written.
struct Damage: Error, Equatable, CustomStringConvertible {
    let file: String
    /// The offset in bytes of the changed byte, or of the run that it is in.
    let offset: Int
    let what: String

    init(file: String, offset: Int, what: String) {
        self.file = file
        self.offset = offset
        self.what = what
    }

    /// Damage in a run of bytes.
    ///
    /// If a single byte changed, the repaired run has the original digest, which proves it.
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

    /// Returns the single changed byte of a run; nil if the repaired run does not prove it.
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
