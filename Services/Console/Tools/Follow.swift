import EventSourcing
import JSON
import System
import Vocabulary
import ZeroMQ

/// `furrow follow accept ORIGIN`: makes the ledger resume a journal that was restored from an older copy.
///
/// The ledger continues after the last entry that the journal and the hub have in common.
struct Follow {
    private let farmPaths: FarmPaths
    private let origin: Origin
    private let isJSON: Bool
    private let context: Context

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        guard arguments.word() == "accept", let feed = arguments.word() else {
            throw Refusal("The command is: furrow follow accept sensor-ingest/farm-0", isMisuse: true)
        }
        guard let origin = Origin(feed) else {
            throw Refusal("\(feed) is no origin: expected service/site-slot.", isMisuse: true)
        }
        self.origin = origin
        try arguments.end()
        context = try Context()
    }

    /// Returns 1 if there is nothing to accept, or if the journals have nothing in common.
    func run() throws -> Int32 {
        let standing = try ledger("host.followed", "{\"feed\":\"\(origin)\"}")
        guard try standing.get("stopped", as: Bool.self) else {
            return no(
                try standing.get("connected", as: Bool.self)
                    ? "\(origin) is followed as it is; there is nothing to accept."
                    : "\(origin) is not running. Start it, and try again.")
        }
        let mirrored: Position = try standing.get("position")
        let head: Position = try own("host.head", "{}").get("position")
        let kept = try lastCommon(min(mirrored, head))
        guard kept > 0, let hash = try hash(at: kept, of: ledger, feed: true) else {
            return no(
                "The journal of \(origin) has nothing in common with the hub's copy of it: it is another one.")
        }
        if !isJSON { offer(kept: kept, head: head, mirrored: mirrored) }
        let accepted = try ledger(
            "host.accept", "{\"feed\":\"\(origin)\",\"position\":\(kept),\"hash\":\"\(hash)\"}")
        let left: Int = try accepted.get("left")
        if isJSON {
            var json = JSONWriter()
            json.object { json in
                json.field("ok", true)
                json.field("origin", origin)
                json.field("keptTo", kept)
                json.field("left", left)
                json.field("fresh", head - kept)
            }
            Terminal.put(json.bytes + [10])
        } else {
            Terminal.say(
                "\(origin) is followed again from \(kept) on; the ledger has recorded that you accepted it.")
        }
        return 0
    }

    private func offer(kept: Position, head: Position, mirrored: Position) {
        Terminal.say(
            "The hub has \(mirrored) events of \(origin); its journal agrees with them up to \(kept) and has "
                + "\(head - kept) others after that.")
        guard mirrored > kept else { return }
        Terminal.say(
            "\(mirrored - kept) events of the hub are no longer in the journal. They stay in the hub: "
                + "furrow replay --origin hub shows them.")
    }

    private func no(_ sentence: String) -> Int32 {
        if isJSON {
            var json = JSONWriter()
            json.object { json in
                json.field("ok", false)
                json.field("origin", origin)
                json.field("problem", sentence)
            }
            Terminal.put(json.bytes + [10])
        } else {
            Terminal.complain(sentence)
        }
        return 1
    }

    /// Returns the last position at which both chains are equal, by binary search: chains that differ stay different.
    private func lastCommon(_ most: Position) throws -> Position {
        var (low, high) = (Position(0), most)
        while low < high {
            let middle = high - (high - low) / 2
            let theirs = try hash(at: middle, of: own, feed: false)
            if try theirs != nil && hash(at: middle, of: ledger, feed: true) == theirs {
                low = middle
            } else {
                high = middle - 1
            }
        }
        return low
    }

    private func hash(
        at position: Position, of service: (String, String) throws -> JSONValue, feed: Bool
    ) throws -> String? {
        let name = feed ? "\"feed\":\"\(origin)\"," : ""
        return try service("host.hash", "{\(name)\"position\":\(position)}").find("hash")
    }

    private func ledger(_ verb: String, _ body: String) throws -> JSONValue {
        try ask("trace-ledger", 0, verb, body)
    }

    private func own(_ verb: String, _ body: String) throws -> JSONValue {
        try ask(origin.service, origin.slot, verb, body)
    }

    private func ask(_ service: String, _ slot: Int, _ verb: String, _ body: String) throws -> JSONValue {
        let answer = try Console.ask(
            service, verb, farmPaths, context, body: Array(body.utf8), slot: slot, seconds: 30)
        let json = try JSONValue.parse(answer.body)
        guard answer.status == 200 else { throw Refusal(try json.find("detail") ?? "\(service): \(answer.status)") }
        return json
    }
}
