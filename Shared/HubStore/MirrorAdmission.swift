import Crypto
import EventSourcing
import EventStore
import JSON
import Vocabulary
import Wire

/// Decides what of a page may enter the hub.
enum MirrorAdmission {
    /// The events of a page behind what is mirrored of its feed, verified to follow it. Overlap is left out.
    static func fresh(in page: Page, after known: HubFeed?, own: Origin) throws(MirrorRefusal) -> [HubEvent] {
        let position = known?.position ?? 0
        if let known, let last = page.entries.first(where: { $0.position == position }), last.hash != known.hash {
            throw .diverged(position)
        }
        let fresh = page.entries.drop { $0.position <= position }
        guard let first = fresh.first else { return [] }
        // Nobody but this ledger writes its journal.
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

    /// An entry with what its bytes say of it. Bytes that cannot be read are mirrored all the same, under the first
    /// half of their digest: what to make of them is for whoever folds them. What was let go before it came has the
    /// first half of its hash.
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
