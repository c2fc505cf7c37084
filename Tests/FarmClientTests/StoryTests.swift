import Crypto
import EventSourcing
import HTTP
import JSON
import Testing
import Vocabulary
import Wire

@testable import FarmClient

@Suite("Stories of lots")
struct StoryTests {
    private func issue(_ farm: SmallFarm, _ lots: String...) throws {
        var log = farm.log
        for lot in lots { try log.issue(lot) }
        let grown = log
        farm.set { $0.log = grown }
    }

    private func label(_ farm: SmallFarm, _ lot: String) throws -> String {
        try farm.log.label(lot, serial: "BOX1")
    }

    @Test func `a verified story is returned, and again without a network`() async throws {
        try await withClient { farm, client, _ in
            try issue(farm, "A-0", "TOM-1", "A-2", "A-3", "A-4")
            let link = try label(farm, "TOM-1")
            let first = try await client.story(of: link)
            #expect(first.product == "Tomatoes" && first.farm == "Sonnhof" && first.isLabelSigned)
            #expect(first.serial == "BOX1" && first.provenSince == nil && !first.isFromDevice)
            try issue(farm, "A-5", "A-6")
            let second = try await client.story(of: link.lowercased() + "?utm=1")
            #expect(second.provenSince == first.asOf)
            let plain = try await client.story(of: "/01/\(SignedLog.gtin)/10/TOM-1")
            #expect(!plain.isLabelSigned)
            let page = HTTPResponse(status: 200, type: "text/html", body: Array("<html>Log in</html>".utf8))
            for path in ["/passport", ""] {
                farm.set { state in state.answers = { $0.path.hasSuffix(path) ? page : nil } }
                #expect(try await client.story(of: link).isFromDevice, "a foreign page at …\(path)")
            }
            farm.close()
            let kept = try await client.story(of: link)
            #expect(kept.isFromDevice && kept.asOf == plain.asOf && kept.passport == first.passport)
            #expect(await code { _ = try await client.story(of: try label(farm, "A-0")) } == "unreachable")
        }
    }

