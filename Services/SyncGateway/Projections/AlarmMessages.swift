import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// Messages about alarms: one to each person of the requested step by each of the person's channels.
extension OutboxRow {
    /// Creates the message to one person; by e-mail if `channel` is nil.
    init(_ event: AlarmNotificationRequested, _ envelope: Envelope, to person: PersonID, by channel: ChannelRow?) {
        var json = JSONWriter()
        json.object { json in
            event.write(fields: &json)
            json.field("person", person)
            json.field("requested", envelope.time)
        }
        let name = "\(envelope.id)|\(person)" + (channel.map { "|\($0.key)" } ?? "")
        self.init(
            .named(name, in: .furrow), cause: envelope.id, to: channel?.recipient ?? .mail,
            path: AlarmNotificationRequested.name, about: nil, body: json.text,
            channel: channel.flatMap { UUID($0.key) }, alarm: GatewayAlarmRow.key(event.rule, event.point))
    }

    /// Whether a later message to the same person, by the same channel, is about the same alarm.
    func isSuperseded(by later: OutboxRow) -> Bool {
        key != later.key && alarm != nil && alarm == later.alarm && to == later.to && channel == later.channel
            && AlarmMessage(self)?.person == AlarmMessage(later)?.person
    }
}

/// The content of a message about an alarm.
struct AlarmMessage {
    let alarm: AlarmNotificationRequested
    let person: PersonID
    /// When the notification was requested.
    let requested: Instant

    /// Reads the content of an outbox message; nil if it is about something else.
    init?(_ row: OutboxRow) {
        guard row.path == AlarmNotificationRequested.name else { return nil }
        do throws(JSONError) {
            let json = try JSONValue.parse(row.body)
            alarm = try AlarmNotificationRequested(json: json)
            person = try json.get("person")
            // The builds before webhooks did not write it.
            requested = try json.find("requested") ?? alarm.raised
        } catch {
            return nil
        }
    }
}

extension OutboxRow {
    /// When the alarm of the message was cleared; nil while it is on.
    func alarmCleared(_ tables: any Tables) -> Instant? {
        alarm.flatMap { tables.get(GatewayAlarmRow.self, $0) }?.cleared
    }
}

/// Projects notifications of alarms into the outbox, and their outcomes into the list of deliveries.
enum AlarmMessages {
    /// Adds the messages that a request causes. Earlier ones about the alarm that wait are withdrawn.
    static func request(_ event: AlarmNotificationRequested, _ envelope: Envelope, _ tables: some Tables) {
        for person in event.people {
            let channels: [ChannelRow?] =
                [nil]
                + tables.find(
                    ChannelRow.self, where: "person", is: person.rawValue, limit: GatewayLimits.channelsOfPerson)
            for channel in channels where channel.map({ $0.state == .active }) ?? true {
                let message = OutboxRow(event, envelope, to: person, by: channel)
                OutboxRow.withdraw(message.alarm ?? "", "a later notification replaced it", tables) {
                    $0.isSuperseded(by: message)
                }
                tables.put(message)
            }
        }
    }

    /// Withdraws the waiting messages about an alarm that a person has taken charge of.
    static func acknowledge(_ event: AlarmAcknowledged, _ tables: some Tables) {
        OutboxRow.withdraw(GatewayAlarmRow.key(event.rule, event.point), "the alarm was acknowledged", tables)
    }

    /// Withdraws the waiting messages about an alarm that a person has muted.
    static func shelve(_ event: AlarmShelved, at time: Instant, _ tables: some Tables) {
        guard event.until > time else { return }
        OutboxRow.withdraw(GatewayAlarmRow.key(event.rule, event.point), "the alarm was muted", tables)
    }

    /// Records how a message ended; does nothing if it is not about an alarm.
    static func close(
        _ row: OutboxRow, as outcome: DeliveryRow.Outcome, _ reason: String? = nil, at time: Instant,
        _ tables: some Tables
    ) {
        guard let delivery = DeliveryRow(row, outcome, reason, at: time) else { return }
        tables.put(delivery)
        let all = tables.scan(DeliveryRow.self, limit: GatewayLimits.deliveries + 1)
        if all.count > GatewayLimits.deliveries { tables.remove(DeliveryRow.self, all[0].key) }
    }
}
