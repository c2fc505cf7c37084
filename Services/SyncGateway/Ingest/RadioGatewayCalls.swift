import EventSourcing
import EventStore
import Events
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// Administration and authentication of radio gateways.
extension SyncGateway {
    /// Creates a gateway and its token. A repeated request with its key gets the same response, because the token is
    /// derived from the request.
    func admitGateway(_ call: RequestContext) throws(Problem) -> [Effect] {
        let body = try call.body()
        let name = try body.name("gateway")
        let title = try body.optionalText("title") ?? name
        let request = "\(call.actor)|\(call.key ?? "")|\(name)"
        let token = try vault { () throws(VaultError) in try gateways.token(for: request, entropy: call.web.entropy) }
        let known = try vault { () throws(VaultError) in try gateways.gateway(named: name) }
        let made = RadioGateway(name: name, title: title, fingerprint: Accounts.fingerprint(token), since: time)
        switch known {
        case let known? where known.fingerprint == made.fingerprint:
            try (known.dismissed == nil).otherwise(
                Problem(410, "dismissed", "This token is good no more; make a new one with another Idempotency-Key."))
            return [respond(call.web, Self.admitted(known, token))]
        case let known? where known.dismissed == nil:
            throw Problem(
                409, "gateway-known",
                "There is a gateway \(name) with a token already; dismiss it first to make it anew.")
        default: break
        }
        if known == nil {
            try vault { () throws(VaultError) in try gateways.all().count < GatewayLimits.gateways }
                .otherwise(Problem(409, "too-many", "There are \(GatewayLimits.gateways) gateways already."))
        }
        try vault { () throws(VaultError) in try gateways.keep(made) }
        return changed(.gatewayAdmitted, nil, gateway: name, by: call.actor) + [
            respond(call.web, Self.admitted(made, token))
        ]
    }

    private static func admitted(_ gateway: RadioGateway, _ token: String) -> HTTPResponse {
        .made(201) { json in
            gateway.write(fields: &json)
            json.field("token", token)
        }
    }

    func listGateways(_ call: RequestContext) throws(Problem) -> [Effect] {
        let after = call.parameter("after") ?? ""
        let all = try vault { () throws(VaultError) in try gateways.all(after: after) }
        return [
            respond(
                call.web,
                .made { json in
                    json.field(
                        "items",
                        array: { json in
                            for gateway in all { json.object { write(gateway, to: &$0) } }
                        })
                    json.field("next", JSONAny.null)
                })
        ]
    }

    /// Writes a gateway, and its posts since the start of this process.
    private func write(_ gateway: RadioGateway, to json: inout JSONWriter) {
        gateway.write(fields: &json)
        json.field("seenSince", ifPresent: started)
        guard let contact = contacts.contact(of: gateway.name) else {
            json.field("lastSeen", ifPresent: gateway.lastSeen)
            return
        }
        json.field("lastSeen", contact.last)
        json.field("messages", contact.messages)
        json.field("clockAhead", ifPresent: contact.clockAhead.map { ($0 * 10).rounded() / 10 })
        if let (state, at) = contact.hub { json.field("hub", object: { state.write(fields: &$0, at: at) }) }
    }

    /// Notes what a radio hub says about itself, which the page Sensors shows.
    mutating func reportHub(_ call: RequestContext, as gateway: RadioGateway) throws(Problem) -> [Effect] {
        let state = try HubState(call.body())
        contacts.note(state, of: gateway.name, at: time)
        return [respond(call.web, HTTPResponse(status: 204))]
    }

    /// Notes a post of a gateway.
    mutating func note(_ body: RequestBody, _ member: String, of gateway: RadioGateway) throws(Problem) {
        try contacts.note(body, member, of: gateway.name, at: time)
        try storeContact(of: gateway)
    }

    /// Notes a photograph of a gateway.
    mutating func notePhotograph(of gateway: RadioGateway) throws(Problem) {
        contacts.notePhotograph(of: gateway.name, at: time)
        try storeContact(of: gateway)
    }

    /// Stores the time of a post now and then, so that a restart does not forget it.
    private func storeContact(of gateway: RadioGateway) throws(Problem) {
        let age = gateway.lastSeen.map { time.seconds(since: $0) } ?? .infinity
        guard !(0..<GatewayLimits.contactSeconds).contains(age) else { return }
        var gateway = gateway
        gateway.lastSeen = time
        let seen = gateway
        try vault { () throws(VaultError) in try gateways.keep(seen) }
    }

    /// Invalidates a gateway's token; the adverts that it sent are retained.
    func dismissGateway(_ call: RequestContext) throws(Problem) -> [Effect] {
        let name = call.parameter("gateway") ?? ""
        guard var gateway = try vault({ () throws(VaultError) in try gateways.gateway(named: name) }) else {
            throw Problem(404, "unknown-gateway", "There is no gateway \(name).")
        }
        let response = respond(call.web, HTTPResponse(status: 204))
        guard gateway.dismissed == nil else { return [response] }
        gateway.dismissed = time
        let dismissed = gateway
        try vault { () throws(VaultError) in try gateways.keep(dismissed) }
        return changed(.gatewayDismissed, nil, gateway: name, by: call.actor) + [response]
    }

    /// Returns the gateway whose token the request carries; nil if it carries none. Throws if the route neither takes
    /// adverts nor is public.
    func radioGateway(of request: HTTPRequest, for route: Route) throws(Problem) -> RadioGateway? {
        guard let token = SessionCookie.token(of: request),
            let gateway = try vault({ () throws(VaultError) in try gateways.gateway(with: token) })
        else { return nil }
        guard route.takesGateways || route.access == .everyone else {
            throw Problem(
                403, "not-allowed", "A gateway's token is good for sending reports and photographs, and nothing else.")
        }
        return gateway
    }
}

extension Route {
    /// Whether a radio gateway may call the route with its own token.
    var takesGateways: Bool {
        switch duty {
        case .own(.sendAdverts), .own(.sendValues), .own(.uplink), .own(.reportByAddress), .own(.takePhotograph),
            .own(.takePhotographByToken), .own(.reportHub):
            true
        default: false
        }
    }
}

extension RadioGateway {
    /// The source of the gateway's reports; other senders cannot use it.
    var source: String { "gateway/\(name)" }

    var actor: Actor { .node(DeviceID("gateway:\(name)")) }
}
