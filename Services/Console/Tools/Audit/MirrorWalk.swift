import EventSourcing
import JSON
import Wire

/// A walk through the hub that gives what it holds of one origin, of several lives the last.
final class MirrorWalk: Walk {
    private let hub: any Walk
    private let origin: Origin
    private let mirror: Mirrors.Mirror
    private let keepsOthers: Bool
    /// News of others that was passed and not asked for yet.
    private var others: [Origin: [Entry]] = [:]

    /// What the ledger mirrors it takes in with the same page: more of one origin never waits.
    private static let othersAtMost = Limits.pageEvents

    /// - Parameter keepsOthers: whether what others told in between is kept, to be asked for.
    init(_ hub: any Walk, of origin: Origin, as mirror: Mirrors.Mirror, keepingOthers keepsOthers: Bool = false) {
        self.hub = hub
        self.origin = origin
        self.mirror = mirror
        self.keepsOthers = keepsOthers
    }

    /// The next entry with its position in that origin's journal; its hash is the hub's. What was let go is left out.
    func next() throws -> Entry? {
        while let entry = try hub.next() {
            guard !entry.isPruned else { continue }
            let (envelope, data) = try EnvelopeCodec.read(entry.bytes)
            let copy = Entry(position: envelope.position, hash: entry.hash, bytes: entry.bytes)
            if envelope.origin == origin {
                guard mirror.keeps(envelope.position, from: entry.position) else { continue }
                return copy
            }
            guard keepsOthers, !isOnlyOfItself(envelope, data) else { continue }
            others[envelope.origin, default: []].append(copy)
            guard others[envelope.origin]?.count ?? 0 <= Self.othersAtMost else {
                throw Refusal("of \(envelope.origin) nothing is taken in any more from \(envelope.position) on")
            }
        }
        return nil
    }

    /// What a feed told up to a position, without what is nobody's news; none of it is given twice.
    func others(of feed: String, through last: Position) -> [Entry] {
        guard let origin = Origin(feed), let kept = others[origin] else { return [] }
        let told = kept.prefix { $0.position <= last }
        others[origin] = Array(kept.dropFirst(told.count))
        return Array(told)
    }

    /// What a journal tells of itself is taken in by nobody, but for what it has let go; what cannot be read is, too,
    /// and parked.
    private func isOnlyOfItself(_ envelope: Envelope, _ data: borrowing JSONValue) -> Bool {
        do throws(JSONError) {
            switch try JournalFact(name: envelope.name, json: data) {
            case nil: return false
            case .pruned(let pruned)?: return pruned.positions.isEmpty
            default: return true
            }
        } catch {
            return false
        }
    }
}
