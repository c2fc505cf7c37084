import EventSourcing
import Host
import JSON
import Vocabulary
import Wire

/// A batch of adverts on its way: divided by device among slots, answered when all have answered.
struct Batch {
    let web: WebRequest
    private var answers: [Response?]

    init(_ web: WebRequest, parts: Int) {
        self.web = web
        answers = Array(repeating: nil, count: parts)
    }

    mutating func take(_ answer: Response, for part: Int) {
        answers[part] = answer
    }

    /// The parts' answers as one, when all are there: lists one after the other, numbers added up. A refusal of one
    /// part is the answer to the whole: its repetition would be refused again.
    var answer: Response? {
        let given = answers.compactMap(\.self)
        guard given.count == answers.count else { return nil }
        if let refused = given.first(where: { $0.status >= 400 }) { return refused }
        if given.count == 1 { return given[0] }
        do throws(JSONError) {
            return .made(given[0].status, try Self.merged(given).write)
        } catch {
            return Problem(502, "unreadable-answer", "sensor-ingest answered in a way nobody understands.").answer
        }
    }

    private struct Merged {
        var members: [(name: String, value: JSONAny)] = []

        mutating func add(_ name: String, _ value: JSONAny) {
            guard let index = members.firstIndex(where: { $0.name == name }) else {
                members.append((name, value))
                return
            }
            switch (members[index].value, value) {
            case (.array(let left), .array(let right)): members[index].value = .array(left + right)
            case (.integer(let left), .integer(let right)): members[index].value = .integer(left &+ right)
            default: break
            }
        }

        func write(_ json: inout JSONWriter) {
            for (name, value) in members { json.field(name, value) }
        }
    }

    private static func merged(_ answers: [Response]) throws(JSONError) -> Merged {
        var merged = Merged()
        for answer in answers {
            guard let members = try JSONValue.parse(answer.body).object else { throw JSONError(message: "no object") }
            for (name, value) in members { merged.add(name, try JSONAny(json: value)) }
        }
        return merged
    }
}

extension Batch {
    /// What each slot gets: all adverts of a device go to one slot, so that each sees its repetitions.
    ///
    /// Everything is checked before anything is sent: a batch is taken as a whole or not at all.
    ///
    /// - Parameter source: who sent it, whatever the batch says; nil where it may say so itself.
    static func divide(
        _ body: RequestBody, among slots: [Int], source named: String? = nil
    ) throws(Problem) -> [(slot: Int, body: [UInt8])] {
        let adverts: [JSONValue] = try body.get("adverts")
        guard adverts.count <= GatewayLimits.adverts else {
            throw Problem(413, "too-many", "Send \(GatewayLimits.adverts) adverts at most in one batch.")
        }
        var parts: [Int: [JSONAny]] = [:]
        for advert in adverts {
            do {
                let device = try device(of: advert)
                let slot = slots[Int(hash(device) % UInt64(slots.count))]
                parts[slot, default: []].append(try JSONAny(json: advert))
            } catch {
                throw .malformed(error)
            }
        }
        if parts.isEmpty { parts[slots[0]] = [] }
        let said = try body.optionalText("source")
        let source = named ?? said
        return parts.sorted { $0.key < $1.key }.map { slot, adverts in
            var json = JSONWriter()
            json.object { json in
                json.field("adverts", JSONAny.array(adverts))
                json.field("source", ifPresent: source)
            }
            return (slot, json.bytes)
        }
    }

    private static func device(of advert: JSONValue) throws(JSONError) -> String {
        let address = try advert.get("address", as: String.self).replacing(":", with: "").lowercased()
        guard address.utf8.count == 12, Hex.decode(address) != nil else {
            throw JSONError(message: "expected six bytes in hexadecimal", path: "address")
        }
        guard let data = Hex.decode(try advert.get("hex")), data.count <= GatewayLimits.advertBytes else {
            throw JSONError(message: "expected up to \(GatewayLimits.advertBytes) bytes in hexadecimal", path: "hex")
        }
        _ = try advert.find("rssi", as: Int.self)
        _ = try advert.find("at", as: Instant.self)
        return address
    }

    /// FNV-1a, 64 bits: the same on every machine and in every run.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
