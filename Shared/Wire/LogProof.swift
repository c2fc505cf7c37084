import Vocabulary

/// What proves to anybody, with no line to the log, that an entry is in it (C2SP tlog-proof): the entry's number, its
/// path, and the signed checkpoint that the path leads to. Kept in files named `.tlog-proof`.
public struct LogProof: Sendable, Equatable {
    /// Bytes of the longest proof that is read.
    public static let bytesMax = 2 * SignedNote.noteBytesMax
    /// Hashes of the longest path there can be.
    public static let pathMax = 64

    /// For whoever made the proof; nothing vouches for it.
    public let extra: [UInt8]?
    /// From 0.
    public let index: UInt64
    public let path: [[UInt8]]
    public let checkpoint: SignedNote

    public init(index: UInt64, path: [[UInt8]], checkpoint: SignedNote, extra: [UInt8]? = nil) {
        self.extra = extra
        self.index = index
        self.path = path
        self.checkpoint = checkpoint
    }

    /// The file's text.
    public var text: String {
        var lines = [Self.firstLine]
        if let extra { lines.append("extra \(BaseEncoding.base64.encode(extra))") }
        lines.append("index \(index)")
        lines += path.map { BaseEncoding.base64.encode($0) }
        return lines.map { $0 + "\n" }.joined() + "\n" + checkpoint.note
    }

    /// Reads a file's text; every line has to be in its place.
    public init(_ text: String) throws(SignedNote.Refusal) {
        guard text.utf8.count <= Self.bytesMax else { throw .malformed("longer than \(Self.bytesMax) bytes") }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard lines.popFirst().map(String.init) == Self.firstLine else { throw .malformed("no proof of version 1") }
        var extra: [UInt8]?
        if let line = lines.first, line.hasPrefix("extra ") {
            guard let bytes = BaseEncoding.base64.decode(String(line.dropFirst(6))) else {
                throw .malformed("extra data that is no base64")
            }
            extra = bytes
            lines.removeFirst()
        }
        guard let line = lines.popFirst(), line.hasPrefix("index "), let index = UInt64(line.dropFirst(6)),
            line == "index \(index)"
        else { throw .malformed("no index") }
        var path: [[UInt8]] = []
        while let line = lines.popFirst(), !line.isEmpty {
            guard let hash = BaseEncoding.base64.decode(String(line)), hash.count == MerkleTree.hashBytes,
                path.count < Self.pathMax
            else { throw .malformed("a line that is no hash") }
            path.append(hash)
        }
        self.init(
            index: index, path: path, checkpoint: try SignedNote(lines.joined(separator: "\n")), extra: extra)
    }

    /// The checkpoint, if at least one of the keys has signed it, none of them is forged, it is of the log `origin`,
    /// and the path leads from the entry with hash `leaf` to its root; nil if it doesn't.
    public func verified(
        leaf: [UInt8], origin: String, by keys: [NoteKey]
    ) throws(SignedNote.Refusal) -> LogCheckpoint? {
        _ = try checkpoint.verified(by: keys)
        guard let checkpoint = LogCheckpoint(checkpoint.text), checkpoint.origin == origin,
            MerkleProof.includes(leaf: leaf, index: index, size: checkpoint.size, path: path, root: checkpoint.root)
        else { return nil }
        return checkpoint
    }

    private static let firstLine = "c2sp.org/tlog-proof@v1"
}
