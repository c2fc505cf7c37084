import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@testable import FarmClient

/// Responses with one to three mutations: they never crash the client, and only content signed by the farm is accepted.
@Suite("Mutated responses")
struct BentAnswerTests {
    private static let rounds = 20_000

    private func mutated(_ sound: String, _ random: inout SplitMix64) -> String {
        var bytes = Array(sound.utf8)
        let values = [
            "null", "-1", "18446744073709551615", "9223372036854775807", "1e400", "\"\"", "[]", "{}", "\"é\"",
        ]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<7, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(bytes[place], at: place)
            case 3: bytes[place] = UInt8.random(in: 0x20...0x7E, using: &random)
            default:
                guard let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")),
                    let end = bytes[colon...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") })
                else { continue }
                let value = values[Int.random(in: values.indices, using: &random)]
                bytes.replaceSubrange((colon + 1)..<end, with: Array(value.utf8))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a mutated story is accepted only if its signed content is unchanged`() throws {
        var log = SignedLog()
        for lot in ["A-0", "TOM-1", "A-2", "A-3", "A-4"] { try log.issue(lot) }
        let sound = try #require(log.evidence(of: "TOM-1", since: 3))
        let label = try LabelText(try log.label("TOM-1"))
        let ring = try HubKeys(JSONValue.parse(log.keys))
        let (passport, remembered) = try signed(sound, label, ring)
        var random = SplitMix64(seed: 7)
        var (believed, refused, unread) = (0, [String: Int](), 0)
        for _ in 0..<Self.rounds {
            let answer = mutated(sound, &random)
            guard let json = read(answer, { $0 }) else {
                unread += 1
                continue
            }
            do throws(VerificationFailure) {
                let verified = try Evidence(json).verify(label, ring, remembered: remembered, seenIndex: 0)
                #expect(verified.passport == passport, "\(answer)")
                believed += 1
            } catch {
                refused[error.rawValue, default: 0] += 1
            }
        }
        print("\(Self.rounds) mutated stories: \(unread) no JSON, \(believed) still verified, refused \(refused)")
        #expect(refused.count >= 6 && refused.values.reduce(0, +) > Self.rounds / 2)
    }

    private func signed(
        _ sound: String, _ label: LabelText, _ ring: HubKeys
    ) throws -> (JSONAny, SeenCheckpoint) {
        let verified = try Evidence(JSONValue.parse(sound)).verify(label, ring, remembered: nil, seenIndex: nil)
        let head = verified.checkpoint
        return (verified.passport, SeenCheckpoint(size: head.size, root: head.root, seen: Instant(microseconds: 0)))
    }

    @Test func `a mutated response of any other kind never crashes, and what is read is stored unchanged`() throws {
        let log = SignedLog()
        let news = #"""
            {"changes":{"farms":{"created":[{"id":"f1","title":"F"}],"deleted":["f2"]},"offers":{"updated":[{"id":"o1","product":"p","lot":"L","price":{"minor":1}}]}},"timestamp":7,"epoch":"e.2","scope":"public","replace":false,"more":false,"payments":["at-pickup"],"me":{"person":"p","name":"Ann","email":"a@b.test","role":"buyer"}}
            """#
        let link = try log.label("TOM-1", serial: "BOX1")
        var random = SplitMix64(seed: 11)
        var counts = ["news": 0, "keys": 0, "labels": 0]
        for _ in 0..<Self.rounds {
            if let json = read(mutated(news, &random), { $0 }),
                let pulled = read(json, { json throws(JSONError) in try Pulled(json, at: 5) })
            {
                counts["news", default: 0] += 1
                #expect(read(pulled.mark.json) { json throws(JSONError) in try Pulled.Mark(json) } == pulled.mark)
                _ = pulled.changes.count(where: \.isWhole)
            }
            if let json = read(mutated(log.keys, &random), { $0 }) {
                do throws(VerificationFailure) {
                    let ring = try HubKeys(json)
                    counts["keys", default: 0] += 1
                    guard let kept = read(ring.json, { $0 }) else { throw .keysMalformed }
                    let again = try HubKeys(kept)
                    #expect(again == ring)
                } catch { #expect(error == .keysMalformed) }
            }
            do throws(VerificationFailure) {
                let label = try LabelText(mutated(link, &random))
                counts["labels", default: 0] += 1
                #expect(!label.text("K001").isEmpty)
            } catch { #expect(error == .labelMalformed) }
        }
        print("\(Self.rounds) mutated responses of each kind, still readable: \(counts)")
        #expect(counts.values.allSatisfy { $0 > 100 })
    }
}
