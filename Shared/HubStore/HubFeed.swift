import EventSourcing
import EventStore

/// The mirrored head of one origin.
struct HubFeed: Sendable {
    /// The origin's number in `hub.entry`.
    let number: Int
    let name: String
    /// The epoch of the last mirrored entry.
    var epoch: Epoch
    var position: Position
    var hash: [UInt8]

    var head: Head { Head(feed: name, epoch: epoch, position: position, hash: hash) }
}
