import Crypto
import EventSourcing
import EventStore
import Events
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// A password change whose hash is being computed.
struct PasswordChange {
    let web: WebRequest
    let person: PersonID
    let change: AccessChanged.Change
    /// The attempt in the password queue; nil if a reset link authorised the change.
    let queued: PasswordQueue.Try?
    /// The session that remains open; nil ends all.
    let session: String?
    let keepsOthers: Bool
}

/// An e-mail with a link that resets a password. It is stored in memory only, because its token is stored nowhere else.
struct ResetEmail {
    let person: PersonID
    let letter: Email
    var tries = 0
}

/// Changing and resetting passwords.
extension SyncGateway {
    /// Throws if a new password is among the first that an attacker guesses.
    func checkPassword(_ password: String, own: [String], _ tables: any Tables) throws(Problem) {
        let keys = [SyncRecordWriter.key("farms", ""), SyncRecordWriter.key("zones", "", of: SyncViews.hidden)]
        let titles = keys.flatMap { tables.scan(SyncRow.self, prefix: $0, limit: GatewayLimits.accounts) }
            .compactMap { $0.text("title") }
        if let fault = PasswordRules.fault(password, own: own + titles + [site]) {
            throw Problem(422, "easy-password", "password: This is too easy to guess: \(fault).")
        }
    }

    mutating func changePassword(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let account = try ownAccount(call)
        let body = try call.body()
        let (old, new): (String, String) = (try body.get("old"), try body.get("password"))
        let keepsOthers = try body.find("keepOthers", as: Bool.self) ?? false
        try checkPassword(new, own: [account.name, account.email], tables)
        let session = call.caller?.session ?? ""
        let queued = PasswordQueue.Try(
            token: takeToken(), network: CallerNetwork.of(call.web.request.peer),
            account: Accounts.fingerprint(account.email), isKnownDevice: !passwords.isDoubtful(session, at: tick))
        let change = PasswordChange(
            web: call.web.withoutBody, person: account.person, change: .passwordChanged, queued: queued,
            session: session, keepsOthers: keepsOthers)
        let hash = account.hash
        return try beginPassword(.changePassword(change), queued) {
            PasswordHash.verify(old, against: hash) ? Self.hashed(new) : [0]
        }
    }

    /// Sets the password with the token of a reset link. The token is consumed before the password is hashed.
    mutating func resetPassword(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let body = try call.body()
        let (token, new): (String, String) = (try body.get("token"), try body.get("password"))
        try checkRoom()
        let account = try vault { () throws(VaultError) in
            try accounts.personOfReset(token, at: time).flatMap { person throws(VaultError) in
                try accounts.account(of: person)
            }
        }
        guard let account else { throw Problem.resetGone }
        try checkPassword(new, own: [account.name, account.email], tables)
        try vault { () throws(VaultError) in try accounts.dropReset(of: account.person) }.otherwise(.resetGone)
        let change = PasswordChange(
            web: call.web.withoutBody, person: account.person, change: .passwordReset, queued: nil, session: nil,
            keepsOthers: false)
        return try beginPassword(.changePassword(change), account: "reset \(account.person)", from: call.web) {
            Self.hashed(new)
        }
    }

    mutating func passwordChanged(_ change: PasswordChange, _ result: [UInt8]) -> [Effect] {
        do throws(Problem) {
            guard result != [0] else {
                if let queued = change.queued { passwords.failed(queued, at: tick) }
                if let session = change.session { passwords.failed(device: session, at: tick) }
                signIns.add(change.person, isDone: false)
                throw Problem(422, "wrong-password", "old: This is not your present password.")
            }
            guard !result.isEmpty else { throw .busy }
            guard var account = try vault({ () throws(VaultError) in try accounts.account(of: change.person) }) else {
                throw Problem(.erased)
            }
            account.hash = String(decoding: result, as: UTF8.self)
            let changed = account
            try vault { () throws(VaultError) in
                try accounts.keep(changed)
                try accounts.dropReset(of: changed.person)
            }
            passwords.succeeded(Accounts.fingerprint(account.email))
            let told = self.changed(change.change, account.person, by: .person(account.person))
            let ended = try change.keepsOthers ? [] : end(account.person, but: change.session)
            if change.change == .passwordReset { return told + ended + (try welcome(account, change.web)) }
            let device = try vault { () throws(VaultError) in
                try devices.make(for: changed, entropy: change.web.entropy)
            }
            let cookie = DeviceCookie.set(device, isSecure: change.web.isSecure)
            return told + ended + [respond(change.web, HTTPResponse(status: 204).with("Set-Cookie", cookie))]
        } catch {
            return [respond(change.web, error)]
        }
    }

    // MARK: Links

    /// Responds at once, and identically for every address. The account is looked up in the next tick, so that the
    /// response time does not reveal whether it exists.
    mutating func requestReset(_ call: RequestContext) throws(Problem) -> [Effect] {
        let email = try call.body().get("email", as: String.self).lowercased()
        let network = "reset \(CallerNetwork.of(call.web.request.peer))"
        if let seconds = throttle.wait(for: network, most: GatewayLimits.resetsOfNetwork, at: time) {
            let problem = Problem(429, "too-many-tries", "Too many links were asked for; wait \(seconds) seconds.")
            return [respond(call.web, HTTPResponse(problem).with("Retry-After", String(seconds)))]
        }
        throttle.begin(network, at: time)
        guard resetRequests.count < GatewayLimits.resetLetters else { throw .busy }
        let token = BaseEncoding.base64url.encode(SHA256.hash(Array("reset".utf8), call.web.entropy))
        resetRequests.append((email, token))
        let mails = mailer?.canLink == true
        return [respond(call.web, .made { $0.field("mail", mails) })]
    }

