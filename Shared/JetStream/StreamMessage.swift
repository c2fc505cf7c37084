import EventSourcing
import NATS
import Vocabulary
import Wire

/// What a message of a journal's stream contains.
enum MessageKind: String, CaseIterable {
    /// The bytes of one event.
    case event
    /// A stored response, encrypted.
    case response
    /// A piece of the file of a segment, which the stream has in place of its events (``SegmentPieces``).
    case segment
    /// Which writer continues the journal (``WriterState``).
    case state
}

/// A message to append to a journal's stream.
struct NewMessage {
    let kind: MessageKind
    /// The id by which the server recognises a repeated event.
    var id: UUID?
    let body: [UInt8]
}

/// A message that a journal's stream has.
struct StoredMessage {
    let sequence: Int64
    let kind: MessageKind
    /// The batch with which it was appended; only the first message of a batch has it.
    let batch: String?
    let body: [UInt8]

    /// Returns the position of the event that this message contains. Throws if it cannot be read.
    func position() throws(LogFailure) -> Position {
        do {
            return try EnvelopeCodec.read(body).envelope.position
        } catch {
            throw LogFailure(operation: "read", message: "the event in message \(sequence) cannot be read: \(error)")
        }
    }
}

/// The headers of messages.
enum Header {
    static let id = "Nats-Msg-Id"
    static let expectedLast = "Nats-Expected-Last-Sequence"
    static let batch = "Nats-Batch-Id"
    static let batchSequence = "Nats-Batch-Sequence"
    static let batchCommit = "Nats-Batch-Commit"
    static let sequence = "Nats-Sequence"
    static let subject = "Nats-Subject"
    static let status = "Status"
    /// Names a batch, also one that was sent more than once. JetStream does not read it.
    static let batchName = "Furrow-Batch"
}
