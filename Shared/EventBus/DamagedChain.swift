import EventSourcing
import Wire

/// What a subscriber does if the chain of a feed is broken.
public enum DamageReporting: Sendable {
    /// It stops there. Services subscribe like this, so that no changed entry is applied.
    case stops
    /// It delivers the entries after the damage, and each page lists its damage. For audits.
    case reports
}

/// Verifies a chain of hashes beyond its damage. Pure.
///
/// The hash that is stored with an entry is the basis for the next one, so damage is reported once. Where an entry does
/// not fit, either its bytes or its hash may have been changed: if the next entry follows from the recomputed hash, the
/// stored one was, and the next entry is not reported.
struct DamagedChain {
    private(set) var damage: [ChainDamage] = []
    /// The chain at the last entry as recomputed from its bytes if it differs from the stored one; nil otherwise.
    private(set) var recomputed: [UInt8]?
    private var stored: [UInt8]?
    private var position: Position

    /// - Parameters:
    ///   - hashes: the hash stored at `position` (nil: unknown), and the one recomputed there if it differs.
    ///   - position: the last entry that was read before.
    init(after hashes: (stored: [UInt8]?, recomputed: [UInt8]?), at position: Position) {
        (stored, recomputed) = hashes
        self.position = position
    }

    /// Reports that the journal does not begin with the hash of its name and epoch.
    mutating func beginning() {
        damage.append(.broken(0))
    }

    /// Reports that the head of the journal has another hash than its last entry.
    mutating func head(differsAt position: Position) {
        if damage.last != .broken(position) { damage.append(.broken(position)) }
    }

    mutating func add(_ entries: [Entry]) {
        for entry in entries {
            if entry.position > position + 1 {
                damage.append(.missing((position + 1)...(entry.position - 1)))
                // The first entry after a hole cannot be verified.
                (stored, recomputed) = (nil, nil)
            }
            verify(entry)
            (position, stored) = (entry.position, entry.hash)
        }
    }

    private mutating func verify(_ entry: Entry) {
        guard let before = stored, !entry.isPruned else { return recomputed = nil }
        let candidates = [before] + [recomputed].compactMap { $0 }
        recomputed = nil
        guard !candidates.contains(where: { Chain.next(after: $0, entry.bytes) == entry.hash }) else { return }
        damage.append(.broken(entry.position))
        recomputed = Chain.next(after: before, entry.bytes)
    }
}
