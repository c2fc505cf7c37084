import Crypto
import EventSourcing
import EventStore
import JSON
import Vocabulary
import Wire

/// Decides which entries of a page may enter the hub.
enum MirrorAdmission {
    /// Returns the entries of a page after the mirrored head of its feed, without the overlap.
    ///
    /// Throws unless they follow the head without a gap and continue its chain.
    static func fresh(in page: Page, after known: HubFeed?, own: Origin) throws(MirrorRefusal) -> [HubEvent] {
        let position = known?.position ?? 0
        if let known, let last = page.entries.first(where: { $0.position == position }), last.hash != known.hash {
            throw .diverged(position)
        }
        let fresh = page.entries.drop { $0.position <= position }
        guard let first = fresh.first else { return [] }
        // Only this ledger writes its own journal.
        guard page.head.feed != own.description, Origin(page.head.feed) != nil else { throw .diverged(first.position) }
        for (expected, entry) in zip((position + 1)..., fresh) where entry.position != expected {
            throw .hole(entry.position)
        }
        let events = fresh.map { event($0, of: page.head) }
        let start = events.first?.epoch ?? page.head.epoch
        let before = known?.hash ?? Chain.start(feed: page.head.feed, epoch: start)
        if let broken = Chain.firstBreak(in: fresh, after: before, at: position) { throw .diverged(broken) }
        return events
    }

    /// Returns the entry with the id and epoch from its bytes.
    ///
    /// Bytes that cannot be decoded are mirrored, too; the projection that reads them decides what to do. Their id is
    /// the first half of their SHA-256. The id of an entry that was pruned before it was mirrored is the first half of
    /// its hash.
    static func event(_ entry: Entry, of head: Head) -> HubEvent {
        guard !entry.isPruned else { return HubEvent(id: UUID(bytes: entry.hash), epoch: head.epoch, entry: entry) }
        do throws(JSONError) {
            let json = try JSONValue.parse(entry.bytes)
            return HubEvent(id: try json.get("id"), epoch: try json.get("originepoch"), entry: entry)
        } catch {
            return HubEvent(id: UUID(bytes: SHA256.hash(entry.bytes)), epoch: head.epoch, entry: entry)
        }
    }
}
