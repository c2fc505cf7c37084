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

/// Accounts: creating, listing and erasing them.
extension SyncGateway {
    // MARK: Making accounts

    /// Creates the first administrator with the one-time link. The link is consumed before the password is hashed, so
    /// that only one of many concurrent requests succeeds.
    mutating func setUp(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let body = try call.body()
        let token: String = try body.get("token")
        let applicant = try Applicant(body)
        try checkPassword(applicant.password, own: [applicant.name, applicant.email], tables)
        try checkRoom()
        try vault { () throws(VaultError) in try accounts.takeLink(token, at: time) }.otherwise(.linkGone)
        let number = SHA256.hash(Array("person".utf8), call.web.entropy)
        let person = PersonID(UUID(bytes: number).marked(version: 4).description)
        return try hash(
            applicant.password,
            for: Enrolment(
                web: call.web.withoutBody, person: person, name: applicant.name, email: applicant.email,
                role: .administrator,
                maker: nil))
    }

    /// Creates a staff account. The person's number is derived from the caller's key, so a repeated request finds the
    /// same account.
    mutating func enrol(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let body = try call.body()
        let applicant = try Applicant(body)
        let role: Role = try body.get("role")
        guard role != .buyer else { throw Problem(400, "malformed", "role: buyers sign up themselves.") }
        let person = PersonID(UUID.named("account|\(call.actor)|\(call.key ?? "")", in: .furrow).description)
        if let known = try vault({ () throws(VaultError) in try accounts.account(of: person) }) {
            guard known.name == applicant.name, known.email == applicant.email, known.role == role else {
                throw Problem(422, "key-reused", "This Idempotency-Key was used for another account.")
            }
            return [respond(call.web, .made(201, known.caller(in: nil).write))]
        }
        try vault { () throws(VaultError) in try !accounts.isErased(person) }.otherwise(Problem(.erased))
        try checkPassword(applicant.password, own: [applicant.name, applicant.email], tables)
        try vault { () throws(VaultError) in try accounts.account(email: applicant.email) == nil }
            .otherwise(Problem(.taken))
        try vault { () throws(VaultError) in try accounts.all().count < GatewayLimits.accounts }
            .otherwise(Problem(409, "too-many", "There are \(GatewayLimits.accounts) accounts already."))
        return try hash(
            applicant.password,
            for: Enrolment(
                web: call.web.withoutBody, person: person, name: applicant.name, email: applicant.email, role: role,
                maker: call.caller?.person))
    }

    mutating func hash(_ password: String, for enrolment: Enrolment) throws(Problem) -> [Effect] {
        let account = "enrol \(enrolment.maker?.rawValue ?? Accounts.fingerprint(enrolment.email))"
        return try beginPassword(.enrol(enrolment), account: account, from: enrolment.web) {
            Self.hashed(password)
        }
    }

    // MARK: Reading accounts

    func tellMe(_ call: RequestContext) -> [Effect] {
        [respond(call.web, .made { call.caller?.write(to: &$0) })]
    }

    func listAccounts(_ call: RequestContext) throws(Problem) -> [Effect] {
        let after = call.parameter("after") ?? ""
        let all = try vault { () throws(VaultError) in try accounts.all(after: after) }
        return [
            respond(
                call.web,
                .made { json in
                    json.field(
                        "items",
                        array: { json in
                            for account in all { json.object(account.caller(in: nil).write) }
                        })
                    json.field("next", JSONAny.null)
                })
        ]
    }

    // MARK: Erasing

    mutating func erase(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        try erase(PersonID(call.parameter("person") ?? ""), call, tables)
    }

    /// Erases the caller's own account.
    mutating func eraseMe(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        guard let caller = call.caller, caller.session != nil else {
            throw Problem(409, "no-account", "There is no account behind this token.")
        }
        return try erase(caller.person, call, tables)
    }

