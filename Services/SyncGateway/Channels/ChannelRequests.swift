import Crypto
import EventSourcing
import Events
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// Requests about webhooks and push subscriptions.
extension SyncGateway {
    // MARK: Webhooks, by administrators

    /// Creates a webhook and its secret. A repeated request with its key gets the same response, because the secret is
    /// stored under a number that is derived from the request.
    func makeWebhook(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let body = try call.body()
        let (person, url): (PersonID, String) = (try body.get("recipient"), try body.get("url"))
        try checkAuthority(of: url, "url")
        let id = UUID.named("webhook|\(call.actor)|\(call.key ?? "")", in: .furrow)
        if let known = try vault({ () throws(VaultError) in try channels.channel(id) }) {
            guard known.person == person, case .webhook(url, _) = known.address else {
                throw Problem(422, "key-reused", "This Idempotency-Key was used for another webhook.")
            }
            return [respond(call.web, Self.made(known, tables))]
        }
        let account = try vault { () throws(VaultError) in try accounts.account(of: person) }
        guard let account, account.role != .buyer else {
            throw Problem(404, "unknown-account", "There is no such account of the staff; check the number.")
        }
        try vault { () throws(VaultError) in try channels.all(.webhook).count < GatewayLimits.webhooks }
            .otherwise(Problem(409, "too-many", "There are \(GatewayLimits.webhooks) webhooks already."))
        try checkRoom(for: person)
        let secret = Array(
            HKDFSHA256.derive(
                salt: Array("webhook".utf8), secret: call.web.entropy, info: id.bytes,
                count: GatewayLimits.webhookSecretBytes))
        let channel = Channel(
            id, of: person, title: try body.optionalText("title") ?? "Webhook", since: time,
            address: .webhook(url: url, secret: secret))
        try vault { () throws(VaultError) in try channels.keep(channel) }
        return set(channel, to: .active, by: call.actor) + [respond(call.web, Self.made(channel, tables))]
    }

    private static func made(_ channel: Channel, _ tables: any Tables) -> HTTPResponse {
        .made(201) { json in
            channel.write(shown: &json, tables)
            if case .webhook(_, let secret) = channel.address {
                json.field("secret", "whsec_" + BaseEncoding.base64.encode(secret))
            }
        }
    }

    func listWebhooks(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let all = try vault { () throws(VaultError) in try channels.all(.webhook) }
        return [respond(call.web, .made { Self.write(all, tables, to: &$0) })]
    }

    func removeWebhook(_ call: RequestContext) throws(Problem) -> [Effect] {
        try remove(try webhook(call), call)
    }

    mutating func testWebhook(_ call: RequestContext) throws(Problem) -> [Effect] {
        try test(try webhook(call), call)
    }

    private func webhook(_ call: RequestContext) throws(Problem) -> Channel {
        try channel(call) { $0.kind == .webhook }
    }

    // MARK: Devices, by each person

    /// Lists the caller's devices and webhooks, with the key that a browser needs to subscribe.
    func listOwnChannels(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let account = try ownAccount(call)
        let own = try vault { () throws(VaultError) in try channels.all(of: account.person) }
        let hours = account.notificationHours ?? .usual
        return [
            respond(
                call.web,
                .made { json in
                    Self.write(own, tables, to: &json)
                    json.field("pushKey", BaseEncoding.base64url.encode(channels.key.publicKey))
                    json.field("mail", mailer != nil)
                    json.field(
                        "promotionHours",
                        object: { json in
                            json.field("from", hours.from)
                            json.field("to", hours.to)
                        })
                })
        ]
    }

    /// Stores a browser's subscription. If another person subscribed in the same browser, theirs is removed: the device
    /// shows the alarms of the person who signed in last.
    func subscribePush(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let account = try ownAccount(call)
        let body = try call.body()
        let subscription: PushSubscription
        do throws(JSONError) {
            subscription = try PushSubscription(json: body.json)
        } catch {
            throw .malformed(error)
        }
        try checkAuthority(of: subscription.endpoint, "endpoint")
        guard P256Key.isPublicKey(subscription.publicKey), subscription.secret.count == GatewayLimits.pushSecretBytes
        else {
            throw Problem(
                400, "malformed", "p256dh has to be a point of P-256 and auth 16 bytes, both in base64url.")
        }
        var effects: [Effect] = []
        let known = try vault { () throws(VaultError) in try channels.channel(endpoint: subscription.endpoint) }
        if let known, known.person == account.person, known.address == .push(subscription) {
            return [respond(call.web, .made(201) { known.write(shown: &$0, tables) })]
        }
        // A refusal leaves the former subscription as it is.
        if known?.person != account.person { try checkRoom(for: account.person) }
        if let known {
            try vault { () throws(VaultError) in try channels.drop(known) }
            effects += set(known, to: .removed, by: call.actor)
        }
        let channel = Channel(
            UUID(bytes: SHA256.hash(Array("push".utf8), call.web.entropy)).marked(version: 4), of: account.person,
            title: DeviceName.of(call.web.request.headers["User-Agent"]), since: time, address: .push(subscription))
        try vault { () throws(VaultError) in try channels.keep(channel) }
        return effects + set(channel, to: .active, by: call.actor) + [
            respond(call.web, .made(201) { channel.write(shown: &$0, tables) })
        ]
    }