    /// Creates the reset links that were requested since the last tick, and queues their e-mails.
    mutating func makeResets() -> [Effect] {
        defer { resetRequests = [] }
        var effects: [Effect] = []
        for (email, token) in resetRequests {
            do throws(Problem) {
                effects += try makeReset(email, token)
            } catch {
                effects.append(.note(OperatorEvent("vault_failures")))
            }
        }
        return effects
    }

    private mutating func makeReset(_ email: String, _ token: String) throws(Problem) -> [Effect] {
        guard let mailer, mailer.canLink, resetLetters.count < GatewayLimits.resetLetters,
            let account = try vault({ () throws(VaultError) in try accounts.account(email: email) })
        else { return [] }
        let name = "reset of \(Accounts.fingerprint(email))"
        guard throttle.wait(for: name, most: GatewayLimits.resetsOfAccount, at: time) == nil else { return [] }
        throttle.begin(name, at: time)
        try vault { () throws(VaultError) in
            try accounts.makeReset(
                token, for: account.person, until: time.advanced(bySeconds: GatewayLimits.resetSeconds))
        }
        let letter = mailer.resetLetter(to: account, token: token, at: time, in: texts(for: account))
        resetLetters.append((tick, ResetEmail(person: account.person, letter: letter)))
        return changed(.resetRequested, account.person, by: .service(Self.name))
    }

    /// Sends the reset e-mails that are due.
    mutating func sendResets() -> [Effect] {
        guard let mailer else { return [] }
        let due = resetLetters.filter { $0.due <= tick }
        resetLetters.removeAll { $0.due <= tick }
        return due.map { _, reset in
            let token = takeToken()
            jobs[token] = .sendReset(reset)
            let letter = reset.letter
            return .deliver(token: token, to: OutboxRow.Recipient.mail.rawValue) { mailer.deliver(letter) }
        }
    }

    mutating func resetSent(_ reset: ResetEmail, _ result: [UInt8]) -> [Effect] {
        let status = result.count >= 2 ? Int(result[0]) * 256 + Int(result[1]) : 503
        if (200...299).contains(status) { return [.note(OperatorEvent("reset_letters", labels: ["outcome": "taken"]))] }
        var next = reset
        next.tries += 1
        guard status >= 500, next.tries < GatewayLimits.resetTries else {
            return [
                .note(
                    OperatorEvent(
                        "reset_letters", labels: ["outcome": "failed"], logged: ["person": reset.person.rawValue]))
            ]
        }
        resetLetters.append((tick + GatewayLimits.resetTicks << UInt64(next.tries), next))
        return []
    }

    /// Creates a reset link for the operator's command, which prints it.
    mutating func resetUser(_ ask: Request) -> [Effect] {
        do throws(Problem) {
            guard ask.actor == .service("console") else {
                throw Problem(403, "not-allowed", "Only the operator's command makes such links.")
            }
            let email = try RequestBody(ask.body).get("email", as: String.self).lowercased()
            guard let account = try vault({ () throws(VaultError) in try accounts.account(email: email) }) else {
                throw Problem(404, "unknown-account", "There is no account with this e-mail address.")
            }
            let token = BaseEncoding.base64url.encode(SHA256.hash(Array("reset".utf8), ask.entropy))
            let expires = time.advanced(bySeconds: GatewayLimits.resetSeconds)
            try vault { () throws(VaultError) in
                try accounts.makeReset(token, for: account.person, until: expires)
            }
            let answer = Response.made { json in
                json.field("token", token)
                json.field("expires", expires)
            }
            return changed(.resetLinkMade, account.person, by: ask.actor) + [.reply(ask, answer)]
        } catch {
            return [.reply(ask, error.answer)]
        }
    }

    // MARK: Tools

    func ownAccount(_ call: RequestContext) throws(Problem) -> Account {
        guard let caller = call.caller, caller.session != nil,
            let account = try vault({ () throws(VaultError) in try accounts.account(of: caller.person) })
        else { throw Problem(409, "no-account", "There is no account behind this token.") }
        return account
    }

    /// Returns the effects that record and log a change of access.
    func changed(
        _ change: AccessChanged.Change, _ person: PersonID?, gateway: String? = nil, device: DeviceID? = nil,
        by actor: Actor
    ) -> [Effect] {
        let stream =
            person.map { "person/\($0)" } ?? device.map { "device/\($0)" } ?? "gateway/\(gateway ?? "")"
        var logged = ["actor": "\(actor)"]
        logged["person"] = person?.rawValue
        logged["gateway"] = gateway
        logged["device"] = device?.rawValue
        let event = AccessChanged(change: change, person: person, gateway: gateway, device: device)
        return [
            .append([Draft(event, in: stream, by: actor)]),
            .note(OperatorEvent("access_changes", labels: ["change": change.rawValue], logged: logged)),
        ]
    }
}

extension Problem {
    static let resetGone = Problem(
        410, "link-gone", "This link was used or is older than one hour; ask for another one.")
}

extension Mailer {
    /// Whether e-mails can contain links: the public URL of the pages is configured.
    var canLink: Bool { pages != nil }

    func resetLetter(to account: Account, token: String, at time: Instant, in words: MessageTexts) -> Email {
        let text = """
            \(account.name),

            \(words("a new password was requested for your account. Choose it with this link:"))

            \(pages ?? "")/reset#\(token)

            \(words("It works once and for one hour. If it was not you, do nothing: your password stays as it is."))

            """
        return Email(
            number: Accounts.fingerprint(token), recipient: account.email, subject: words("Your new password"),
            text: text, date: time)
    }
}
