import EventSourcing
import Vocabulary

/// Where the hub asked to be witnessed, about once an hour, and what its chain was there. What an origin's journal says
/// that the hub was is held against it.
struct Witness {
    private var asked: [Position: [UInt8]] = [:]
    /// Where the hub went on from a backup, and in which epoch: what it had from there on before is lost.
    private var restores: [(place: Position, epoch: Epoch)] = []

    /// An operator went back to a backup of the hub.
    var wasRestored: Bool { !restores.isEmpty }

    /// An entry of the hub by which it asked.
    mutating func add(_ entry: Entry) {
        asked[entry.position] = entry.hash
    }

    /// An entry of the hub by which it says that it was restored to before it.
    mutating func restored(at position: Position, in epoch: Epoch) {
        restores.append((position, epoch))
    }

    /// What a statement about a hub that reaches so far says that is not so; nil if the hub is what was witnessed.
    ///
    /// A statement is about a place where the hub asked, so a hub that has asked for none there is another one. One of
    /// an earlier epoch is held against it, too, but for what was lost: whoever restores a hub says so in the ledger's
    /// journal.
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

    /// Whether a restore that came after it has taken from the hub what a statement is about.
    private func isLost(_ statement: CheckpointWitnessed) -> Bool {
        let life = restores.lastIndex { $0.epoch == statement.epoch }.map { $0 + 1 } ?? 0
        return restores[life...].contains { $0.place <= statement.position }
    }
}
