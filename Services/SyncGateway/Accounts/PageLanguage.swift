import EventSourcing
import HTTP
import Host
import JSON
import Vault
import Wire

/// A language of pages and messages; each but English has catalogues of their texts in `Web/languages`.
enum PageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case spanish = "es"
}

extension SyncGateway {
    /// Stores the language of the caller's pages and messages. It is personal data, so it is in the vault alone.
    func setLanguage(_ call: RequestContext) throws(Problem) -> [Effect] {
        var account = try ownAccount(call)
        account.language = PageLanguage(rawValue: try call.body().get("language"))
        try vault { () throws(VaultError) in try accounts.keep(account) }
        return [respond(call.web, HTTPResponse(status: 204))]
    }
}
