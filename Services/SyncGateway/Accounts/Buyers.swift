import EventSourcing
import EventStore
import Events
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// The buyers' own accounts: sign-up and data export.
extension SyncGateway {
    /// Creates a buyer's account. A repeated request with its key and password signs in to the same account.
    mutating func signUp(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let applicant = try Applicant(call.body())
        try checkRoom()
        let key = Accounts.fingerprint("\(call.key ?? "")|\(applicant.email)")
        if let known = try vault({ () throws(VaultError) in try accounts.account(email: applicant.email) }) {
            guard known.signUp == key else { throw Problem(.taken) }
            return try signIn(call)
        }
        try checkPassword(applicant.password, own: [applicant.name, applicant.email], tables)
        let peer = "sign-up \(CallerNetwork.of(call.web.request.peer))"
        if let seconds = throttle.wait(for: peer, most: GatewayLimits.signUps, at: time) {
            let problem = Problem(429, "too-many-tries", "Too many accounts come from here; wait \(seconds) seconds.")
            return [respond(call.web, HTTPResponse(problem).with("Retry-After", String(seconds)))]
        }
        try (countBuyers() < GatewayLimits.buyers).otherwise(
            Problem(409, "too-many", "There are \(GatewayLimits.buyers) buyers already."))
        throttle.begin(peer, at: time)
        let person = PersonID(UUID(bytes: Array(call.web.entropy.prefix(16))).marked(version: 4).description)
        var enrolment = Enrolment(
            web: call.web.withoutBody, person: person, name: applicant.name, email: applicant.email, role: .buyer,
            maker: nil)
        enrolment.signUp = key
        return try hash(applicant.password, for: enrolment)
    }

    /// Returns the number of buyers. It is counted once and then updated.
    private mutating func countBuyers() throws(Problem) -> Int {
        if let buyers { return buyers }
        var count = 0
        try vault { () throws(VaultError) in try accounts.eachBuyer { _ in count += 1 } }
        buyers = count
        return count
    }

    mutating func exportMe(_ call: RequestContext) throws(Problem) -> [Effect] {
        guard let caller = call.caller else { throw Problem(401, "not-signed-in", "Sign in first.") }
        return try begin(.export(call.web, caller, market: nil)) { token in
            OutgoingRequest(
                MarketQueryName.export, body: Array("{}".utf8), actor: call.actor, token: token,
                seconds: GatewayLimits.querySeconds)
        }
    }
}
