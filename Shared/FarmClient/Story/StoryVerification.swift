import HTTP
import JSON
import SQLite
import Sharing
import Vocabulary
import Wire

/// Fetching and verifying stories.
extension FarmClient {
    /// Returns the verified story of a scanned label: requests it from the farm server and stores what was verified.
    ///
    /// If the server is unreachable, returns the story that a node has, or that of an earlier visit, or that another
    /// client has, verified in the same way; `Story.source` says which. Never returns a story that failed a check.
    ///
    /// - Throws: `notBelieved` with the check's name as `reason`, `missing` if the farm has no such story,
    ///   `unreachable` if the server is unreachable and this device has no story of the lot.
    public func story(of link: String) async throws(FarmClientError) -> Story {
        let label = try believing { () throws(VerificationFailure) in try LabelText(link) }
        // Farms without a GS1 prefix share numbers, so a link without a signature is valid only for its own server.
        guard label.signed != nil || label.host.map({ $0 == server.host.uppercased() }) ?? true else {
            throw FarmClientError(.misuse, "This link is of another farm server.")
        }
        let remembered = try remembered(label)
        let (ring, isSigned) = try await keys(for: label, remembered.ring)
        let answer: [UInt8]
        do throws(FarmClientError) {
            answer = try await askForStory(label, since: remembered.checkpoint)
        } catch {
            // The server cannot prove that the log is append-only, so the log may have been changed.
            if error.code == .refused, remembered.checkpoint != nil { throw FarmClientError(.logRewritten) }
            guard error.isAway else { throw error }
            if let story = await storyElsewhere(.node, label, ring, isSigned, remembered) { return story }
            if let stored = remembered.story {
                let (verified, _) = try verify(stored.answer, label, ring, nil, seenIndex: nil)
                return Story(
                    label, verified, isSigned, since: nil, asOf: stored.seen, source: .device, isWaiting: false)
            }
            if let story = await storyElsewhere(.client, label, ring, isSigned, remembered) { return story }
            throw error
        }
        let text = String(decoding: answer, as: UTF8.self)
        let seenIndex = try remembered.story.map { stored throws(FarmClientError) in try evidence(stored.answer).index }
        let (verified, isWaiting) = try verify(text, label, ring, remembered.checkpoint, seenIndex: seenIndex)
        let time = now()
        let checkpoint = SeenCheckpoint(size: verified.checkpoint.size, root: verified.checkpoint.root, seen: time)
        try kept { keep throws(SQLiteError) in
            // Another visit may have ended meanwhile: its results are retained.
            try Self.remember(ring, keep)
            let head = try Self.known(keep).checkpoint
            if (head?.size ?? 0) <= checkpoint.size { try keep.put(.checkpoint, checkpoint.json) }
            try keep.put(story: label.key, text, seen: time.microseconds)
        }
        return Story(
            label, verified, isSigned, since: remembered.checkpoint?.seen, asOf: time, source: .farm,
            isWaiting: isWaiting)
    }

    /// Returns the story that a node or another client has; nil if none has it, or none that passes every check.
    ///
    /// That the log was only added to since the last visit is proven by the farm alone, for each device its own way.
    private func storyElsewhere(
        _ kind: PeerKind, _ label: LabelText, _ ring: HubKeys, _ isSigned: Bool, _ remembered: Remembered
    ) async -> Story? {
        guard let found = await elsewhere(label.target, kind) else { return nil }
        do throws(FarmClientError) {
            let text = String(decoding: found.body, as: UTF8.self)
            let seenIndex = try remembered.story.map { stored throws(FarmClientError) in
                try evidence(stored.answer).index
            }
            let (verified, isWaiting) = try verify(text, label, ring, nil, seenIndex: seenIndex)
            try kept { keep throws(SQLiteError) in
                try Self.remember(ring, keep)
                try keep.put(story: label.key, text, seen: found.asOf.microseconds)
            }
            return Story(
                label, verified, isSigned, since: nil, asOf: found.asOf, source: found.source, isWaiting: isWaiting)
        } catch {
            return nil
        }
    }

    /// The results of earlier visits.
    private struct Remembered: Sendable {
        var ring: HubKeys?
        var checkpoint: SeenCheckpoint?
        var story: (answer: String, seen: Instant)?
    }

    private func remembered(_ label: LabelText) throws(FarmClientError) -> Remembered {
        try kept { keep throws(SQLiteError) in
            let (ring, checkpoint) = try Self.known(keep)
            let story = try keep.story(label.key)
            return Remembered(
                ring: ring, checkpoint: checkpoint,
                story: story.map { ($0.answer, Instant(microseconds: $0.seen)) })
        }
    }

    private static func known(_ keep: ClientStore) throws(SQLiteError) -> (ring: HubKeys?, checkpoint: SeenCheckpoint?)
    {
        let ring = try keep.fact(.keys).flatMap { read($0) { json in json } }.flatMap(Self.ring)
        let checkpoint = try keep.fact(.checkpoint).flatMap { text in
            read(text) { json throws(JSONError) in try SeenCheckpoint(json) }
        }
        return (ring, checkpoint)
    }

    /// Stores the keys, merged with those that a concurrent visit has stored.
    private static func remember(_ ring: HubKeys, _ keep: ClientStore) throws(SQLiteError) {
        try keep.put(.keys, (try known(keep).ring?.joined(ring) ?? ring).json)
    }

    private static func ring(_ json: JSONValue) -> HubKeys? {
        do throws(VerificationFailure) {
            return try HubKeys(json)
        } catch {
            return nil
        }
    }

