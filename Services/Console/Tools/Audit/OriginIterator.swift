import EventSourcing
import JSON
import Wire

/// An iterator over the hub that returns the entries of one origin; of several histories, those of the last.
final class OriginIterator: Walk {
    private let hub: any Walk
    private let origin: Origin
    private let mirror: OriginSummaries.Mirror
    private let unreadable: [Position: OriginSummaries.Place]
    private let keepsOthers: Bool
    /// Events of other origins that were passed and not requested yet.
    private var others: [Origin: [Entry]] = [:]

    /// The ledger consumes what it mirrors with the same page, so no more of one origin can wait.
    private static let othersAtMost = EventLimits.pageEvents

    /// - Parameters:
    /// - unreadable: the origin and position of hub entries whose bytes cannot be read.
    /// - keepsOthers: whether to store the passed events of other origins, to be requested.
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

    /// Returns the next entry with its position in the origin's journal and the hub's hash. Pruned entries are omitted.
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
                throw Refusal("events of \(place.origin) are not consumed from \(place.position) on")
            }
        }
        return nil
    }

    /// Returns an entry's origin and position, and whether it concerns only its own journal.
    private func told(_ entry: Entry) -> (place: OriginSummaries.Place?, isOwnBusiness: Bool) {
        do throws(JSONError) {
            let (envelope, data) = try EnvelopeCodec.read(entry.bytes)
            let place = OriginSummaries.Place(origin: envelope.origin, position: envelope.position)
            return (place, isOnlyOfItself(envelope, data))
        } catch {
            // A consumer parks an entry that cannot be read.
            return (unreadable[entry.position], false)
        }
    }

    /// Removes and returns the stored events of a feed up to a position, without those that concern only its journal.
    func others(of feed: String, through last: Position) -> [Entry] {
        guard let origin = Origin(feed), let kept = others[origin] else { return [] }
        let told = kept.prefix { $0.position <= last }
        others[origin] = Array(kept.dropFirst(told.count))
        return Array(told)
    }

    /// Returns whether a journal event concerns no other service.
    ///
    /// Others consume only that events were pruned, that the clock was set back, and clock marks, see
    /// ``Folding/isProjected(_:)``.
    /// They also consume and park what cannot be read.
    private func isOnlyOfItself(_ envelope: Envelope, _ data: borrowing JSONValue) -> Bool {
        do throws(JSONError) {
            switch try JournalEvent(name: envelope.name, json: data) {
            case nil: return false
            case .journalPruned(let pruned)?: return pruned.positions.isEmpty
            case .clockStepped(let step)?: return step.seconds >= 0
            case .clockTrusted?: return false
            default: return true
            }
        } catch {
            return false
        }
    }
}
