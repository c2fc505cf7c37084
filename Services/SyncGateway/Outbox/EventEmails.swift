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
            number: number, recipient: account.email,
            subject: "\(message.heading(in: texts(for: account))): \(message.said)",
            text: message.text(for: account.name, pages: mailer?.pages, in: texts(for: account)), date: time)
    }

    private func recallEmail(
        _ recall: OrderRecalled, _ message: String, _ tables: any Tables
    ) throws(Problem) -> Email? {
        guard let account = try vault({ () throws(VaultError) in try accounts.account(of: recall.buyer) }) else {
            return nil
        }
        let words = texts(for: account)
        let lots = recall.lots.map { lot in
            let product = tables.get(SyncLotRow.self, lot.rawValue)?.product
            return product.map { words("{0}, lot {1}", $0, lot) } ?? words("lot {0}", lot)
        }
        let page = mailer?.pages.map { ": \($0)/orders/\(recall.order)" } ?? ""
        let text = """
            \(account.name),

            \(words("something you ordered was recalled by the farm:"))

            \(lots.map { "  * \($0)" }.joined(separator: "\n"))

            \(words("Why: {0}", recall.reason))

            \(recall.isCollected
                ? words("You have taken it home. Do not eat it, and do not give it away.")
                : words("It is not handed out any more. You do not pay for it; what was paid goes back to you."))

            \(words("Order {0}", recall.order))\(page)

            """
        return Email(
            number: message, recipient: account.email,
            subject: words("Recalled: {0}", lots.joined(separator: "; ")), text: text, date: time)
    }

    private func alarmEmail(
        _ alarm: AlarmNotificationRequested, over: Instant?, to person: PersonID, _ message: String
    ) throws(Problem) -> Email? {
        guard let account = try vault({ () throws(VaultError) in try accounts.account(of: person) }) else {
            return nil
        }
        let words = texts(for: account)
        return Email(
            number: message, recipient: account.email,
            subject: "\(alarm.heading(over: over, in: words)): \(alarm.sentence(in: words))",
            text: alarm.text(for: account.name, pages: mailer?.pages, over: over, in: words), date: time)
    }
}

extension AlarmNotificationRequested {
    /// What a message begins with. `over`: when the alarm was cleared, before the message could be sent.
    func heading(over: Instant?, in words: MessageTexts = .english) -> String {
        if over != nil { return words("Over by now") }
        return step > 0 ? words("Still an alarm") : words("Alarm")
    }

    /// `Cold store, top: temperature 9.3 °C, above the limit of 8 °C for Carrots`.
    func sentence(in words: MessageTexts = .english) -> String {
        switch quantity {
        case .silence: words("{0}: no report for {1}", title, quantity.measured(value))
        case .reception: words("{0}: nothing received for {1}", title, quantity.measured(value))
        case .goodsConflict: words("{0}: no climate suits all goods there ({1})", title, goods ?? "")
        default: limitSentence(words)
        }
    }

    private func limitSentence(_ words: MessageTexts) -> String {
        let name = quantity.name(in: words)
        if let overMinutes {
            let by = quantity.measured(abs(value))
            let most = quantity.measured(abs(limit))
            return value > 0
                ? words("{0}: {1} rose by {2} within {3} minutes, more than {4}", title, name, by, overMinutes, most)
                : words("{0}: {1} fell by {2} within {3} minutes, more than {4}", title, name, by, overMinutes, most)
        }
        let (now, most) = (quantity.measured(value), quantity.measured(limit))
        let sentence =
            value > limit
            ? words("{0}: {1} {2}, above the limit of {3}", title, name, now, most)
            : words("{0}: {1} {2}, below the limit of {3}", title, name, now, most)
        return goods.map { words("{0} for {1}", sentence, $0) } ?? sentence
    }

    /// `Lots: L1, L2`, with a line break; empty for a limit of the place.
    private func lotLine(_ words: MessageTexts) -> String {
        lots.isEmpty ? "" : words("Lots: {0}", lots.map(\.rawValue).joined(separator: ", ")) + "\n"
    }

    /// The text of an e-mail. Its link opens the page on which the person acknowledges; opening it changes nothing.
    ///
    /// - Parameters:
    ///   - pages: the public URL of the web pages; nil if none is configured.
    ///   - over: when the alarm was cleared; nil while it is on.
    func text(
        for name: String, pages: String?, over: Instant? = nil, in words: MessageTexts = .english
    ) -> String {
        if let over {
            return """
                \(name),

                \(sentence(in: words)).

                \(words("From {0} to {1} (UTC), at {2}.", raised, over, place))
                \(lotLine(words))\
                \(words("This e-mail could not be sent earlier. The alarm is over; nothing has to be acknowledged."))

                """
        }
        let unseen = words("Nobody had acknowledged it when this e-mail was requested.")
        return """
            \(name),

            \(sentence(in: words)).

            \(words("Since {0} (UTC), at {1}.", raised, place))
            \(lotLine(words))\
            \(step > 0 ? unseen + "\n" : "")
            \(pages.map { words("Acknowledge it, so that nobody else is called:") + "\n\($0)/staff#/alarms" }
                ?? words("Acknowledge it, so that nobody else is called (page Alarms)."))

            """
    }
}

extension Quantity {
    /// `soil moisture`, `temperature 2`.
    fileprivate func name(in words: MessageTexts) -> String {
        let parts = rawValue.split(separator: "-")
        guard let number = parts.last, number.allSatisfy(\.isNumber) else {
            return words(parts.joined(separator: " "))
        }
        return "\(words(parts.dropLast().joined(separator: " "))) \(number)"
    }

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
