import HTTP
import JSON
import SQLite
import Vocabulary
import Wire

/// Fetching and verifying stories.
extension FarmClient {
    /// Returns the verified story of a scanned label: requests it from the farm server and stores what was verified.
    ///
    /// If the server is unreachable, returns the story of an earlier visit, verified again. Never returns a story that
    /// failed a check.
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
        let (ring, isFresh) = try await agreeOnKeys(remembered.ring)
        let isSigned: Bool
        do throws(VerificationFailure) {
            isSigned = try label.verify(ring)
        } catch {
            // A key that may be new cannot be judged without the farm.
            guard error != .labelKeyUnknown || isFresh else {
                throw FarmClientError(.unreachable, "The label's key may be new, and the farm server does not answer.")
            }
            throw FarmClientError(error)
        }
        let answer: [UInt8]
        do throws(FarmClientError) {
            answer = try await askForStory(label, since: remembered.checkpoint)
        } catch {
            // The server cannot prove that the log is append-only, so the log may have been changed.
            if error.code == .refused, remembered.checkpoint != nil { throw FarmClientError(.logRewritten) }
            guard error.isAway, let stored = remembered.story else { throw error }
            let (verified, _) = try verify(stored.answer, label, ring, nil, seenIndex: nil)
            return Story(
                label, verified, isSigned, since: nil, asOf: stored.seen, isFromDevice: true, isWaiting: false)
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
            label, verified, isSigned, since: remembered.checkpoint?.seen, asOf: time, isFromDevice: false,
            isWaiting: isWaiting)
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

    /// Returns the trusted keys, and whether the farm has just confirmed them.
    private func agreeOnKeys(_ stored: HubKeys?) async throws(FarmClientError) -> (HubKeys, isFresh: Bool) {
        let answer: [UInt8]
        do throws(FarmClientError) {
            answer = try await askPatiently("/ledger/keys")
        } catch {
            guard let stored, error.code != .store else { throw error }
            return (stored, false)
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
        return try await askPatiently("/v1/lots/\(label.lot)/passport?gtin=\(label.gtin)\(since)")
    }

    /// Sends a request, and retries while the server's response is not ready (503).
    private func askPatiently(_ path: String) async throws(FarmClientError) -> [UInt8] {
        var tries = 1
        while true {
            let response = try await calls.apart { [server] () throws(FarmClientError) in try server.send("GET", path)
            }
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
}

extension Story {
    init(
        _ label: LabelText, _ verified: Evidence.Verified, _ isSigned: Bool, since: Instant?, asOf: Instant,
        isFromDevice: Bool, isWaiting: Bool
    ) {
        self.init(
            lot: label.lot, gtin: label.gtin.digits, serial: label.serial, passport: verified.passport,
            issued: verified.recorded, isLabelSigned: isSigned, provenSince: since, asOf: asOf,
            isFromDevice: isFromDevice, isWaiting: isWaiting)
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
