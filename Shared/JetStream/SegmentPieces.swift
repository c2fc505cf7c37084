import EventSourcing
import EventStore

/// Puts segments together. Each is in consecutive messages, all of one batch.
struct SegmentPieces {
    private var bytes: [UInt8] = []
    /// The number of the message with which the unfinished segment begins; nil if there is none.
    private(set) var first: Int64?

    /// Adds the next message with a piece. Returns the segment that it completes, or nil.
    mutating func add(_ message: StoredMessage) throws(LogFailure) -> ReplicatedSegment? {
        if first == nil { first = message.sequence }
        bytes += message.body
        guard try bytes.count >= ReplicatedSegment.size(beginning: bytes) else { return nil }
        let whole = bytes
        self = SegmentPieces()
        return try ReplicatedSegment(whole)
    }

    /// Returns the messages for a segment.
    static func messages(of segment: ReplicatedSegment) -> [NewMessage] {
        let bytes = segment.bytes
        return stride(from: 0, to: bytes.count, by: JetStreamLimits.pieceBytes).map { start in
            NewMessage(kind: .segment, body: Array(bytes[start..<min(start + JetStreamLimits.pieceBytes, bytes.count)]))
        }
    }
}
