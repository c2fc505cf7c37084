import EventSourcing
import Host
import JSON
import Vocabulary
import Wire

/// A batch of adverts that is being forwarded: divided by device among slots, complete once every slot has responded.
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

    /// The merged response once all parts have responded: lists are concatenated, numbers added. If one part is
    /// refused, its refusal is the response to the whole batch; a repetition would be refused again.
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
    /// Divides a batch among slots. All adverts of a device go to one slot, so that it recognises repetitions.
    ///
    /// Throws if any advert is malformed. Everything is checked before anything is sent: a batch is accepted as a whole
    /// or not at all.
    ///
    /// - Parameter named: the source, which overrides the one in the body; nil if the body may name it.
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

    /// Returns the 64-bit FNV-1a hash, which is the same on every machine and in every run.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
