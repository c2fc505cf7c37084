/// Where a follower of a feed stands.
public struct Checkpoint: Sendable, Equatable {
    public let epoch: Epoch
    public let position: Position
    public let hash: [UInt8]

    public init(epoch: Epoch, position: Position, hash: [UInt8]) {
        self.epoch = epoch
        self.position = position
        self.hash = hash
    }
}
