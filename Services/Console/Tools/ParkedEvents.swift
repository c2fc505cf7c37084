import EventSourcing
import JSON
import System
import Vocabulary
import ZeroMQ

/// `furrow parked`: events that a service heard and could not apply. They wait where they are: to be tried again, by a
/// newer build for example, or to be left out for a reason.
struct ParkedEvents {
    private enum Order: String {
        case list, show, retry, skip
    }

    private let premises: Premises
    private let order: Order
    private let isJSON: Bool
    private let reason: String?
    /// Whose, of which feed, and where; nil for all.
    private let place: (origin: Origin, feed: String, position: Position)?
    private let context: Context

    init(_ arguments: inout Arguments) throws {
        premises = try Premises(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        reason = try arguments.value("--reason")
        guard let order = Order(rawValue: arguments.word() ?? "list") else {
            throw Refusal("Say what: furrow parked list|show|retry|skip", isMisuse: true)
        }
        self.order = order
        if order == .list {
            place = nil
        } else {
            guard let origin = Origin(arguments.word() ?? ""), let feed = arguments.word(),
                let position = arguments.word().flatMap({ Position($0) })
            else {
                throw Refusal("Say which: furrow parked \(order.rawValue) sync-gateway/farm-0 hub 17", isMisuse: true)
            }
            place = (origin, feed, position)
        }
        guard order != .skip || reason?.isEmpty == false else {
            throw Refusal("Say why it is left out for good: --reason TEXT. It is written down.", isMisuse: true)
        }
        guard order == .skip || reason == nil else { throw Refusal("--reason belongs to skip.") }
        try arguments.end()
        context = try Context()
    }

    /// 1 if what was asked for could not be done.
    func run() throws -> Int32 {
        guard let place else { return try list() }
        var body = JSONWriter()
        body.object { json in
            json.field("feed", place.feed)
            json.field("position", place.position)
            json.field("reason", ifPresent: reason)
        }
        let answer = try Console.ask(
            place.origin.service, order == .show ? "host.parked" : "host.resolve", premises, context, body: body.bytes,
            slot: place.origin.slot)
        let json = try JSONValue.parse(answer.body)
        guard answer.status == 200 else {
            Terminal.complain(try json.find("detail") ?? "\(answer.status)")
            return 1
        }
        if isJSON {
            Terminal.put(answer.body + [10])
        } else if order == .show {
            Terminal.say("\(place.feed) at \(place.position): \(try json.get("reason", as: String.self))")
            Terminal.say(try json.get("event"))
        } else {
            Terminal.say("\(place.feed) at \(place.position): \(try json.get("outcome", as: String.self))")
        }
        return 0
    }

    private func list() throws -> Int32 {
        var found: [(origin: Origin, item: JSONAny)] = []
        let neighbours = try Neighbours(premises, context)
        for origin in try neighbours.origins().live.sorted() {
            var after = ""
            while true {
                let answer = try Console.ask(
                    neighbours.asker(of: origin.service, slot: origin.slot), origin.service, "host.parked",
                    body: Array("{\"after\":\"\(after)\"}".utf8), seconds: 10)
                let page = try JSONValue.parse(answer.body)
                for item in page["items"]?.array.map({ Array($0) }) ?? [] { found.append((origin, try item.read())) }
                guard let next = try page.find("next", as: String.self) else { break }
                after = next
            }
        }
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
            }
            Terminal.put(json.bytes + [10])
        } else if found.isEmpty {
            Terminal.say("Nothing waits: every event that was heard is applied.")
        } else {
            for (origin, item) in found { Terminal.say("\(origin)  \(Self.line(item))") }
        }
        return 0
    }

    private static func line(_ item: JSONAny) -> String {
        guard case .object(let members) = item else { return "" }
        let texts = ["feed", "position", "reason"].map { name in
            switch members.first(where: { $0.0 == name }).map(\.1) {
            case .string(let text): text
            case .integer(let number): String(number)
            default: ""
            }
        }
        return texts.joined(separator: "  ")
    }
}
