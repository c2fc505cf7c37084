import Crypto
import EventStore
import Events
import HTTP
import Host
import Vault
import Vocabulary
import Wire

/// Signing in and out. A wrong password costs time; it never locks the right one out.
extension SyncGateway {
    mutating func signIn(_ call: RequestContext) throws(Problem) -> [Effect] {
        let body = try call.body()
        let email = try body.get("email", as: String.self).lowercased()
        let password: String = try body.get("password")
        let request = call.web.request
        proxies.see(request.peer, forwarded: Self.forwarded(request))
        let account = try vault { () throws(VaultError) in try accounts.account(email: email) }
        let device = try account.flatMap { account throws(Problem) in try knownDevice(request, account) }
        let queued = PasswordQueue.Try(
            token: takeToken(), network: CallerNetwork.of(request.peer), account: Accounts.fingerprint(email),
            isKnownDevice: device != nil)
        let tried = SignIn(
            web: call.web.withoutBody, person: account?.person, queued: queued, device: device)
        // An unknown account takes as much time as a known one.
        let hash = account?.hash ?? nobodysHash
        return try beginPassword(.signIn(tried), queued) {
            PasswordHash.verify(password, against: hash) ? [1] : [0]
        }
    }

    /// Returns the device if this account has signed in on it before and it has few failures; else nil.
    private func knownDevice(_ request: HTTPRequest, _ account: Account) throws(Problem) -> String? {
        guard let cookie = DeviceCookie.value(of: request),
            let device = try vault({ () throws(VaultError) in try devices.name(in: cookie, for: account) }),
            !passwords.isDoubtful(device, at: tick)
        else { return nil }
        return device
    }

    mutating func signedIn(_ tried: SignIn, isRight: Bool) -> [Effect] {
        do throws(Problem) {
            let account = try tried.person.flatMap { person throws(Problem) in
                try vault { () throws(VaultError) in try accounts.account(of: person) }
            }
            guard isRight, let account else {
                passwords.failed(tried.queued, at: tick)
                signIns.add(tried.person, isDone: false)
                if let device = tried.device { passwords.failed(device: device, at: tick) }
                return [
                    respond(
                        tried.web, Problem(401, "wrong-credentials", "This e-mail address and password don't fit.")),
                    note(tried, "refused"),
                ]
            }
            passwords.succeeded(tried.queued.account)
            proxies.signedIn(account.person, from: tried.web.request.peer)
            signIns.add(account.person, isDone: true)
            return try welcome(account, tried.web) + [note(tried, "done")]
        } catch {
            return [respond(tried.web, error)]
        }
    }

    /// Counts and logs a sign-in, with the person's number and a part of the network's address.
    private func note(_ tried: SignIn, _ outcome: String) -> Effect {
        .note(
            OperatorEvent(
                "sign_ins", labels: ["outcome": outcome],
                logged: [
                    "person": tried.person?.rawValue ?? "unknown",
                    "network": CallerNetwork.shown(tried.web.request.peer),
                ]))
    }

    /// Opens a session for a person whose password is verified, and makes the device known to the account.
    func welcome(_ account: Account, _ web: WebRequest) throws(Problem) -> [Effect] {
        let token = BaseEncoding.base64url.encode(web.entropy)
        let session = Session(
            person: account.person, at: time, device: DeviceName.of(web.request.headers["User-Agent"]),
            network: CallerNetwork.shown(web.request.peer))
        let replaced = try vault { () throws(VaultError) in try accounts.open(token, session, for: account) }
        let device = try vault { () throws(VaultError) in try devices.make(for: account, entropy: web.entropy) }
        let response = HTTPResponse.made(201, account.caller(in: nil).write)
            .with("Set-Cookie", DeviceCookie.set(device, isSecure: web.isSecure))
            // The session's cookie is last, because some programs retain only the last field of a name.
            .adding("Set-Cookie", SessionCookie.set(token, isSecure: web.isSecure))
        return (replaced.map { [.hangUp(topic: $0)] } ?? []) + [respond(web, response)]
    }

    func signOut(_ call: RequestContext) throws(Problem) -> [Effect] {
        let response = HTTPResponse(status: 204).with("Set-Cookie", SessionCookie.remove(isSecure: call.web.isSecure))
        guard let session = call.caller?.session else { return [respond(call.web, response)] }
        try vault { () throws(VaultError) in try accounts.close(session) }
        return [.hangUp(topic: session), respond(call.web, response)]
    }

    private static func forwarded(_ request: HTTPRequest) -> [String] {
        request.headers.all("X-Forwarded-For").flatMap { $0.split(separator: ",").map(String.init) }
    }

    // MARK: The queue

    /// Throws `busy` if the password queue is full.
    func checkRoom() throws(Problem) {
        guard !passwords.isFull else { throw .busy }
    }

    /// Queues a password to be hashed, counted under the caller's network.
    mutating func beginPassword(
        _ job: PendingWork, account: String, from web: WebRequest, _ work: @escaping @Sendable () -> [UInt8]
    ) throws(Problem) -> [Effect] {
        let network = CallerNetwork.of(web.request.peer)
        return try beginPassword(
            job, PasswordQueue.Try(token: takeToken(), network: network, account: account), work)
    }

    mutating func beginPassword(
        _ job: PendingWork, _ queued: PasswordQueue.Try, _ work: @escaping @Sendable () -> [UInt8]
    ) throws(Problem) -> [Effect] {
        if let dropped = passwords.add(queued, at: tick) {
            guard dropped.token != queued.token else { throw .busy }
            jobs[queued.token] = job
            passwordWork[queued.token] = work
            passwordWork[dropped.token] = nil
            let web = jobs.removeValue(forKey: dropped.token)?.web
            return (web.map { [respond($0, .busy)] } ?? []) + startPasswords()
        }
        jobs[queued.token] = job
        passwordWork[queued.token] = work
        return startPasswords()
    }

    /// Starts the checks of the passwords whose turn it is.
    mutating func startPasswords() -> [Effect] {
        var effects: [Effect] = []
        while let token = passwords.next(at: tick) {
            guard let work = passwordWork.removeValue(forKey: token) else {
                passwords.ended()
                continue
            }
            effects.append(.work(token: token, work))
        }
        return effects
    }

    /// Returns the encoded hash of a password; empty if there is not enough memory.
    static func hashed(_ password: String) -> [UInt8] {
        do {
            return Array(try PasswordHash.make(password).utf8)
        } catch {
            return []
        }
    }
}

extension WebRequest {
    /// The request without its body, so that a queued request takes little memory.
    var withoutBody: WebRequest {
        WebRequest(
            id: id,
            request: HTTPRequest(
                method: request.method, target: request.target, path: request.path, query: request.query,
                headers: request.headers, peer: request.peer, isHead: request.isHead, isSecure: request.isSecure),
            entropy: entropy)
    }
}
