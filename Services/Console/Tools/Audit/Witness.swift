import EventSourcing
import Vocabulary

/// Where the hub asked to be witnessed, about once an hour, and what its chain was there. What an origin's journal says
/// that the hub was is held against it.
struct Witness {
    private var asked: [Position: [UInt8]] = [:]

    /// An entry of the hub by which it asked.
    mutating func add(_ entry: Entry) {
        asked[entry.position] = entry.hash
    }

    /// What a statement about a hub that reaches so far says that is not so; nil if the hub is what was witnessed.
    ///
    /// A statement is about a place where the hub asked, so a hub that has asked for none there is another one. One of
    /// an earlier life of the hub is no contradiction where its end was lost: whoever restores a hub begins an epoch,
    /// which stops everyone until the operator has accepted it.
    func contradiction(
        of hub: Position, in epoch: Epoch, by origin: String, _ statement: CheckpointWitnessed
    ) -> String? {
        guard statement.feed == "hub", statement.epoch == epoch else { return nil }
        guard statement.position > 0, statement.position <= hub else {
            return "\(origin) has witnessed a hub that reached to \(statement.position)"
        }
        guard let hash = asked[statement.position], Hex.encode(hash) == statement.hash else {
            return "\(origin) has witnessed another hub at \(statement.position)"
        }
        return nil
    }
}
