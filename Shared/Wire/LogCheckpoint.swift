import Vocabulary

/// The state of a log at one moment (C2SP tlog-checkpoint): its name, its number of entries, and their root.
public struct LogCheckpoint: Sendable, Equatable {
    /// The name of the log: a URL without scheme. Not empty, one line.
    public let origin: String
    /// The number of entries.
    public let size: UInt64
    /// The root of the Merkle tree; 32 bytes.
    public let root: [UInt8]
    /// Lines after the root, each not empty; Furrow writes none.
    public let extensions: [String]

    /// Creates a checkpoint; `root` has 32 bytes.
    public init(origin: String, size: UInt64, root: [UInt8], extensions: [String] = []) {
        self.origin = origin
        self.size = size
        self.root = root
        self.extensions = extensions
    }

    /// The signed text: lines of origin, size in decimal, root in base64, extensions.
    public var text: String {
        ([origin, String(size), BaseEncoding.base64.encode(root)] + extensions).map { $0 + "\n" }.joined()
    }

    /// Reads a text; nil for any other format.
    public init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 4, lines.last == "", let size = UInt64(lines[1]), String(size) == lines[1],
            let root = BaseEncoding.base64.decode(String(lines[2])), root.count == MerkleTree.hashBytes,
            !lines.dropLast().contains("")
        else { return nil }
        self.init(
            origin: String(lines[0]), size: size, root: root, extensions: lines.dropFirst(3).dropLast().map(String.init)
        )
    }
}