    func removeOwnChannel(_ call: RequestContext) throws(Problem) -> [Effect] {
        try remove(try ownDevice(call), call)
    }

    mutating func testOwnChannel(_ call: RequestContext) throws(Problem) -> [Effect] {
        try test(try ownDevice(call), call)
    }

    private func ownDevice(_ call: RequestContext) throws(Problem) -> Channel {
        let person = try ownAccount(call).person
        return try channel(call) { $0.kind == .push && $0.person == person }
    }

    // MARK: Both

    private func channel(_ call: RequestContext, where isMeant: (Channel) -> Bool) throws(Problem) -> Channel {
        let found = try UUID(call.parameter("channel") ?? "").flatMap { id throws(Problem) in
            try vault { () throws(VaultError) in try channels.channel(id) }
        }
        guard let found, isMeant(found) else {
            throw Problem(404, "unknown-channel", "There is no such webhook or device; it may have been removed.")
        }
        return found
    }

    private func remove(_ channel: Channel, _ call: RequestContext) throws(Problem) -> [Effect] {
        try vault { () throws(VaultError) in try channels.drop(channel) }
        return set(channel, to: .removed, by: call.actor) + [respond(call.web, HTTPResponse(status: 204))]
    }

    private mutating func test(_ channel: Channel, _ call: RequestContext) throws(Problem) -> [Effect] {
        let id = UUID(bytes: SHA256.hash(Array("test".utf8), call.web.entropy)).marked(version: 4)
        switch try prepareTest(id, for: channel) {
        case .send(let request):
            return try begin(.testChannel(call.web.withoutBody, channel), most: GatewayLimits.channelTests) {
                [sender] in sender.send(request)
            }
        case .withdraw(let reason), .fail(let reason): throw Problem(409, "not-sent", "\(reason).")
        }
    }

    mutating func channelTested(_ web: WebRequest, _ channel: Channel, _ result: DeliveryResult) -> [Effect] {
        let ended = Self.isEnd(result.status, of: channel.kind) ? endChannel(channel.id) : []
        let response = HTTPResponse.made { json in
            json.field("accepted", result.isAccepted)
            json.field("status", ifPresent: result.status > 0 ? result.status : nil)
            json.field("reason", result.reason)
        }
        return ended + [respond(web, response)]
    }

    private func checkRoom(for person: PersonID) throws(Problem) {
        try vault { () throws(VaultError) in try channels.all(of: person).count < GatewayLimits.channelsOfPerson }
            .otherwise(
                Problem(
                    409, "too-many",
                    "This person has \(GatewayLimits.channelsOfPerson) webhooks and devices already; remove one first.")
            )
    }

    /// Throws unless the URL names a host, and no user: credentials in a URL would be shown in lists.
    private func checkAuthority(of url: String, _ member: String) throws(Problem) {
        let origin = PushIdentification.origin(of: url)
        guard let scheme = origin.firstRange(of: "://"), scheme.upperBound < origin.endIndex, !origin.contains("@")
        else { throw Problem(422, "malformed", "\(member): expected https:// and a host, without a user name.") }
    }

    private static func write(_ all: [Channel], _ tables: any Tables, to json: inout JSONWriter) {
        json.field(
            "items",
            array: { json in
                for channel in all { json.object { json in channel.write(shown: &json, tables) } }
            })
        json.field("next", JSONAny.null)
    }
}

extension Channel {
    static let shape: Shape = [
        "channel": .text, "recipient": .text, "kind": .words(ChannelKind.allCases.map(\.rawValue)), "title": .text,
        "since": .time, "state": .words(ChannelState.allCases.map(\.rawValue)), "url?": .text, "service?": .text,
    ]

    /// Writes what people may see: no secret, and of a push subscription only its service.
    fileprivate func write(shown json: inout JSONWriter, _ tables: any Tables) {
        json.field("channel", id)
        json.field("recipient", person)
        json.field("kind", kind)
        json.field("title", title)
        json.field("since", since)
        json.field("state", tables.get(ChannelRow.self, id.description)?.state ?? .active)
        switch address {
        case .webhook(let url, _): json.field("url", url)
        case .push(let subscription): json.field("service", PushIdentification.origin(of: subscription.endpoint))
        }
    }
}
