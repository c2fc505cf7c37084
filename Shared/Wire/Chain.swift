import Crypto
public import EventSourcing

/// The hash chain of a journal: `hash(n) = SHA-256(hash(n−1) ‖ bytes(n))`, `hash(0) = SHA-256(feed ‖ epoch)`.
public enum Chain {
    /// Returns `hash(0)` of a feed; 32 bytes.
    public static func start(feed: String, epoch: Epoch) -> [UInt8] {
        SHA256.hash(Array(feed.utf8) + Array(epoch.description.utf8))
    }

    /// Returns the hash after an entry's bytes; 32 bytes.
    public static func next(after hash: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        SHA256.hash(hash, bytes)
    }

    /// Returns the position of the first entry that does not continue the chain from `hash`, or nil if all do.
    ///
    /// The stored hash of a pruned entry is accepted; an audit checks that its pruning was recorded.
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

    /// Returns the position of the first entry that does not continue the chain from `hash`, or nil if all do.
    public static func firstBreak(
        in entries: some Sequence<Entry>, after hash: [UInt8], at position: Position
    ) -> Position? {
        firstBreak(in: Array(entries), after: hash, at: position)
    }
}
