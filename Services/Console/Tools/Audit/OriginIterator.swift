import EventSourcing
import JSON
import Wire

/// A walk through the hub that gives what it holds of one origin, of several lives the last.
final class OriginIterator: Walk {
    private let hub: any Walk
    private let origin: Origin
    private let mirror: OriginSummaries.Mirror
    private let unreadable: [Position: OriginSummaries.Place]
    private let keepsOthers: Bool
    /// News of others that was passed and not asked for yet.
    private var others: [Origin: [Entry]] = [:]

    /// What the ledger mirrors it takes in with the same page: more of one origin never waits.
    private static let othersAtMost = EventLimits.pageEvents

    /// - Parameters:
    ///   - unreadable: where those entries of the hub stand that do not say it themselves.
    ///   - keepsOthers: whether what others told in between is kept, to be asked for.
    init(
        _ hub: any Walk, of origin: Origin, as mirror: OriginSummaries.Mirror,
        unreadable: [Position: OriginSummaries.Place] = [:],
        keepingOthers keepsOthers: Bool = false
    ) {
        self.hub = hub
        self.origin = origin
        self.mirror = mirror
        self.unreadable = unreadable
        self.keepsOthers = keepsOthers
    }

    /// The next entry with its position in that origin's journal; its hash is the hub's. What was let go is left out.
    func next() throws -> Entry? {
        while let entry = try hub.next() {
            guard !entry.isPruned else { continue }
            let (place, isOwnBusiness) = told(entry)
            guard let place else { continue }
            let copy = Entry(position: place.position, hash: entry.hash, bytes: entry.bytes)
            if place.origin == origin {
                guard mirror.keeps(place.position, from: entry.position) else { continue }
                return copy
            }
            guard keepsOthers, !isOwnBusiness else { continue }
            others[place.origin, default: []].append(copy)
            guard others[place.origin]?.count ?? 0 <= Self.othersAtMost else {
                throw Refusal("of \(place.origin) nothing is taken in any more from \(place.position) on")
            }
        }
        return nil
    }

    /// Where an entry stands, and whether it is of nobody's concern but its journal's.
    private func told(_ entry: Entry) -> (place: OriginSummaries.Place?, isOwnBusiness: Bool) {
        do throws(JSONError) {
            let (envelope, data) = try EnvelopeCodec.read(entry.bytes)
            let place = OriginSummaries.Place(origin: envelope.origin, position: envelope.position)
            return (place, isOnlyOfItself(envelope, data))
        } catch {
            // Whoever takes it in parks it.
            return (unreadable[entry.position], false)
        }
    }

    /// What a feed told up to a position, without what is nobody's news; none of it is given twice.
    func others(of feed: String, through last: Position) -> [Entry] {
        guard let origin = Origin(feed), let kept = others[origin] else { return [] }
        let told = kept.prefix { $0.position <= last }
        others[origin] = Array(kept.dropFirst(told.count))
        return Array(told)
    }

    /// What a journal tells of itself no other service takes in, but for what was pruned and that the clock was set
    /// back, as ``Folding/isNews(_:)`` says; what cannot be read is taken in, too, and parked.
    private func isOnlyOfItself(_ envelope: Envelope, _ data: borrowing JSONValue) -> Bool {
        do throws(JSONError) {
            switch try JournalEvent(name: envelope.name, json: data) {
            case nil: return false
            case .pruned(let pruned)?: return pruned.positions.isEmpty
            case .clockStepped(let step)?: return step.seconds >= 0
            default: return true
            }
        } catch {
            return false
        }
    }
}