    /// Returns the trusted keys, and whether the label has a valid signature.
    private func keys(for label: LabelText, _ stored: HubKeys?) async throws(FarmClientError) -> (HubKeys, Bool) {
        let (ring, isFresh) = try await agreeOnKeys(stored)
        do throws(VerificationFailure) {
            return (ring, try label.verify(ring))
        } catch {
            guard error == .labelKeyUnknown, !isFresh else { throw FarmClientError(error) }
            // A key that may be new cannot be judged without the farm, or what it has signed.
            guard let newer = await keysElsewhere() else {
                throw FarmClientError(.unreachable, "The label's key may be new, and the farm server does not answer.")
            }
            return try believing { () throws(VerificationFailure) in
                let merged = try ring.merged(newer)
                return (merged, try label.verify(merged))
            }
        }
    }

    /// Returns the keys that nodes or other clients have, signed by the farm.
    private func keysElsewhere() async -> HubKeys? {
        for kind in [PeerKind.node, .client] {
            guard let found = await elsewhere(Self.keysTarget, kind) else { continue }
            do { return try HubKeys(try Server.json(found.body)) } catch { continue }
        }
        return nil
    }

    private static let keysTarget = "/ledger/keys"

    /// Returns the trusted keys, and whether the farm has just confirmed them.
    private func agreeOnKeys(_ stored: HubKeys?) async throws(FarmClientError) -> (HubKeys, isFresh: Bool) {
        let answer: [UInt8]
        do throws(FarmClientError) {
            answer = try await askPatiently(Self.keysTarget)
        } catch {
            guard error.code != .store else { throw error }
            if let stored { return (stored, false) }
            guard error.isAway, let ring = await keysElsewhere() else { throw error }
            return (ring, false)
        }
        let json = try Server.json(answer)
        let ring = try believing { () throws(VerificationFailure) in
            let answered = try HubKeys(json)
            return try stored?.merged(answered) ?? answered
        }
        // A revocation is stored even if the visit fails later.
        if stored != nil { try self.kept { keep throws(SQLiteError) in try Self.remember(ring, keep) } }
        return (ring, true)
    }

    private func askForStory(_ label: LabelText, since: SeenCheckpoint?) async throws(FarmClientError) -> [UInt8] {
        let since = since.map { "&since=\($0.size)" } ?? ""
        let answer = try await askPatiently(label.target + since)
        if !since.isEmpty, let shared { await renew(label.target, shared) }
        return answer
    }

    /// Stores a story for others, who request it without the proof for this device.
    private func renew(_ target: String, _ shared: Neighbours) async {
        do throws(FarmClientError) {
            _ = try await calls.apart { () throws(FarmClientError) in try self.visit(target) }
        } catch {
            // Others have an older one, or ask the farm.
        }
    }

    /// Sends a request, and retries while the server's response is not ready (503).
    private func askPatiently(_ path: String) async throws(FarmClientError) -> [UInt8] {
        var tries = 1
        while true {
            let response = try await calls.apart { () throws(FarmClientError) in try self.visit(path) }
            guard response.status == 503, tries < ClientLimits.tries else {
                let answer = try Server.accepted(response).body
                guard answer.count <= ClientLimits.storyBytes else {
                    throw FarmClientError(.unreachable, "The response is too long for a story.")
                }
                // A captive network's log-in page is no response of the farm.
                _ = try Server.json(answer)
                return answer
            }
            tries += 1
            do {
                try await Task.sleep(for: .seconds(ClientLimits.betweenTries))
            } catch {
                throw FarmClientError(.unreachable, "The request was cancelled.")
            }
        }
    }

    private func evidence(_ answer: String) throws(FarmClientError) -> Evidence {
        let json = try Server.json(Array(answer.utf8))
        return try believing { () throws(VerificationFailure) in try Evidence(json) }
    }

    private func verify(
        _ answer: String, _ label: LabelText, _ ring: HubKeys, _ checkpoint: SeenCheckpoint?, seenIndex: UInt64?
    ) throws(FarmClientError) -> (Evidence.Verified, isWaiting: Bool) {
        let evidence = try evidence(answer)
        let verified = try believing { () throws(VerificationFailure) in
            try evidence.verify(label, ring, remembered: checkpoint, seenIndex: seenIndex)
        }
        return (verified, evidence.isWaiting)
    }

    private func believing<Value>(_ body: () throws(VerificationFailure) -> Value) throws(FarmClientError) -> Value {
        do throws(VerificationFailure) {
            return try body()
        } catch {
            throw FarmClientError(error)
        }
    }
}

extension FarmClientError {
    /// Whether the farm server itself did not respond; a stored story is shown then.
    var isAway: Bool { [.unreachable, .untrusted, .signInNeeded].contains(code) }
}

extension LabelText {
    /// The key of its stored story.
    var key: String { "\(gtin)/\(lot)" }

    /// The address of its story at the farm.
    var target: String { "/v1/lots/\(lot)/passport?gtin=\(gtin)" }
}

extension Story {
    init(
        _ label: LabelText, _ verified: Evidence.Verified, _ isSigned: Bool, since: Instant?, asOf: Instant,
        source: ContentSource, isWaiting: Bool
    ) {
        self.init(
            lot: label.lot, gtin: label.gtin.digits, serial: label.serial, passport: verified.passport,
            issued: verified.recorded, isLabelSigned: isSigned, provenSince: since, asOf: asOf,
            source: source, isWaiting: isWaiting)
    }
}

extension SeenCheckpoint {
    init(_ json: JSONValue) throws(JSONError) {
        guard let root = BaseEncoding.base64.decode(try json.get("root")) else { throw json.error("expected a root") }
        self.init(
            size: try json.get("size"), root: root, seen: Instant(microseconds: try json.get("seen")))
    }

    var json: String {
        written { json in
            json.field("size", size)
            json.field("root", BaseEncoding.base64.encode(root))
            json.field("seen", seen.microseconds)
        }
    }
}
