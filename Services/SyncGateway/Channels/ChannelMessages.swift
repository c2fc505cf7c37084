import Crypto
import EventSourcing
import Events
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// The messages of webhooks and pushes. They are composed when they are sent.
extension SyncGateway {
    /// What becomes of a message to a channel.
    enum ChannelDelivery {
        case send(ChannelSender.Prepared)
        /// The channel is gone or disabled.
        case withdraw(String)
        case fail(String)
    }

    mutating func prepare(_ row: OutboxRow, _ tables: any Tables) throws(Problem) -> ChannelDelivery {
        guard let id = row.channel, tables.get(ChannelRow.self, id.description)?.state == .active,
            let channel = try vault({ () throws(VaultError) in try channels.channel(id) })
        else { return .withdraw("the channel was removed or disabled") }
        guard let content = content(of: row, tables), let number = UUID(row.key) else {
            return .fail("the message is unreadable")
        }
        if let message = PromotionMessage(row), !isRunning(message.promotion, tables) {
            return .withdraw("what it is about is not for sale any more")
        }
        return try prepare(content, number, for: channel)
    }

    private mutating func isRunning(_ promotion: PromotionID, _ tables: any Tables) -> Bool {
        guard let promotion = tables.get(NotifyingPromotionRow.self, promotion.rawValue) else { return false }
        return time < promotion.rule.until && stock(tables).has(promotion.rule)
    }

    private func content(of row: OutboxRow, _ tables: any Tables) -> ChannelContent? {
        if let message = ServerMessage(row) {
            return ChannelContent(message, pages: sender.pages, in: texts(of: message.person))
        }
        if let message = PromotionMessage(row) { return ChannelContent(message, pages: sender.pages) }
        return AlarmMessage(row).map {
            ChannelContent($0, over: row.alarmCleared(tables), pages: sender.pages, in: texts(of: $0.person))
        }
    }

    /// The texts of messages to a person; English if the account cannot be read.
    private func texts(of person: PersonID) -> MessageTexts {
        do throws(VaultError) {
            return texts(for: try accounts.account(of: person))
        } catch {
            return .english
        }
    }

    /// Returns the test message of a channel.
    func prepareTest(_ id: UUID, for channel: Channel) throws(Problem) -> ChannelDelivery {
        try prepare(
            ChannelContent(
                testAt: time, person: channel.person, pages: sender.pages, in: texts(of: channel.person)),
            id, for: channel)
    }

    private func prepare(
        _ content: ChannelContent, _ id: UUID, for channel: Channel
    ) throws(Problem) -> ChannelDelivery {
        switch channel.address {
        case .webhook(let url, let secret):
            return .send(ChannelSender.webhook(content.webhook, id: "\(id)", to: url, secret: secret, at: time))
        case .push(let subscription):
            let payload = content.push(tag: ChannelSender.topic(id))
            guard payload.count <= GatewayLimits.pushBytes else { return .fail("the message is too long for a push") }
            do throws(CryptoError) {
                return .send(
                    try sender.push(
                        payload, id: id, to: subscription, by: channels.key, at: time, isUrgent: content.isUrgent))
            } catch {
                return .fail("the keys of the subscription are unusable")
            }
        }
    }

    /// Handles the outcome of an attempt. A receiver can end its channel: a webhook with 410, a push service with 404
    /// or 410.
    mutating func delivered(_ row: OutboxRow, _ result: DeliveryResult) -> [Effect] {
        guard !result.isAccepted else { return finish(row) }
        guard let id = row.channel, let kind = ChannelKind(rawValue: row.to.rawValue) else { return [] }
        if Self.isEnd(result.status, of: kind) { return endChannel(id) + giveUp(row, result.reason) }
        switch (kind, result.status) {
        case (.push, 400..<500) where result.status != 429 && result.status != 408: return giveUp(row, result.reason)
        default: return tryLater(row, result.reason, after: result.retryAfter)
        }
    }

    static func isEnd(_ status: Int, of kind: ChannelKind) -> Bool {
        status == 410 || status == 404 && kind == .push
    }

    /// Disables a webhook, or removes a push subscription, that its receiver ended.
    func endChannel(_ id: UUID) -> [Effect] {
        do throws(VaultError) {
            guard let channel = try channels.channel(id) else { return [] }
            switch channel.kind {
            case .webhook: return set(channel, to: .disabled, by: .service(Self.name))
            case .push:
                try channels.drop(channel)
                return set(channel, to: .removed, by: .service(Self.name))
            }
        } catch {
            return [.note(OperatorEvent("vault_failures"))]
        }
    }

    func set(_ channel: Channel, to state: ChannelState, by actor: Actor) -> [Effect] {
        let event = NotificationChannelSet(
            channel: channel.id, person: channel.person, kind: channel.kind, state: state)
        return [.append([Draft(event, in: "channel/\(channel.id)", by: actor)])]
    }

