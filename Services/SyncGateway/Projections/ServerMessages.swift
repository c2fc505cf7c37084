import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The content of a message about the farm server.
struct ServerMessage {
    let person: PersonID
    let said: String
    let advice: String?
    /// When it was raised, and when it was well again; nil while it is not.
    let raised: Instant
    let cleared: Instant?

    /// Reads the content of an outbox message; nil if it is about something else.
    init?(_ row: OutboxRow) {
        guard row.path == ServerTroubleRaised.name || row.path == ServerTroubleCleared.name else { return nil }
        do throws(JSONError) {
            let json = try JSONValue.parse(row.body)
            person = try json.get("person")
            said = try json.get("said")
            advice = try json.find("advice")
            raised = try json.get("raised")
            cleared = try json.find("cleared")
        } catch {
            return nil
        }
    }

    /// What a message begins with.
    func heading(in words: MessageTexts) -> String {
        cleared == nil ? words("Farm server") : words("Farm server, well again")
    }

    func text(for name: String, pages: String?, in words: MessageTexts) -> String {
        """
        \(name),

        \(cleared == nil ? said : words("This is well again: {0}", said))
        \(cleared == nil ? advice.map { "\n\($0)\n" } ?? "" : "")
        \(cleared.map { words("It lasted from {0} to {1} (UTC).", raised, $0) } ?? words("Since {0} (UTC).", raised))\
        \(pages.map { "\n\n\($0)\(Self.page)" } ?? "")

        """
    }

    static let page = "/staff#/operations"
}

/// Projects what is raised about the farm server, and the messages about it into the outbox.
enum ServerMessages {
    static func raise(_ event: ServerTroubleRaised, _ envelope: Envelope, _ tables: some Tables) {
        let row = ServerTroubleRow(event, at: envelope.time)
        tables.put(row)
        notify(event.people, of: event.check, ServerTroubleRaised.name, envelope, tables) { json in
            json.field("said", event.said)
            json.field("advice", ifPresent: event.advice)
            json.field("raised", envelope.time)
        }
    }

    static func clear(_ event: ServerTroubleCleared, _ envelope: Envelope, _ tables: some Tables) {
        tables.remove(ServerTroubleRow.self, event.check)
        notify(event.people, of: event.check, ServerTroubleCleared.name, envelope, tables) { json in
            json.field("said", event.said)
            json.field("raised", event.raised)
            json.field("cleared", envelope.time)
        }
    }

    /// Adds a message for each channel of each person. Earlier ones about the same check that wait are withdrawn.
    private static func notify(
        _ people: [PersonID], of check: String, _ path: String, _ envelope: Envelope, _ tables: some Tables,
        _ write: (inout JSONWriter) -> Void
    ) {
        let subject = "server|\(check)"
        OutboxRow.withdraw(subject, "a later notification replaced it", tables)
        for person in people {
            var json = JSONWriter()
            json.object { json in
                write(&json)
                json.field("person", person)
            }
            let own = tables.find(
                ChannelRow.self, where: "person", is: person.rawValue, limit: GatewayLimits.channelsOfPerson)
            for channel in [nil] + own.filter({ $0.state == .active }).map(Optional.some) {
                let name = "\(envelope.id)|\(person)" + (channel.map { "|\($0.key)" } ?? "")
                tables.put(
                    OutboxRow(
                        .named(name, in: .furrow), cause: envelope.id, to: channel?.recipient ?? .mail, path: path,
                        about: nil, body: json.text, channel: channel.flatMap { UUID($0.key) }, alarm: subject))
            }
        }
    }
}