    @Test func `an altered story is rejected with the name of the failed check`() async throws {
        let alterations: [(String, expected: String, (SignedLog, String) throws -> String)] = [
            ("salt", "story-altered", { _, text in try Self.bend(text, "salt") }),
            ("bytes", "story-altered", { _, text in try Self.bend(text, "bytes") }),
            ("entry", "entry-malformed", { _, text in text.replacing(#"\"v\":1"#, with: #"\"v\": 1"#) }),
            ("entry's epoch", "not-in-log", { _, text in text.replacing("0000000007", with: "0000000008") }),
            ("index", "not-in-log", { _, text in text.replacing(#""index":1"#, with: #""index":2"#) }),
            ("size", "checkpoint-malformed", { _, text in text.replacing(#""size":5"#, with: #""size":6"#) }),
            ("root", "checkpoint-forged", { _, text in try Self.bendCheckpoint(text) }),
            ("unsigned", "checkpoint-unsigned", { _, text in try Self.checkpoint(of: SignedLog(), in: text) }),
            ("hub", "checkpoint-of-another-log", { _, text in text.replacing(#"{"hub":"f"#, with: #"{"hub":"g"#) }),
            (
                "a number without a next", "not-in-log",
                { _, text in text.replacing(#""index":1"#, with: #""index":18446744073709551615"#) }
            ),
            ("a lost proof", "not-in-log", { _, text in try Self.without(text, "proof") }),
            ("no answer", "story-unreadable", { _, _ in "{}" }),
        ]
        var refused = 0
        for (what, expected, alter) in alterations {
            try await withClient { farm, client, _ in
                try issue(farm, "A-0", "TOM-1", "A-2", "A-3", "A-4")
                let log = farm.log
                let answer = try #require(log.evidence(of: "TOM-1"))
                let altered = try alter(log, answer)
                #expect(altered != answer, "\(what): nothing was altered")
                farm.set { state in state.answers = { $0.path.hasSuffix("/passport") ? .json(altered) : nil } }
                let said = await code { _ = try await client.story(of: try label(farm, "TOM-1")) }
                #expect(said == expected, "\(what)")
                refused += said == expected ? 1 : 0
                farm.set { $0.answers = nil }
                #expect(await code { _ = try await client.story(of: try label(farm, "TOM-1")) } == "done", "\(what)")
            }
        }
        print("\(refused) of \(alterations.count) alterations named")
        #expect(refused == alterations.count)
    }

    @Test func `a story is not requested for a label that the farm did not sign`() async throws {
        try await withClient { farm, client, _ in
            try issue(farm, "TOM-1", "TOM-2")
            let link = try label(farm, "TOM-1")
            let others = [
                (link.replacing("TOM-1", with: "TOM-2"), "label-forged"), (link + "X", "label-forged"),
                (link.replacing("/S1K001", with: "/S1K002"), "label-key-unknown"),
                (try SignedLog().label("TOM-1"), "label-forged"),
                (link.replacing("/01/", with: "/02/"), "label-malformed"),
            ]
            for (other, expected) in others {
                #expect(await code { _ = try await client.story(of: other) } == expected, "\(other)")
            }
            print("\(others.count) labels refused")
            #expect(farm.requests.allSatisfy { $0.path == "/ledger/keys" })
        }
    }

    @Test func `a story of another lot or of another event is rejected`() async throws {
        try await withClient { farm, client, _ in
            try issue(farm, "A-0", "TOM-1")
            let log = farm.log
            let other = try #require(log.evidence(of: "A-0"))
            farm.set { state in state.answers = { $0.path.hasSuffix("/passport") ? .json(other) : nil } }
            #expect(await code { _ = try await client.story(of: try label(farm, "TOM-1")) } == "story-of-another-lot")
            // An event of another service that claims to be a passport, correctly committed in the log.
            var forged = log
            forged.put("TOM-1", log.entries[1].event, origin: "catalog-orders/farm-0")
            let answer = try #require(forged.evidence(of: "TOM-1"))
            farm.set { state in state.answers = { $0.path.hasSuffix("/passport") ? .json(answer) : nil } }
            #expect(
                await code { _ = try await client.story(of: try label(farm, "TOM-1")) } == "story-of-something-else")
        }
    }

    @Test func `a story from a log that was shortened or rewritten is rejected`() async throws {
        try await withClient { farm, client, _ in
            try issue(farm, "A-0", "TOM-1", "A-2", "A-3")
            let link = try label(farm, "TOM-1")
            _ = try await client.story(of: link)
            let honest = farm.log
            var shorter = honest
            shorter.forget(1)
            var rewritten = honest
            rewritten.forget(2)
            try rewritten.issue("B-2")
            try rewritten.issue("B-3")
            try rewritten.issue("B-4")
            for (log, expected) in [(shorter, "log-shorter"), (rewritten, "log-rewritten")] {
                farm.set { $0.log = log }
                #expect(await code { _ = try await client.story(of: link) } == expected)
            }
            // A server that does not prove consistency is rejected, too.
            farm.set { state in state.answers = { $0.path.hasSuffix("/passport") ? .json("{}", 422) : nil } }
            #expect(await code { _ = try await client.story(of: link) } == "log-rewritten")
            farm.set { state in
                state.answers = nil
                state.log = honest
            }
            try issue(farm, "TOM-1")
            _ = try await client.story(of: link)
            // The story before the last one, in a log of the correct length.
            var older = farm.log
            try older.issue("TOM-1")
            let newest = older
            farm.set { $0.log = newest }
            _ = try await client.story(of: link)
            let stale = try #require(farm.log.evidenceOfFirst("TOM-1"))
            farm.set { state in state.answers = { $0.path.hasSuffix("/passport") ? .json(stale) : nil } }
            #expect(await code { _ = try await client.story(of: link) } == "story-older")
        }
    }

    @Test func `changed keys are rejected, and a revocation is permanent`() async throws {
        try await withClient { farm, client, _ in
            try issue(farm, "TOM-1")
            let link = try label(farm, "TOM-1")
            _ = try await client.story(of: link)
            let honest = farm.log
            var other = SignedLog()
            try other.issue("TOM-1")
            let foreign = other
            farm.set { $0.log = foreign }
            #expect(await code { _ = try await client.story(of: link) } == "keys-changed")
            farm.set { state in
                state.log = honest
                state.log.revoked = "lost"
            }
            #expect(await code { _ = try await client.story(of: link) } == "label-key-revoked")
            farm.set { $0.log = honest }
            #expect(await code { _ = try await client.story(of: link) } == "label-key-revoked")
            farm.set { state in state.answers = { $0.path == "/ledger/keys" ? .json(#"{"hub":""}"#) : nil } }
            #expect(await code { _ = try await client.story(of: link) } == "keys-malformed")
        }
    }

    @Test func `a longer concurrent visit does not overwrite what another one has stored`() async throws {
        try await withClient { farm, client, _ in
            try issue(farm, "TOM-1", "TOM-2")
            let (slow, fast) = (try label(farm, "TOM-1"), try label(farm, "TOM-2"))
            _ = try await client.story(of: slow)
            farm.set { state in state.holds = { $0.path.hasSuffix("TOM-1/passport") } }
            let before = farm.requests.count
            async let late = client.story(of: slow)
            while farm.requests.count < before + 2 { await Task.yield() }
            try issue(farm, "TOM-3")
            farm.set { $0.log.revoked = "lost" }
            #expect(await code { _ = try await client.story(of: fast) } == "label-key-revoked")
            farm.release()
            _ = try await late
            farm.set { $0.log.revoked = nil }
            #expect(await code { _ = try await client.story(of: slow) } == "label-key-revoked")
        }
    }

    @Test func `a link without a signature is accepted for this farm only`() async throws {
        try await withClient { farm, client, _ in
            try issue(farm, "TOM-1")
            let path = "/01/\(SignedLog.gtin)/10/TOM-1"
            #expect(try await client.story(of: farm.url + path).isLabelSigned == false)
            #expect(await code { _ = try await client.story(of: "https://other.example" + path) } == "misuse")
            #expect(farm.requests.count == 2)
        }
    }

    @Test func `a story that is not ready yet is requested again`() async throws {
        try await withClient { farm, client, _ in
            try issue(farm, "TOM-1")
            let link = try label(farm, "TOM-1")
            farm.set { state in
                state.answers = { $0.path == "/ledger/keys" ? HTTPResponse(status: 503) : nil }
            }
            async let story = client.story(of: link)
            while farm.requests.isEmpty { await Task.yield() }
            farm.set { $0.answers = nil }
            #expect(try await story.lot == "TOM-1")
        }
    }

    // MARK: Alterations

    private static func members(_ text: String) throws -> [(String, JSONAny)] {
        guard case .object(let members) = try JSONAny(json: JSONValue.parse(text)) else { return [] }
        return members
    }

    private static func text(_ members: [(String, JSONAny)]) -> String {
        var json = JSONWriter()
        JSONAny.object(members).write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func changing(_ text: String, _ name: String, _ change: (JSONAny) throws -> JSONAny) throws -> String
    {
        Self.text(try members(text).map { ($0.0, $0.0 == name ? try change($0.1) : $0.1) })
    }

    /// Returns base64 bytes with one bit flipped.
    private static func bend(_ text: String, _ name: String) throws -> String {
        try changing(text, name) { value in
            guard case .string(let said) = value, var bytes = BaseEncoding.base64.decode(said) else { return .null }
            bytes[bytes.count / 2] ^= 1
            return .string(BaseEncoding.base64.encode(bytes))
        }
    }

    private static func without(_ text: String, _ name: String) throws -> String {
        try changing(text, name) { _ in .array([]) }
    }

    private static func bendCheckpoint(_ text: String) throws -> String {
        try changing(text, "checkpoint") { value in
            guard case .string(let note) = value else { return .null }
            return .string(note.replacing("\n5\n", with: "\n4\n"))
        }
    }

    /// Returns the checkpoint as another farm signs it.
    private static func checkpoint(of log: SignedLog, in text: String) throws -> String {
        try changing(text, "checkpoint") { value in
            guard case .string(let note) = value, let end = note.firstRange(of: "\n\n"),
                let signed = log.signed(String(note[..<end.lowerBound]) + "\n")
            else { return .null }
            return .string(signed)
        }
    }
}

extension SignedLog {
    /// Returns the oldest story of a lot, proven against the newest checkpoint.
    func evidenceOfFirst(_ lot: String) -> String? {
        guard let newest = evidence(of: lot, since: UInt64(entries.count)),
            let index = entries.firstIndex(where: { $0.lot == lot })
        else { return nil }
        var renamed = self
        renamed.rename(from: index + 1, "\(lot)-later")
        return newest.isEmpty ? nil : renamed.evidence(of: lot, since: UInt64(entries.count))
    }
}

@Suite("Label links")
struct LabelTextTests {
    @Test func `a label link is read in either case, as a whole or as its path`() throws {
        let code = BaseEncoding.base32.encode([UInt8](repeating: 7, count: 64))
        let path = "/S1K001\(code)/01/\(SignedLog.gtin)/10/TOM-1A"
        let readings = [
            path, path.lowercased(), "https://farm.example\(path)", "HTTPS://FARM.EXAMPLE\(path)/", "\(path)?a=b#c",
        ]
        let labels = try readings.map { try LabelText($0) }
        #expect(
            Set(labels.map(\.lot)) == ["TOM-1A"] && labels.allSatisfy { $0.signed?.kid == "K001" && $0.serial == nil })
        #expect(try LabelText("\(path)/21/X9").serial == "X9")
        #expect(try LabelText("/01/\(SignedLog.gtin)/10/TOM-1A").signed == nil)
    }

    @Test func `a text that is no complete label link is refused`() {
        let gtin = "\(SignedLog.gtin)"
        let code = BaseEncoding.base32.encode([UInt8](repeating: 7, count: 64))
        let wrong = gtin.dropLast() + (gtin.last == "0" ? "1" : "0")
        let others = [
            "", "/", "https://farm.example", "/01/\(gtin)", "/01/\(gtin)/10/", "/01/\(wrong)/10/A",
            "/01/\(gtin.dropFirst())/10/A", "/01/\(gtin)/10/\(String(repeating: "A", count: 21))", "/01/\(gtin)/10/A B",
            "/01/\(gtin)/10/Ä", "/01/\(gtin)/10/B\u{301}", "/01/\(gtin)/10/A/21/", "/01/\(gtin)/10/A/21/B-C",
            "/01/\(gtin)/10/A/22/B",
            "/S1K001/01/\(gtin)/10/A", "/S1K0\(code)/01/\(gtin)/10/A", "/S1K001\(code)A/01/\(gtin)/10/A",
            "/S1K001\(code.dropLast())1/01/\(gtin)/10/A", "/S1K001\(code)/10/A/01/\(gtin)", "/10/A/01/\(gtin)",
        ]
        var refused = 0
        for other in others {
            #expect(throws: VerificationFailure.labelMalformed, "\(other)") { _ = try LabelText(other) }
            refused += 1
        }
        print("\(refused) addresses that are no label")
        #expect(refused >= 20)
    }
}
