import EventStore
import Vault
import Wire

extension Problem {
    static let busy = Problem(503, "busy", "Too much is going on; try again in a second.")

    init(_ error: VaultError) {
        switch error {
        case .taken: self.init(409, "email-taken", "There is an account with this e-mail address already.")
        case .erased: self.init(410, "erased", "This account was erased.")
        case .tooLarge: self.init(400, "malformed", "A field is too long.")
        case .unreadable, .failed:
            self.init(503, "vault", "The accounts cannot be read or written just now; the operator's log says why.")
        }
    }
}

extension Bool {
    /// Throws `problem` if the value is false.
    func otherwise(_ problem: Problem) throws(Problem) {
        guard self else { throw problem }
    }
}
