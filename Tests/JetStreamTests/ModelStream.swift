import TestKit
import Vocabulary

@testable import JetStream

/// A stream in memory whose leader may be lost at any step: requests and replies get lost, and what was sent may be
/// stored later, or by a leader that refused it before.
final class ModelStream: MessageStream {
    /// What may be wrong with a stream, so that a test can show that it finds it.
    enum Flaw {
        /// It does not compare the sequence number that a batch expects.
        case comparesNothing
        /// It stores the first half of a batch when its leader is lost.
        case tearsBatches
    }

    let name = "model"
    let patience = Patience(milliseconds: 1_000, pause: 1)
    private let flaw: Flaw?
    private var chance: SplitMix64
    /// Of 100 requests, how many fail.
    var failures = 0
    private var identity: String?
    /// By sequence number, from 1; nil if removed.
    private var messages: [StoredMessage?] = []
    /// Batches that are still on their way.
    private var delayed: [(messages: [NewMessage], after: Int64, batch: String)] = []
    /// How many requests failed.
    private(set) var failed = 0

    init(seed: UInt64, flaw: Flaw? = nil) {
        chance = SplitMix64(seed: seed)
        self.flaw = flaw
    }

    private func loses() -> Bool {
        let isLost = Int(chance.next() % 100) < failures
        if isLost { failed += 1 }
        return isLost
    }

    /// A step of the cluster: what is on its way may arrive. Throws if the request gets lost.
    private func step() throws(JetStreamError) {
        while !delayed.isEmpty, chance.next() % 3 == 0 { _ = store(delayed.removeFirst()) }
        if loses() { throw .unreachable("no leader") }
    }

    private func store(_ batch: (messages: [NewMessage], after: Int64, batch: String)) -> Bool {
        guard flaw == .comparesNothing || batch.after == Int64(messages.count) else { return false }
        for (index, message) in batch.messages.enumerated() {
            messages.append(
                StoredMessage(
                    sequence: Int64(messages.count) + 1, kind: message.kind, batch: index == 0 ? batch.batch : nil,
                    body: message.body))
        }
        return true
    }

    func describe() throws(JetStreamError) -> StreamDescription? {
        try step()
        return identity.map { StreamDescription(identity: $0, last: Int64(messages.count), version: "2.15.1") }
    }

    func create(identity: String) throws(JetStreamError) -> StreamDescription {
        try step()
        self.identity = self.identity ?? identity
        return StreamDescription(identity: self.identity ?? identity, last: Int64(messages.count), version: "2.15.1")
    }

    func append(_ messages: [NewMessage], after last: Int64, batch: String) throws(JetStreamError) -> Int64 {
        try step()
        let made = (messages: messages, after: last, batch: batch)
        guard loses() else {
            guard store(made) else {
                throw .refused(code: JetStreamError.Code.wrongLastSequence, "wrong last sequence")
            }
            return last + Int64(messages.count)
        }
        switch chance.next() % 4 {
        case 0: throw .unreachable("the request is lost")
        case 1:
            if flaw == .tearsBatches {
                _ = store((Array(messages.prefix(messages.count / 2)), last, batch))
            } else {
                _ = store(made)
            }
            throw .unreachable("the reply is lost")
        case 2:
            delayed.append(made)
            throw .unreachable("the request is delayed")
        default:
            // A leader that was just elected refuses what it received from the last one and has not stored yet.
            delayed.append(made)
            throw .refused(code: JetStreamError.Code.wrongLastSequence, "wrong last sequence")
        }
    }

    func message(at sequence: Int64) throws(JetStreamError) -> StoredMessage? {
        try step()
        guard sequence >= 1, sequence <= messages.count else { return nil }
        return messages[Int(sequence) - 1]
    }

    func last(_ kind: MessageKind) throws(JetStreamError) -> StoredMessage? {
        try step()
        return messages.last { $0?.kind == kind } ?? nil
    }

    func event(from sequence: Int64) throws(JetStreamError) -> StoredMessage? {
        try step()
        return messages.dropFirst(Int(sequence) - 1).first { $0?.kind == .event } ?? nil
    }

    func read(after sequence: Int64, of one: MessageKind?) throws(JetStreamError) -> [StoredMessage] {
        try step()
        // The machine that answers may be behind.
        let known = messages.dropLast(chance.next() % 4 == 0 ? Int(chance.next() % 8) : 0)
        let found = known.dropFirst(Int(sequence)).lazy.compactMap { $0 }.filter { one == nil || $0.kind == one }
        return Array(found.prefix(Int(1 + chance.next() % 40)))
    }

    func removeEvents(before sequence: Int64) throws(JetStreamError) {
        try step()
        for index in 0..<Int(sequence - 1) where messages[index]?.kind == .event { messages[index] = nil }
    }
}
