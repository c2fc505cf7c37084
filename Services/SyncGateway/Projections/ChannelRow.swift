import EventSourcing
import Events
import Vocabulary

/// A webhook or push subscription of a person. The key is the channel; its address and keys are in the vault.
struct ChannelRow: TableRow {
    static let schema = TableSchema(
        "notification_channel", [("person", .text), ("kind", .text), ("state", .text)], indexed: ["person"])

    let key: String
    let person: PersonID
    let kind: ChannelKind
    let state: ChannelState

    init(_ event: NotificationChannelSet) {
        key = event.channel.description
        person = event.person
        kind = event.kind
        state = event.state
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        person = PersonID(try cells.text())
        kind = try cells.text(ChannelKind.init(rawValue:))
        state = try cells.text(ChannelState.init(rawValue:))
    }

    var cells: [Cell] { [.text(person.rawValue), .text(kind.rawValue), .text(state.rawValue)] }

    var recipient: OutboxRow.Recipient {
        switch kind {
        case .webhook: .webhook
        case .push: .push
        }
    }

    static func apply(_ event: NotificationChannelSet, _ tables: some Tables) {
        if event.state == .removed {
            tables.remove(ChannelRow.self, event.channel.description)
        } else {
            tables.put(ChannelRow(event))
        }
    }

    /// Removes the channels of an erased person.
    static func forget(_ person: PersonID, _ tables: some Tables) {
        let rows = tables.find(
            ChannelRow.self, where: "person", is: person.rawValue, limit: GatewayLimits.channelsOfPerson)
        for row in rows { tables.remove(ChannelRow.self, row.key) }
    }
}