    /// Returns the channel events that the journal lacks: a process that stopped between the vault and the journal left
    /// them out.
    func reconciledChannels(_ tables: any Tables) throws(VaultError) -> [Effect] {
        var effects: [Effect] = []
        var known: Set<String> = []
        for kind in ChannelKind.allCases {
            for channel in try channels.all(kind) {
                known.insert(channel.id.description)
                guard tables.get(ChannelRow.self, channel.id.description) == nil else { continue }
                effects += set(channel, to: .active, by: .service(Self.name))
            }
        }
        var after: String?
        while true {
            let page = tables.scan(ChannelRow.self, prefix: "", after: after, limit: GatewayLimits.accounts)
            for row in page where !known.contains(row.key) {
                guard let id = UUID(row.key) else { continue }
                let event = NotificationChannelSet(channel: id, person: row.person, kind: row.kind, state: .removed)
                effects.append(.append([Draft(event, in: "channel/\(id)", by: .service(Self.name))]))
            }
            guard let last = page.last else { return effects }
            after = last.key
        }
    }
}

/// The content of a message to a webhook or device: an alarm, the farm server, or a test.
struct ChannelContent {
    private enum Subject {
        /// `over`: when the alarm was cleared; nil while it is on.
        case alarm(AlarmNotificationRequested, over: Instant?)
        case server(ServerMessage)
        case promotion(PromotionMessage)
        case test
    }

    private let subject: Subject
    private let person: PersonID
    private let time: Instant
    private let pages: String?
    private let words: MessageTexts

    /// - Parameter pages: the public URL of the web pages; nil if none is configured.
    init(_ message: AlarmMessage, over: Instant? = nil, pages: String?, in words: MessageTexts) {
        (subject, person, time) = (.alarm(message.alarm, over: over), message.person, message.requested)
        (self.pages, self.words) = (pages, words)
    }

    init(_ message: ServerMessage, pages: String?, in words: MessageTexts) {
        (subject, person, time) = (.server(message), message.person, message.cleared ?? message.raised)
        (self.pages, self.words) = (pages, words)
    }

    /// A promotion has the texts that the grower wrote.
    init(_ message: PromotionMessage, pages: String?) {
        (subject, person, time) = (.promotion(message), message.person, message.requested)
        (self.pages, words) = (pages, .english)
    }

    init(testAt time: Instant, person: PersonID, pages: String?, in words: MessageTexts) {
        (subject, self.person, self.time, self.pages, self.words) = (.test, person, time, pages, words)
    }

    /// Whether a sleeping device should be woken for it (RFC 8030, section 5.3).
    var isUrgent: Bool {
        if case .promotion = subject { false } else { true }
    }

    private var page: String {
        switch subject {
        case .alarm, .test: "/staff#/alarms"
        case .server: ServerMessage.page
        case .promotion(let message): message.link
        }
    }

    private var type: String {
        switch subject {
        case .alarm: "alarm.notification"
        case .server(let message): message.cleared == nil ? "server.trouble" : "server.recovered"
        case .promotion: "promotion"
        case .test: "notification.test"
        }
    }

    private var title: String {
        switch subject {
        case .alarm(let alarm, let over): alarm.heading(over: over, in: words)
        case .server(let message): message.heading(in: words)
        case .promotion(let message): message.title
        case .test: "Furrow"
        }
    }

    private var sentence: String {
        switch subject {
        case .alarm(let alarm, _): alarm.sentence(in: words)
        case .server(let message): message.said
        case .promotion(let message): message.text
        case .test: words("This is a test: notifications will arrive like this.")
        }
    }

    /// The body of a webhook: the envelope of Standard Webhooks, and what it is about as `data`.
    var webhook: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("type", type)
            json.field("timestamp", time)
            json.field("data", object: write(data:))
        }
        return json.bytes
    }

    private func write(data json: inout JSONWriter) {
        json.field("person", person)
        json.field("text", sentence)
        json.field("link", ifPresent: pages.map { $0 + page })
        switch subject {
        case .alarm(let alarm, let over):
            json.field("rule", alarm.rule)
            json.field("point", alarm.point)
            json.field("title", alarm.title)
            json.field("place", alarm.place)
            json.field("quantity", alarm.quantity)
            json.field("unit", alarm.quantity.unit)
            json.field("value", alarm.value)
            json.field("limit", alarm.limit)
            json.field("overMinutes", ifPresent: alarm.overMinutes)
            json.field("since", alarm.raised)
            json.field("over", ifPresent: over)
            json.field("step", alarm.step)
        case .server(let message):
            json.field("advice", ifPresent: message.advice)
            json.field("since", message.raised)
            json.field("over", ifPresent: message.cleared)
        case .promotion(let message): json.field("promotion", message.promotion)
        case .test: break
        }
    }

    /// The payload of a push, which the service worker shows. Its link is a path of the page's own origin.
    func push(tag: String) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("title", title)
            json.field("body", sentence)
            json.field("link", page)
            json.field("tag", tag)
        }
        return json.bytes
    }
}
