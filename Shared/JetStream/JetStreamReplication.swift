import Crypto
import EventSourcing
import EventStore
import JSON
import System
import Vocabulary

/// Appends a journal's commits to its stream.
///
/// Each append names the last sequence number that it expects, so a writer that was replaced cannot append. It repeats
/// an append whose result is unknown, and then asks the stream which of both happened.
final class JetStreamReplication: JournalReplication {
    private let stream: JournalStream
    private let sealing: ResponseSealing
    /// A number of this writer, part of the names of its batches.
    private let writer: String
    private var batches = 0
    /// The sequence number of the last message.
    private(set) var last: Int64

    init(_ stream: JournalStream, sealing: ResponseSealing, writer: String, last: Int64) {
        self.stream = stream
        self.sealing = sealing
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
            messages.append(NewMessage(kind: .response, body: try sealing.seal(response)))
        }
        return messages
    }

    /// Appends one batch. Returns when it is stored.
    func append(_ messages: [NewMessage]) throws(LogFailure) {
        batches += 1
        let name = "\(writer)-\(batches)"
        let patience = Patience()
        while true {
            do throws(JetStreamError) {
                last = try stream.append(messages, after: last, batch: name)
                return
            } catch {
                guard try !isStored(name, error, patience) else {
                    last += Int64(messages.count)
                    return
                }
            }
        }
    }

    /// Returns whether a batch was stored although its append failed with `error`. Returns false if it may be sent
    /// again, and throws if it cannot be stored any more.
    private func isStored(
        _ name: String, _ error: JetStreamError, _ patience: borrowing Patience
    ) throws(LogFailure) -> Bool {
        switch error {
        case .unreachable:
            try patience.pause(after: error, "append")
            return false
        case .refused(JetStreamError.Code.wrongLastSequence, _), .refused(JetStreamError.Code.duplicateInBatch, _):
            break
        case .refused:
            throw error.failure("append")
        }
        let next = last + 1
        let found = try patience.until("append") { () throws(JetStreamError) in try stream.message(at: next) }
        if found?.batch == name { return true }
        guard found == nil else {
            throw LogFailure(
                operation: "append",
                message: "another writer has continued \(stream.name) at \(next); this one must start again")
        }
        // A leader that has just been elected may refuse what was sent to the last one and is not stored yet.
        try patience.pause(after: error, "append")
        return false
    }
}

/// The encryption of stored responses in a stream, which may contain personal data. Events contain none.
struct ResponseSealing: Sendable {
    private let key: [UInt8]
    private let purpose = Array("furrow response".utf8)

    /// - Parameter key: 32 bytes that all machines of the cluster share.
    init(key: [UInt8]) {
        self.key = key
    }

    func seal(_ response: NumberedResponse) throws(LogFailure) -> [UInt8] {
        var json = JSONWriter()
        response.write(to: &json)
        do throws(CryptoError) {
            return try AESGCM.seal(key: key, plaintext: json.bytes, aad: purpose)
        } catch {
            throw LogFailure(operation: "encrypt a response", message: "\(error.operation): \(error.reason)")
        }
    }

    func open(_ sealed: [UInt8]) throws(LogFailure) -> NumberedResponse {
        do {
            let plain = try AESGCM.open(key: key, sealed: sealed, aad: purpose)
            return try NumberedResponse(json: JSONValue.parse(plain))
        } catch {
            throw LogFailure(
                operation: "decrypt a response", message: "FURROW_CLUSTER_KEY is not the key of this cluster (\(error))"
            )
        }
    }
}
