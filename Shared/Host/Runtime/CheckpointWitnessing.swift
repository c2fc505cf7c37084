import Crypto
import EventSourcing
import Events
import Vocabulary
import Wire

extension WitnessRequested {
    /// Returns nil for any other event, and for an unreadable one.
    init?(in entry: Entry) {
        do {
            guard case .journal(.witnessRequested(let asked)) = try RecordedEvent(reading: entry.bytes).fact else {
                return nil
            }
            self = asked
        } catch { return nil }
    }
}

extension CheckpointWitnessed {
    /// The witnessed hash of a feed's chain at the entry that requested it.
    init(_ entry: Entry, of head: Head, _ asked: WitnessRequested) {
        self.init(
            feed: head.feed, epoch: head.epoch, position: entry.position, hash: Hex.encode(entry.hash),
            checkpoint: asked.checkpoint)
    }

    /// Returns the same draft, with the same identifier, if a page is consumed again.
    func draft(by service: String) -> Draft {
        let name = "witness|\(feed)|\(epoch)|\(position)"
        return Draft(self, in: "witness/\(feed)", id: .named(name, in: .furrow), by: .service(service))
    }
}
