import Crypto
public import EventSourcing

/// The hash chain of a journal: `hash(n) = SHA-256(hash(n−1) ‖ bytes(n))`, `hash(0) = SHA-256(feed ‖ epoch)`.
public enum Chain {
    public static func start(feed: String, epoch: Epoch) -> [UInt8] {
        SHA256.hash(Array(feed.utf8) + Array(epoch.description.utf8))
    }

    public static func next(after hash: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        SHA256.hash(hash, bytes)
    }

    /// The first entry that does not follow from `hash` and the entries before it, or nil if all do.
    ///
    /// The hash of a pruned entry is taken as it stands: that this one was to go is for an audit to find out.
    public static func firstBreak(in entries: [Entry], after hash: [UInt8], at position: Position) -> Position? {
        var hash = hash
        var position = position
        for entry in entries {
            position += 1
            hash = entry.isPruned ? entry.hash : next(after: hash, entry.bytes)
            guard entry.position == position, entry.hash == hash else { return position }
        }
        return nil
    }

    /// The same of entries that lie elsewhere.
    public static func firstBreak(
        in entries: some Sequence<Entry>, after hash: [UInt8], at position: Position
    ) -> Position? {
        firstBreak(in: Array(entries), after: hash, at: position)
    }
}
