import EventSourcing
import Vocabulary
import Wire

/// What the entries of a segment say that are not pruned.
struct SegmentContents {
    /// The ids; nil for a pruned entry.
    private(set) var ids: [UUID?] = []
    /// The last version of each stream.
    private(set) var versions: [String: Int] = [:]
    /// The epoch of the last entry.
    private(set) var epoch: Epoch?
    /// The first entry.
    private(set) var first: Envelope?

    /// Reads all entries. Throws if one cannot be read or is of another journal.
    init(of segment: Segment) throws(LogFailure) {
        for block in segment.head.blocks.indices {
            for entry in try segment.entries(inBlock: block) { try add(entry, of: segment.head.feed) }
        }
    }

    private mutating func add(_ entry: Entry, of feed: String) throws(LogFailure) {
        guard !entry.isPruned else { return ids.append(nil) }
        let envelope: Envelope
        do {
            envelope = try EnvelopeCodec.read(entry.bytes).envelope
        } catch {
            throw LogFailure(
                operation: "read a segment",
                message: "the event of \(feed) at \(entry.position) cannot be read: \(error)")
        }
        guard envelope.origin.description == feed, envelope.position == entry.position else {
            throw LogFailure(
                operation: "read a segment", message: "the event at \(entry.position) is not one of \(feed)")
        }
        first = first ?? envelope
        ids.append(envelope.id)
        versions[envelope.stream] = envelope.version
        epoch = envelope.epoch
    }
}
