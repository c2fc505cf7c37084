import EventSourcing
import EventStore
import Vocabulary

/// Appends a journal's commits to its stream.
///
/// Each append names the last sequence number that it expects, so a writer that was replaced cannot append. It repeats
/// an append whose result is unknown, and then asks the stream whether it has it.
final class JetStreamReplication: JournalReplication {
    private let stream: any MessageStream
    private let encryption: ResponseEncryption
    /// A number of this writer, part of the names of its batches.
    private let writer: String
    private var batches = 0
    /// The sequence number of the last message.
    private(set) var last: Int64

    init(_ stream: any MessageStream, encryption: ResponseEncryption, writer: String, last: Int64) {
        self.stream = stream
        self.encryption = encryption
        self.writer = writer
        self.last = last
    }

    func append(_ commits: [ReplicatedCommit]) throws(LogFailure) -> Int64 {
        var batch: [NewMessage] = []
        var bytes = 0
        for commit in commits {
            let messages = try messages(of: commit)
            if !batch.isEmpty,
                batch.count + messages.count > JetStreamLimits.batchMessages || bytes > JetStreamLimits.batchBytes
            {
                try append(batch)
                (batch, bytes) = ([], 0)
            }
            batch += messages
            bytes += messages.reduce(0) { $0 + $1.body.count }
        }
        if !batch.isEmpty { try append(batch) }
        return last
    }

    private func messages(of commit: ReplicatedCommit) throws(LogFailure) -> [NewMessage] {
        var messages = commit.events.map { NewMessage(kind: .event, id: $0.id, body: $0.entry.bytes) }
        if let response = commit.response {
            messages.append(NewMessage(kind: .response, body: try encryption.encrypt(response)))
        }
        if let segment = commit.segment { messages += SegmentPieces.messages(of: segment) }
        return messages
    }

    func removeEvents(through position: Position) throws(LogFailure) {
        guard let end = try end(of: position) else { return }
        let deadline = RetryDeadline(stream.patience)
        try deadline.retry("prune") { () throws(JetStreamError) in try stream.removeEvents(before: end) }
    }

    /// Returns a number behind the event at `position` and before the next event; nil if the stream has neither that
    /// event nor an earlier one.
    private func end(of position: Position) throws(LogFailure) -> Int64? {
        guard let first = try event(from: 1), try first.position() <= position else { return nil }
        // The event at `low` is not behind the position, and those from `high` on are.
        var (low, high) = (first.sequence, last + 1)
        while low + 1 < high {
            let middle = (low + high) / 2
            if let found = try event(from: middle), try found.position() <= position {
                low = found.sequence
            } else {
                high = middle
            }
        }
        return high
    }

    private func event(from sequence: Int64) throws(LogFailure) -> StoredMessage? {
        let deadline = RetryDeadline(stream.patience)
        return try deadline.retry("prune") { () throws(JetStreamError) in try stream.event(from: sequence) }
    }

    /// Appends one batch. Returns when it is stored.
    func append(_ messages: [NewMessage]) throws(LogFailure) {
        batches += 1
        let name = "\(writer)-\(batches)"
        let deadline = RetryDeadline(stream.patience)
        while true {
            do throws(JetStreamError) {
                last = try stream.append(messages, after: last, batch: name)
                return
            } catch {
                guard try !isStored(name, error, deadline) else {
                    last += Int64(messages.count)
                    return
                }
            }
        }
    }

    /// Returns whether a batch was stored although its append failed with `error`. Returns false if it may be sent
    /// again, and throws if it cannot be stored any more.
    private func isStored(
        _ name: String, _ error: JetStreamError, _ deadline: borrowing RetryDeadline
    ) throws(LogFailure) -> Bool {
        switch error {
        case .unreachable:
            try deadline.pause(after: error, "append")
            return false
        case .refused(JetStreamError.Code.wrongLastSequence, _), .refused(JetStreamError.Code.duplicateInBatch, _):
            break
        case .refused:
            throw error.failure("append")
        }
        let next = last + 1
        let found = try deadline.retry("append") { () throws(JetStreamError) in try stream.message(at: next) }
        if found?.batch == name { return true }
        guard found == nil else {
            throw LogFailure(
                operation: "append",
                message: "another writer has continued \(stream.name) at \(next); this one must start again")
        }
        // A leader that has just been elected may refuse what was sent to the last one and is not stored yet.
        try deadline.pause(after: error, "append")
        return false
    }
}
