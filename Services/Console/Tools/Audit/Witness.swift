import EventSourcing
import Vocabulary

/// The hub's requests to be witnessed, about one an hour, with its chain hash at each. Statements of other journals are
/// checked against them.
struct Witness {
    private var asked: [Position: [UInt8]] = [:]
    /// The positions at which the hub continued from a backup, with the new epoch: later entries of the former hub are
    /// lost.
    private var restores: [(place: Position, epoch: Epoch)] = []

    /// Whether the hub was restored from a backup.
    var wasRestored: Bool { !restores.isEmpty }

    /// Adds a witness request of the hub.
    mutating func add(_ entry: Entry) {
        asked[entry.position] = entry.hash
    }

    /// Adds a restore that the hub recorded at `position`.
    mutating func restored(at position: Position, in epoch: Epoch) {
        restores.append((position, epoch))
    }

    /// Returns how a witness statement contradicts the hub, or nil if they agree.
    ///
    /// Statements are about positions of witness requests. A hub without a request there is a different one. A
    /// statement of an earlier epoch is checked, too, unless a restore has removed that position; the ledger's journal
    /// records restores.
    ///
    /// - Parameter hub: the last position of the hub.
    func contradiction(
        of hub: Position, in epoch: Epoch, by origin: String, _ statement: CheckpointWitnessed
    ) -> String? {
        guard statement.feed == "hub" else { return nil }
        if statement.epoch != epoch, isLost(statement) { return nil }
        guard statement.position > 0, statement.position <= hub else {
            return "\(origin) has witnessed a hub that reached to \(statement.position)"
        }
        guard let hash = asked[statement.position], Hex.encode(hash) == statement.hash else {
            return "\(origin) has witnessed another hub at \(statement.position)"
        }
        return nil
    }

    /// Returns whether a later restore has removed the position of a statement.
    private func isLost(_ statement: CheckpointWitnessed) -> Bool {
        let life = restores.lastIndex { $0.epoch == statement.epoch }.map { $0 + 1 } ?? 0
        return restores[life...].contains { $0.place <= statement.position }
    }
}
