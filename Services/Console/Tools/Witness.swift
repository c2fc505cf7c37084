import EventSourcing
import Vocabulary

/// What an origin's journal says that the hub was, held against what the hub is.
enum Witness {
    /// What the first statement says that is not so; nil if the hub is what was witnessed of it.
    ///
    /// Statements of an earlier life of the hub are no contradiction where its end was lost: whoever restores a hub
    /// begins an epoch, which stops everyone until the operator has accepted it.
    static func contradiction(
        of hub: [Entry], in epoch: Epoch, by origin: String, _ witnessed: [CheckpointWitnessed]
    ) -> String? {
        for one in witnessed where one.feed == "hub" && one.epoch == epoch {
            let isThere = one.position > 0 && one.position <= Position(hub.count)
            guard !isThere || Hex.encode(hub[Int(one.position - 1)].hash) != one.hash else { continue }
            return isThere
                ? "\(origin) has witnessed another hub at \(one.position)"
                : "\(origin) has witnessed a hub that reached to \(one.position)"
        }
        return nil
    }
}