    private mutating func erase(
        _ person: PersonID, _ call: RequestContext, _ tables: any Tables
    ) throws(Problem) -> [Effect] {
        if try vault({ () throws(VaultError) in try accounts.isErased(person) }) {
            return [respond(call.web, HTTPResponse(status: 204))]
        }
        guard let account = try vault({ () throws(VaultError) in try accounts.account(of: person) }) else {
            guard tables.get(StaffRow.self, person.rawValue) != nil else {
                let problem = Problem(
                    404, "unknown-account",
                    "There is no such account, nor an imported order of that buyer; check the number.",
                    .unresolved(reference: "person/\(person)"))
                throw unresolved.refusal(problem, at: time)
            }
            // A buyer of imported orders has no account, and can be erased, too. Repeated requests draft the same
            // event, which is recorded once.
            return [.append([Self.erasure(of: person, by: call.actor)]), respond(call.web, HTTPResponse(status: 204))]
        }
        if account.role == .administrator {
            try vault { () throws(VaultError) in try accounts.administrators > 1 }.otherwise(
                Problem(409, "last-administrator", "Somebody has to be left who can make accounts."))
        }
        try vault { () throws(VaultError) in try accounts.erase(person) }
        if account.role == .buyer, let count = buyers { buyers = count - 1 }
        recent.forget(.person(person))
        passwords.succeeded(Accounts.fingerprint(account.email))
        proxies.forget(person)
        signIns.forget(person)
        resetLetters.removeAll { $0.letter.person == person }
        resetRequests.removeAll { $0.email == account.email }
        return [
            .append([Self.erasure(of: person, by: call.actor)]), .hangUp(topic: LiveFeed.topic(of: person)),
            respond(call.web, HTTPResponse(status: 204)),
        ]
    }

    // MARK: Results of workers

    mutating func finished(_ token: UInt64, _ result: [UInt8]) -> [Effect] {
        if let download = downloads.removeValue(forKey: token) { return continueDownload(download, result) }
        guard let job = jobs.removeValue(forKey: token) else { return [] }
        guard job.isPassword else { return finished(job, result) }
        passwords.ended()
        return finished(job, result) + startPasswords()
    }

    private mutating func finished(_ job: PendingWork, _ result: [UInt8]) -> [Effect] {
        switch job {
        case .changePassword(let change): return passwordChanged(change, result)
        case .sendReset(let letter): return resetSent(letter, result)
        case .signIn(let tried): return signedIn(tried, isRight: result == [1])
        case .enrol(let enrolment):
            do throws(Problem) {
                return try enrolled(enrolment, hash: String(decoding: result, as: UTF8.self))
            } catch {
                return [respond(enrolment.web, error)]
            }
        case .keepMedia(let web): return mediaKept(web, result)
        case .giveMedia(let web): return mediaRead(web, result)
        case .storePhotograph(let call): return photographStored(call, result)
        case .say(let row): return said(row, result)
        case .testChannel(let web, let channel): return channelTested(web, channel, DeliveryResult(result))
        case .drawReport(let call): return [reportDrawn(call, result)]
        case .draw(let web, let format, let lot):
            guard !result.isEmpty else {
                return [respond(web, Problem(422, "unprintable", "This label does not fit on its paper."))]
            }
            let name = "\(lot.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })-labels"
            let response = HTTPResponse(status: 200, type: format.type, body: result)
            return [
                respond(
                    web, response.with("Content-Disposition", "attachment; filename=\"\(name).\(format.rawValue)\""))
            ]
        }
    }

    private mutating func enrolled(_ enrolment: Enrolment, hash: String) throws(Problem) -> [Effect] {
        guard !hash.isEmpty else { throw .busy }
        let account = Account(
            person: enrolment.person, name: enrolment.name, email: enrolment.email, role: enrolment.role, hash: hash,
            since: time, signUp: enrolment.signUp)
        if enrolment.maker == nil, enrolment.role == .administrator {
            try vault { () throws(VaultError) in try accounts.administrators == 0 }.otherwise(.linkGone)
        }
        try vault { () throws(VaultError) in
            try accounts.account(email: account.email).map { $0.person == account.person } ?? true
        }
        .otherwise(Problem(.taken))
        try vault { () throws(VaultError) in try accounts.keep(account) }
        if account.role == .buyer, let count = buyers { buyers = count + 1 }
        let told = Effect.append([
            Self.enrolment(of: account.person, as: account.role, by: .person(enrolment.maker ?? account.person))
        ])
        guard enrolment.maker == nil else {
            return [told, respond(enrolment.web, .made(201, account.caller(in: nil).write))]
        }
        return [told] + (try welcome(account, enrolment.web))
    }
}

/// The data of a person for whom an account is to be created.
struct Applicant {
    let name: String
    let email: String
    let password: String

    init(_ body: RequestBody) throws(Problem) {
        name = try body.get("name")
        email = try body.get("email", as: String.self).lowercased()
        password = try body.get("password")
    }
}

extension Problem {
    static let linkGone = Problem(
        410, "link-gone", "This link was used or is older than 15 minutes; the operator's command makes a new one.")
}
