import EventSourcing
import Events
import JSON
import Wire

extension Audit {
    /// What was found out about one journal.
    struct JournalFinding {
        let origin: String
        var epoch = ""
        var head: Position = 0
        /// Events that only the hub holds: the operator accepted a journal that was restored to before them.
        var left = 0
        /// Events of it of which only place and hash are left, each let go by an event of the same journal.
        var letGo = 0
        /// Events of it that cannot be read: what others wrote is mirrored all the same.
        var unreadable = 0
        /// Runs of it that are sealed, each seal checked; nil for the hub, whose Merkle tree is signed instead.
        var seals: Int?
        var problems = Findings()
        /// Positions have no gap.
        var events: Position { head }
    }

    /// One table, as the service holds it and as it folds from the journals.
    struct ViewFinding {
        let service: String
        let view: String
        let position: Position
        /// Nil where the past is folded: the service holds the present.
        let live: String?
        let rebuilt: String
        let rows: Int
        var isEqual: Bool { live.map { $0 == rebuilt } ?? true }
    }
}

extension Entry {
    /// Whether it is about its journal, and no fact of the farm; false where its bytes cannot be read.
    var isOfJournal: Bool {
        do throws(JSONError) {
            guard case .journal = try RecordedEvent(reading: bytes).fact else { return false }
            return true
        } catch {
            return false
        }
    }

    /// What it says was consumed of another journal; nil for any other entry.
    var intake: FeedConsumed? {
        do throws(JSONError) {
            let (envelope, data) = try EnvelopeCodec.read(bytes)
            return envelope.name == FeedConsumed.name ? try FeedConsumed(json: data) : nil
        } catch {
            return nil
        }
    }
}
