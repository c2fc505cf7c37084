/// The position up to which a subscriber has consumed a feed.
public struct Checkpoint: Sendable, Equatable {
    /// The feed's epoch at `position`.
    public let epoch: Epoch
    /// The position of the last consumed entry.
    public let position: Position
    /// The feed's chain hash at `position`, 32 bytes.
    public let hash: [UInt8]

    /// Creates a checkpoint.
    public init(epoch: Epoch, position: Position, hash: [UInt8]) {
        self.epoch = epoch
        self.position = position
        self.hash = hash
    }
}
