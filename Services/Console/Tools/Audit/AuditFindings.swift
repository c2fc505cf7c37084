import EventSourcing
import Events
import JSON
import Wire

extension Audit {
    /// The findings about one journal.
    struct JournalFinding {
        let origin: String
        var epoch = ""
        var head: Position = 0
        /// Events that are in the hub only: the operator accepted a journal that was restored to before them.
        var left = 0
        /// Pruned events, of which position and hash are left; each is recorded by a later event of the same journal.
        var letGo = 0
        /// Events that cannot be read. The hub mirrors all events of others, readable or not.
        var unreadable = 0
        /// The number of sealed runs, with each seal checked; nil for the hub, whose Merkle tree is signed instead.
        var seals: Int?
        var problems = Findings()
        /// The number of events equals the last position, because positions have no gaps.
        var events: Position { head }
    }

    /// One table: its live digest and the digest of its rebuild.
    struct ViewFinding {
        let service: String
        let view: String
        let position: Position
        /// Nil for a rebuild of the past: the service stores only the present.
        let live: String?
        let rebuilt: String
        let rows: Int
        var isEqual: Bool { live.map { $0 == rebuilt } ?? true }
    }
}

extension Entry {
    /// Whether it is a journal event rather than an event of the farm; false if its bytes cannot be read.
    var isOfJournal: Bool {
        do throws(JSONError) {
            guard case .journal = try RecordedEvent(reading: bytes).fact else { return false }
            return true
        } catch {
            return false
        }
    }

    /// The consumption that a checkpoint event records; nil for any other entry.
    var intake: FeedConsumed? {
        do throws(JSONError) {
            let (envelope, data) = try EnvelopeCodec.read(bytes)
            return envelope.name == FeedConsumed.name ? try FeedConsumed(json: data) : nil
        } catch {
            return nil
        }
    }
}
