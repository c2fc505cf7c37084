import EventSourcing
import Events
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// The e-mails about events. They are composed when they are sent.
extension SyncGateway {
    /// Composes the e-mail of an outbox message; nil if the person no longer has an account.
    func letter(for row: OutboxRow, _ tables: any Tables) throws(Problem) -> Email? {
        if row.path == AlarmNotificationRequested.name {
            let body = try RequestBody(Array(row.body.utf8))
            return try alarmEmail(body.event(), over: row.alarmCleared(tables), to: body.get("person"), row.key)
        }
        if let message = ServerMessage(row) { return try serverEmail(message, row.key) }
        return try recallEmail(RequestBody(Array(row.body.utf8)).event(), row.key, tables)
    }

    private func serverEmail(_ message: ServerMessage, _ number: String) throws(Problem) -> Email? {
        guard let account = try vault({ () throws(VaultError) in try accounts.account(of: message.person) }) else {
            return nil
        }
        return Email(
            number: number, recipient: account.email, subject: "\(message.heading): \(message.said)",
            text: message.text(for: account.name, pages: mailer?.pages), date: time)
    }

    private func recallEmail(
        _ recall: OrderRecalled, _ message: String, _ tables: any Tables
    ) throws(Problem) -> Email? {
        guard let account = try vault({ () throws(VaultError) in try accounts.account(of: recall.buyer) }) else {
            return nil
        }
        let lots = recall.lots.map { lot in
            let product = tables.get(SyncLotRow.self, lot.rawValue)?.product
            return product.map { "\($0), lot \(lot)" } ?? "lot \(lot)"
        }
        let text = """
            \(account.name),

            something you ordered was recalled by the farm:

            \(lots.map { "  * \($0)" }.joined(separator: "\n"))

            Why: \(recall.reason)

            \(recall.isCollected
                ? "You have taken it home. Do not eat it, and do not give it away."
                : "It is not handed out any more. You do not pay for it; what was paid goes back to you.")

            Order \(recall.order)\(mailer?.pages.map { ": \($0)/orders/\(recall.order)" } ?? "")

            """
        return Email(
            number: message, recipient: account.email, subject: "Recalled: \(lots.joined(separator: "; "))", text: text,
            date: time)
    }

    private func alarmEmail(
        _ alarm: AlarmNotificationRequested, over: Instant?, to person: PersonID, _ message: String
    ) throws(Problem) -> Email? {
        guard let account = try vault({ () throws(VaultError) in try accounts.account(of: person) }) else {
            return nil
        }
        return Email(
            number: message, recipient: account.email,
            subject: "\(alarm.heading(over: over)): \(alarm.sentence)",
            text: alarm.text(for: account.name, pages: mailer?.pages, over: over), date: time)
    }
}

extension AlarmNotificationRequested {
    /// What a message begins with. `over`: when the alarm was cleared, before the message could be sent.
    func heading(over: Instant?) -> String {
        if over != nil { return "Over by now" }
        return step > 0 ? "Still an alarm" : "Alarm"
    }

    /// `Cold store, top: temperature 9.3 °C, above the limit of 8 °C for Carrots`.
    var sentence: String {
        switch quantity {
        case .silence: "\(title): no report for \(quantity.measured(value))"
        case .reception: "\(title): nothing received for \(quantity.measured(value))"
        case .goodsConflict: "\(title): no climate suits all goods there (\(goods ?? ""))"
        default: limitSentence
        }
    }

    private var limitSentence: String {
        if let overMinutes {
            return
                "\(title): \(quantity.words) \(value > 0 ? "rose" : "fell") by \(quantity.measured(abs(value))) within "
                + "\(overMinutes) minutes, more than \(quantity.measured(abs(limit)))"
        }
        return "\(title): \(quantity.words) \(quantity.measured(value)), "
            + "\(value > limit ? "above" : "below") the limit of \(quantity.measured(limit))"
            + (goods.map { " for \($0)" } ?? "")
    }

    /// `Lots: L1, L2`, with a line break; empty for a limit of the place.
    private var lotLine: String {
        lots.isEmpty ? "" : "Lots: \(lots.map(\.rawValue).joined(separator: ", "))\n"
    }

    /// The text of an e-mail. Its link opens the page on which the person acknowledges; opening it changes nothing.
    ///
    /// - Parameters:
    ///   - pages: the public URL of the web pages; nil if none is configured.
    ///   - over: when the alarm was cleared; nil while it is on.
    func text(for name: String, pages: String?, over: Instant? = nil) -> String {
        if let over {
            return """
                \(name),

                \(sentence).

                From \(raised) to \(over) (UTC), at \(place).
                \(lotLine)\
                This e-mail could not be sent earlier. The alarm is over; nothing has to be acknowledged.

                """
        }
        return """
            \(name),

            \(sentence).

            Since \(raised) (UTC), at \(place).
            \(lotLine)\
            \(step > 0 ? "Nobody had acknowledged it when this e-mail was requested.\n" : "")
            Acknowledge it, so that nobody else is called\(pages.map { ":\n\($0)/staff#/alarms" } ?? " (page Alarms).")

            """
    }
}

extension Quantity {
    /// `soil moisture`, `temperature 2`.
    fileprivate var words: String { rawValue.replacing("-", with: " ") }

    /// `9.3 °C`.
    fileprivate func measured(_ value: Double) -> String {
        let unit =
            switch self.unit {
            case "Cel": "°C"
            case "%RH", "%EL": "%"
            case let unit: unit
            }
        let tenths = (value * 10).rounded() / 10
        let figures = tenths == tenths.rounded() ? String(Int(exactly: tenths) ?? 0) : String(tenths)
        return unit.isEmpty ? figures : "\(figures) \(unit)"
    }
}

extension RequestBody {
    /// Reads the body as an event's data; throws if it is malformed.
    fileprivate func event<Data: Event>() throws(Problem) -> Data {
        do {
            return try Data(json: json)
        } catch {
            throw .malformed(error)
        }
    }
}
