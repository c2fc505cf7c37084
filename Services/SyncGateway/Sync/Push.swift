import EventSourcing
import Events
import HTTP
import Host
import JSON
import Vocabulary
import Wire

/// Handles the changes that clients made offline.
extension SyncGateway {
    mutating func push(_ call: RequestContext) throws(Problem) -> [Effect] {
        let parts = try Push.parts(
            of: try call.body(), key: call.key ?? "", actor: call.actor, trace: call.web.trace)
        guard pendingCalls.count + proofs.count + parts.count <= GatewayLimits.pendingCalls else { throw .busy }
        let id = call.web.id
        let push = Push(call.web, parts)
        var effects: [Effect] = []
        for (number, part) in parts.enumerated() {
            guard case .send(let command) = part.step else { continue }
            effects += try begin(.pushed(push: id, number: number)) { token in
                command.outgoing(token, seconds: GatewayLimits.commandSeconds)
            }
        }
        guard let response = push.response else {
            pushes[id] = push
            return effects
        }
        return [respond(call.web, response)]
    }

    /// Records another service's response to one of the changes.
    mutating func pushed(_ id: UInt64, _ number: Int, _ outcome: RequestOutcome) -> [Effect] {
        guard var push = pushes[id] else { return [] }
        push.take(outcome, for: number) { recent.remember($0) }
        pushes[id] = push
        guard let response = push.response else { return [] }
        pushes[id] = nil
        return [respond(push.web, response)]
    }
}

/// The pushed changes of one request. Each is a command of its own; one response reports all outcomes.
struct Push {
    enum Step {
        case send(Forwarded)
        case done(Response)
    }

    struct Part {
        let table: String
        let id: String
        var step: Step
    }

    let web: WebRequest
    private var parts: [Part]

    init(_ web: WebRequest, _ parts: [Part]) {
        self.web = web
        self.parts = parts
    }

    mutating func take(_ outcome: RequestOutcome, for number: Int, remember: (Forwarded) -> Void) {
        switch outcome {
        case .answer(let answer): parts[number].step = .done(answer)
        case .unknown:
            guard case .send(let command) = parts[number].step else { return }
            remember(command)
            parts[number].step = .done(Response.made(202) { $0.field("command", command.key) })
        }
    }

    /// The response once every part has an outcome. Refused changes are also listed in the form that WatermelonDB
    /// expects.
    var response: HTTPResponse? {
        var done: [(part: Part, answer: Response)] = []
        for part in parts {
            guard case .done(let answer) = part.step else { return nil }
            done.append((part, answer))
        }
        return .made { json in
            json.field(
                "results",
                array: { json in
                    for (part, answer) in done {
                        json.element(object: { json in
                            json.field("table", part.table)
                            json.field("id", part.id)
                            json.field("status", answer.status)
                            json.field("answer", raw: answer.body.isEmpty ? Array("{}".utf8) : answer.body)
                        })
                    }
                })
            json.field(
                "experimentalRejectedIds",
                object: { json in
                    let refused = done.filter { (400..<500).contains($0.answer.status) && !$0.answer.isFailure }
                    for table in Set(refused.map(\.part.table)).sorted() {
                        json.field(table, refused.filter { $0.part.table == table }.map(\.part.id))
                    }
                })
        }
    }
}

extension Push {
    /// Returns the changes in the order of the tables and their lists. Throws if any is malformed; everything is
    /// checked before anything is sent.
    static func parts(
        of body: RequestBody, key: String, actor: Actor, trace: TraceParent? = nil
    ) throws(Problem) -> [Part] {
        let changes: JSONValue = try body.get("changes")
        guard let tables = changes.object else { throw Problem(400, "malformed", "changes: expected an object.") }
        var parts: [Part] = []
        do throws(JSONError) {
            for (table, lists) in tables {
                for kind in ["created", "updated", "deleted"] {
                    for record in try lists.find(kind, as: [JSONValue].self) ?? [] {
                        parts.append(try part(table, kind, record, key: key, actor: actor, trace: trace))
                    }
                }
            }
        } catch {
            throw .malformed(error)
        }
        guard parts.count <= GatewayLimits.pushed else {
            throw Problem(413, "too-many", "Send \(GatewayLimits.pushed) changes at most at once.")
        }
        return parts
    }

    private static func part(
        _ table: String, _ kind: String, _ record: JSONValue, key: String, actor: Actor, trace: TraceParent?
    ) throws(JSONError) -> Part {
        let id: String = kind == "deleted" ? try record.string() : try record.get("id")
        func forward(_ name: MarketCommandName, _ key: String, _ members: [(String, JSONAny)]) -> Part {
            var json = JSONWriter()
            JSONAny.object(members).write(to: &json)
            let command = Forwarded(
                .market(name), body: json.bytes, actor: actor, key: key, trace: trace)
            return Part(table: table, id: id, step: .send(command))
        }
        switch (table, kind) {
        case ("orders", "created"):
            // The record's id names the order until the market assigns one, so a repeated push creates the same order.
            return forward(.placeOrder, "sync|\(id)", try members(["lines", "pickup", "payment"], of: record))
        case ("orders", "updated"):
            return forward(
                .changeOrder, "\(key)|\(id)",
                [("order", .string(id))] + (try members(["lines", "pickup"], of: record)))
        case ("orders", "deleted"):
            return forward(.cancelOrder, "\(key)|\(id)", [("order", .string(id))])
        case ("favourites", _):
            let halves = id.split(separator: ".", maxSplits: 1)
            guard halves.count == 2 else {
                let refusal = Problem(422, "no-favourite", "\(id): expected farm.NAME or product.NAME.")
                return Part(table: table, id: id, step: .done(refusal.answer))
            }
            let name: MarketCommandName = kind == "deleted" ? .unsetFavourite : .setFavourite
            return forward(
                name, "\(key)|\(id)", [("kind", .string(String(halves[0]))), ("name", .string(String(halves[1])))])
        case ("showings", "created"):
            return forward(
                .showPromotion, "\(key)|\(id)",
                [("promotion", .string(id))] + (try members(["heldBack"], of: record)))
        default:
            let refusal = Problem(403, "read-only", "Records of \(table.prefix(40)) are not changed this way.")
            return Part(table: table, id: id, step: .done(refusal.answer))
        }
    }

    private static func members(_ names: [String], of record: JSONValue) throws(JSONError) -> [(String, JSONAny)] {
        var members: [(String, JSONAny)] = []
        for name in names {
            if let value = try record.find(name, as: JSONAny.self) { members.append((name, value)) }
        }
        return members
    }
}
