import FarmClient
import Glibc
import JSON
import Vocabulary

// buyer SERVER FOLDER COMMAND …: a minimal app on FarmClient; runs one command and prints its result as JSON.
//   sign-up NAME EMAIL PASSWORD · sign-in EMAIL PASSWORD · sign-out · me · sync · news · apply · list TABLE
//   order OFFER QUANTITY PICKUP · cancel ORDER · like TABLE ID · promises · picture SHA256 · story LINK
//   neighbours · content TARGET · share PORT: serves to others until it is ended, on 127.0.0.1 or --address ADDRESS
// --neighbour URL, once for each: a node or another client; with it, or for `share`, content is shared.
//   watch COUNT: synchronises automatically and prints the offers' ids after each change, COUNT times

/// The words without options, the addresses that `--neighbour` names, and the address at which others are served.
let (words, neighbours, address) = {
    var (words, neighbours, address): ([String], [String], String) = ([], [], "127.0.0.1")
    var rest = CommandLine.arguments.dropFirst()
    while let word = rest.popFirst() {
        if word == "--neighbour", let address = rest.popFirst() {
            neighbours.append(address)
        } else if word == "--address", let own = rest.popFirst() {
            address = own
        } else {
            words.append(word)
        }
    }
    return (words, neighbours, address)
}()

func text(_ value: String?) -> JSONAny { value.map { .string($0) } ?? .null }

func say(_ members: [(String, JSONAny)]) {
    var json = JSONWriter()
    JSONAny.object(members).write(to: &json)
    print(String(decoding: json.bytes, as: UTF8.self))
    fflush(nil)
}

func told(_ synced: Synced) -> [(String, JSONAny)] {
    [
        ("sent", .integer(Int64(synced.sent))), ("carried", .integer(Int64(synced.carried))),
        ("changed", .integer(Int64(synced.changed))),
        ("failed", .integer(Int64(synced.failed))), ("news", .integer(Int64(synced.news))),
        ("needsSignIn", .bool(synced.needsSignIn)), ("missingPictures", .integer(Int64(synced.missingPictures))),
        ("source", .string("\(synced.source)")),
    ]
}

func told(_ pendingChange: PendingChange) -> JSONAny {
    .object([
        ("id", .string(pendingChange.id)), ("kind", .string(pendingChange.kind.rawValue)),
        ("person", text(pendingChange.person)),
        ("refusal", text(pendingChange.refusal)),
    ])
}

func told(_ story: Story) -> [(String, JSONAny)] {
    [
        ("lot", .string(story.lot)), ("product", .string(story.product)), ("farm", .string(story.farm)),
        ("recalled", text(story.recalled)), ("harvested", text(story.harvested?.description)),
        ("isLabelSigned", .bool(story.isLabelSigned)), ("source", .string("\(story.source)")),
        ("asOf", .string("\(story.asOf)")),
        ("provenSince", text(story.provenSince?.description)), ("passport", story.passport),
    ]
}

func told(_ neighbour: Neighbour) -> JSONAny {
    .object([
        ("address", .string(neighbour.address)), ("isNode", .bool(neighbour.isNode)),
        ("isUsable", .bool(neighbour.isUsable)), ("refused", .integer(Int64(neighbour.refused))),
        ("reason", text(neighbour.reason)), ("targets", .array(neighbour.entries.map { .string($0.target) })),
    ])
}

/// Returns how content is shared; nil if it is not.
func sharing() -> SharingOptions? {
    guard words[2] == "share" || !neighbours.isEmpty else { return nil }
    return SharingOptions(
        neighbours: neighbours, isDiscovering: false, address: address,
        port: words[2] == "share" ? Int(words.last ?? "") ?? 0 : 0)
}

func run(_ farm: FarmClient, _ command: String, _ rest: [String]) async throws -> Bool {
    switch (command, rest.count) {
    case ("sign-up", 3):
        say([("name", .string(try await farm.signUp(name: rest[0], email: rest[1], password: rest[2]).name))])
    case ("sign-in", 2): say([("name", .string(try await farm.signIn(email: rest[0], password: rest[1]).name))])
    case ("sign-out", 0):
        try await farm.signOut()
        say([])
    case ("me", 0): say([("name", text(try farm.me()?.name))])
    case ("sync", 0): say(told(try await farm.sync()))
    case ("news", 0): say([("news", .integer(Int64(try farm.newsCount())))])
    case ("apply", 0): say(told(try await farm.applyNews()))
    case ("list", 1):
        guard let table = FarmTable(rawValue: rest[0]) else { return false }
        say([("records", .array(try farm.records(table).map(\.body)))])
    case ("order", 3):
        let lines = [OrderItem(offer: rest[0], quantity: Int(rest[1]) ?? 0)]
        say([("promise", told(try farm.order(lines, pickup: rest[2])))])
    case ("cancel", 1): say([("promise", told(try farm.cancel(order: rest[0])))])
    case ("like", 2):
        guard let table = FarmTable(rawValue: rest[0]) else { return false }
        say([("promise", told(try farm.like(table, rest[1])))])
    case ("promises", 0): say([("promises", .array(try farm.pendingChanges().map(told)))])
    case ("picture", 1): say([("bytes", .integer(Int64(try await farm.picture(rest[0]).count)))])
    case ("story", 1): say(told(try await farm.story(of: rest[0])))
    case ("neighbours", 0):
        try await farm.findNeighbours()
        say([("neighbours", .array(try farm.neighbours().map(told)))])
    case ("content", 1):
        let content = try await farm.content(rest[0])
        say([
            ("type", .string(content.type)), ("source", .string("\(content.source)")),
            ("asOf", .string("\(content.asOf)")), ("body", .string(String(decoding: content.body, as: UTF8.self))),
        ])
    case ("share", 1): try await farm.share { port in say([("port", .integer(Int64(port)))]) }
    case ("watch", 1):
        let keeping = Task { await farm.keepInStep() }
        var left = Int(rest[0]) ?? 1
        for await _ in farm.changes() {
            say([("offers", .array(try farm.records(.offers).map { .string($0.id) }))])
            left -= 1
            if left == 0 { break }
        }
        keeping.cancel()
        await keeping.value
    default: return false
    }
    return true
}

func main() async -> Int32 {
    guard words.count >= 3 else { return 2 }
    do {
        let farm = try FarmClient(server: words[0], folder: words[1], sharing: sharing())
        return try await run(farm, words[2], Array(words.dropFirst(3))) ? 0 : 2
    } catch let error as FarmClientError {
        say([
            ("error", .string(error.code.description)), ("detail", .string(error.detail)),
            ("reason", text(error.reason)),
        ])
        return 1
    } catch {
        say([("error", .string("unexpected")), ("detail", .string("\(error)"))])
        return 3
    }
}

exit(await main())
