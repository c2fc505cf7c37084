import EventSourcing
import JSON
import System
import Vocabulary
import ZeroMQ

/// `furrow parked`: events that a service received and could not apply.
///
/// They stay parked until they are retried, for example by a newer build, or skipped for a reason. Later events of the
/// same stream wait behind each.
struct ParkedEvents {
    private enum Order: String {
        case list, show, retry, skip
    }

    private let farmPaths: FarmPaths
    private let order: Order
    private let isJSON: Bool
    private let reason: String?
    /// Whether to retry every event that blocks a stream.
    private let isAll: Bool
    /// The service that parked the event, its feed and position; nil for all.
    private let place: (origin: Origin, feed: String, position: Position)?
    private let context: Context

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        reason = try arguments.value("--reason")
        guard let order = Order(rawValue: arguments.word() ?? "list") else {
            throw Refusal("The commands are: furrow parked list|show|retry|skip", isMisuse: true)
        }
        self.order = order
        isAll = arguments.flag("--all")
        guard !isAll || order == .retry else { throw Refusal("--all belongs to retry.", isMisuse: true) }
        if order == .list || isAll {
            place = nil
        } else {
            guard let origin = Origin(arguments.word() ?? ""), let feed = arguments.word(),
                let position = arguments.word().flatMap({ Position($0) })
            else {
                throw Refusal("Name it: furrow parked \(order.rawValue) sync-gateway/farm-0 hub 17", isMisuse: true)
            }
            place = (origin, feed, position)
        }
        guard order != .skip || reason?.isEmpty == false else {
            throw Refusal("skip needs a reason, which is recorded: --reason TEXT.", isMisuse: true)
        }
        guard order == .skip || reason == nil else { throw Refusal("--reason belongs to skip.", isMisuse: true) }
        try arguments.end()
        context = try Context()
    }

    /// Returns 1 if the request was rejected.
    func run() throws -> Int32 {
        guard let place else { return isAll ? try retryAll() : try list() }
        let answer = try ask(place.origin, place.feed, place.position)
        let json = try JSONValue.parse(answer.body)
        guard answer.status == 200 else {
            Terminal.complain(try json.find("detail") ?? "\(answer.status)")
            return 1
        }
        if isJSON {
            Terminal.put(answer.body + [10])
        } else if order == .show {
            Terminal.say("\(place.feed) at \(place.position): \(try json.get("reason", as: String.self))")
            Terminal.say(Self.sentence(json))
            Terminal.say(try json.get("event"))
        } else {
            Terminal.say("\(place.feed) at \(place.position): \(try json.get("outcome", as: String.self))")
        }
        return 0
    }

    private func ask(_ origin: Origin, _ feed: String, _ position: Position) throws -> Response {
        var body = JSONWriter()
        body.object { json in
            json.field("feed", feed)
            json.field("position", position)
            json.field("reason", ifPresent: reason)
        }
        return try Console.ask(
            origin.service, order == .show ? "host.parked" : "host.resolve", farmPaths, context, body: body.bytes,
            slot: origin.slot)
    }

    /// Retries every event that blocks a stream. Returns 1 if one of them still cannot be applied.
    private func retryAll() throws -> Int32 {
        var (applied, left) = (0, 0)
        let (found, missing) = try found()
        for (origin, item) in found where Self.text("behind", item).isEmpty {
            guard let position = Position(Self.text("position", item)) else { continue }
            if try ask(origin, Self.text("feed", item), position).status == 200 { applied += 1 } else { left += 1 }
        }
        if isJSON {
            var json = JSONWriter()
            json.object { json in
                json.field("applied", applied)
                json.field("left", left)
                json.field("missing", missing)
            }
            Terminal.put(json.bytes + [10])
        } else {
            Terminal.say("\(applied) are applied, and the events behind them follow; \(left) still cannot be applied.")
        }
        return Self.tell(missing) ?? (left == 0 ? 0 : 1)
    }

    /// Returns all parked events, and the services that could not be reached.
    private func found() throws -> (items: [(origin: Origin, item: JSONAny)], missing: [String]) {
        var found: [(origin: Origin, item: JSONAny)] = []
        let connections = try ServiceConnections(farmPaths, context)
        let (live, missing) = try connections.origins()
        for origin in live.sorted() {
            var after = ""
            while true {
                let answer = try Console.ask(
                    connections.requestClient(of: origin.service, slot: origin.slot), origin.service, "host.parked",
                    body: Array("{\"after\":\"\(after)\"}".utf8), seconds: 10)
                let page = try JSONValue.parse(answer.body)
                for item in page["items"]?.array.map({ Array($0) }) ?? [] { found.append((origin, try item.read())) }
                guard let next = try page.find("next", as: String.self) else { break }
                after = next
            }
        }
        return (found, missing)
    }

    /// Returns 3 if a service could not be reached, because its parked events are unknown.
    private static func tell(_ missing: [String]) -> Int32? {
        for one in missing { Terminal.complain("Not reached: \(one).") }
        return missing.isEmpty ? nil : 3
    }

    private func list() throws -> Int32 {
        let (found, missing) = try found()
        if isJSON {
            var json = JSONWriter()
            json.object { json in
                json.field(
                    "items",
                    array: { json in
                        for (origin, item) in found {
                            guard case .object(let members) = item else { continue }
                            json.object { json in
                                json.field("origin", origin)
                                for (name, value) in members { json.field(name, value) }
                            }
                        }
                    })
                json.field("missing", missing)
            }
            Terminal.put(json.bytes + [10])
        } else if found.isEmpty, missing.isEmpty {
            Terminal.say("No event is parked: every received event is applied.")
        } else {
            // An event behind another one follows it: no decision on it is needed.
            for (origin, item) in found where Self.text("behind", item).isEmpty {
                let words = ["feed", "position", "stream", "reason"].map { Self.text($0, item) }
                let waiting = Self.text("waiting", item)
                let behind = ["", "0"].contains(waiting) ? "" : "  (\(waiting) wait behind it)"
                Terminal.say("\(origin)  \(words.filter { !$0.isEmpty }.joined(separator: "  "))\(behind)")
            }
        }
        return Self.tell(missing) ?? 0
    }

    private static func sentence(_ item: JSONValue) -> String {
        guard let stream = item.text("stream") else { return "Its stream cannot be read; nothing waits behind it." }
        if let first = item.number("behind") { return "It belongs to \(stream) and waits behind \(first)." }
        return "It belongs to \(stream); \(item.number("waiting") ?? 0) later events of that wait behind it."
    }

    private static func text(_ name: String, _ item: JSONAny) -> String {
        guard case .object(let members) = item else { return "" }
        switch members.first(where: { $0.0 == name })?.1 {
        case .string(let text): return text
        case .integer(let number): return String(number)
        default: return ""
        }
    }
}
