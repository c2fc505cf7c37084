import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The response of `/v1/lots/{lot}/passport`: a story and all data to verify it.
struct Evidence: Sendable {
    let hub: String
    let entry: String
    let salt: [UInt8]
    /// The event's bytes, as they were committed.
    let bytes: [UInt8]
    /// The index of the entry in the log, from 0.
    let index: UInt64
    let size: UInt64
    let proof: [[UInt8]]
    let checkpoint: String
    let consistency: [[UInt8]]
    /// Whether measurements of this lot's places are not processed yet, according to the farm.
    let isWaiting: Bool

    private static let proofHashes = 64
    private static let consistencyHashes = 128

    init(_ json: JSONValue) throws(VerificationFailure) {
        do throws(JSONError) {
            hub = try json.get("hub")
            entry = try json.get("entry")
            salt = try Self.bytes(json, "salt")
            bytes = try Self.bytes(json, "bytes")
            index = try json.get("index")
            size = try json.get("size")
            proof = try Self.hashes(json, "proof", most: Self.proofHashes)
            checkpoint = try json.get("checkpoint")
            consistency = try Self.hashes(json, "consistency", most: Self.consistencyHashes)
            isWaiting = try json.find("waiting") ?? false
        } catch {
            throw .storyUnreadable
        }
    }

    private static func bytes(_ json: JSONValue, _ member: String) throws(JSONError) -> [UInt8] {
        guard let bytes = BaseEncoding.base64.decode(try json.get(member)) else {
            throw json.error("\(member): expected base64")
        }
        return bytes
    }

    private static func hashes(_ json: JSONValue, _ member: String, most: Int) throws(JSONError) -> [[UInt8]] {
        let list = try json.find(member, as: [String].self) ?? []
        let hashes = list.compactMap { BaseEncoding.base64.decode($0) }
        guard list.count <= most, hashes.count == list.count else { throw json.error("\(member): expected hashes") }
        return hashes
    }
}

/// The newest log checkpoint that this device has verified.
struct SeenCheckpoint: Equatable, Sendable {
    let size: UInt64
    /// 32 bytes.
    let root: [UInt8]
    /// When it was verified.
    let seen: Instant
}

extension Evidence {
    /// The result of a successful verification.
    struct Verified: Sendable {
        let recorded: Instant
        let passport: JSONAny
        let checkpoint: LogCheckpoint
    }

    /// Verifies the story, the checkpoint, the log, its history and the lot, in that order, without side effects.
    ///
    /// `remembered` is nil on a first visit, and for a story stored on this device.
    func verify(
        _ label: LabelText, _ ring: HubKeys, remembered: SeenCheckpoint?, seenIndex: UInt64?
    ) throws(VerificationFailure) -> Verified {
        let entry = try commitment()
        let head = try head(ring)
        // The index is compared with the size first, because the largest number plus one would overflow.
        guard index < head.size, entry.hub == index + 1,
            MerkleProof.includes(leaf: entry.leaf, index: index, size: head.size, path: proof, root: head.root)
        else { throw .notInLog }
        if let seenIndex, index < seenIndex { throw .storyOlder }
        if let remembered {
            guard remembered.size <= head.size else { throw .logShorter }
            let isGrown = MerkleProof.extends(
                oldSize: remembered.size, oldRoot: remembered.root, size: head.size, root: head.root, path: consistency)
            guard isGrown else { throw .logRewritten }
        }
        return try passport(entry, label, head)
    }

    /// Verifies that the entry commits to the event's bytes.
    private func commitment() throws(VerificationFailure) -> LedgerEntry {
        let entry: LedgerEntry
        do throws(JSONError) {
            entry = try LedgerEntry(Array(self.entry.utf8))
        } catch {
            throw .entryMalformed
        }
        guard salt.count == LedgerEntry.saltBytes,
            LedgerEntry.commitment(salt: salt, event: bytes) == entry.commitment
        else { throw .storyAltered }
        return entry
    }

    /// Verifies that the farm has signed the checkpoint, and returns it.
    private func head(_ ring: HubKeys) throws(VerificationFailure) -> LogCheckpoint {
        let note: SignedNote
        do throws(SignedNote.Refusal) {
            note = try SignedNote(checkpoint)
            _ = try note.verified(by: ring.checkpointKeys)
        } catch {
            switch error {
            case .malformed: throw .checkpointMalformed
            case .forged: throw .checkpointForged
            case .unsigned: throw .checkpointUnsigned
            }
        }
        guard let head = LogCheckpoint(note.text), head.size == size else { throw .checkpointMalformed }
        guard head.origin == ring.hub, hub == ring.hub else { throw .checkpointOfAnotherLog }
        return head
    }

    /// Verifies that the event is the passport named by its entry and its label, and returns it.
    private func passport(_ entry: LedgerEntry, _ label: LabelText, _ head: LogCheckpoint) throws(VerificationFailure)
        -> Verified
    {
        let (envelope, data) = try readable { () throws(JSONError) in try EnvelopeCodec.read(bytes) }
        let isPassport =
            envelope.name == PassportIssued.name && envelope.origin.description == entry.origin
            && envelope.origin.service == "trace-ledger" && envelope.epoch == entry.epoch
            && envelope.position == entry.position
        guard isPassport else { throw .storyOfSomethingElse }
        let issued = try readable { () throws(JSONError) in try PassportIssued(json: data) }
        let passport = issued.passport
        guard passport["v"] == .integer(1) else { throw .storyUnreadable }
        guard "\(issued.lot)" == label.lot, passport["lot"] == .string(label.lot),
            passport["gtin"] == .string(label.gtin.digits)
        else { throw .storyOfAnotherLot }
        return Verified(recorded: envelope.recorded, passport: passport, checkpoint: head)
    }

    private func readable<Value>(_ body: () throws(JSONError) -> Value) throws(VerificationFailure) -> Value {
        do throws(JSONError) {
            return try body()
        } catch {
            throw .storyUnreadable
        }
    }
}
