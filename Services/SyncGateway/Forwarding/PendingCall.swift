import Events
import Host
import Vocabulary

/// What an answer of another service is waited for.
enum PendingCall {
    case command(WebRequest, Forwarded)
    case query(WebRequest, QueryForm)
    /// What became of a command.
    case status(WebRequest, Forwarded)
    /// One part of a batch.
    case part(batch: UInt64, number: Int)
    /// One of the changes that a client pushes.
    case pushed(push: UInt64, number: Int)
    case refresh(PassportCall)
    /// How one service stands, for whoever asked about all.
    case standing(of: UInt64, number: Int)
    case proof(PassportCall)
    case labels(WebRequest, LabelFormat, serial: String?)
    /// What the market keeps of somebody who wants to see all of it.
    case export(WebRequest, Caller)
    /// The market is told where a buyer can pay.
    case opened(OutboxRow)
}

/// How the answer to a query is given on.
enum QueryForm {
    case json
    /// A signed note as text.
    case note
    /// The hashes of a tile as bytes.
    case tile
}

/// A passport that is asked for.
struct PassportCall {
    let web: WebRequest
    let lot: String
    /// The size of the tree that the caller saw last.
    let since: String?
    /// When to give up looking for a proof that is still being written.
    let patience: UInt64
}

/// What a worker is waited for.
enum PendingWork {
    case signIn(SignIn)
    case enrol(Enrolment)
    case changePassword(PasswordChange)
    case sendReset(ResetEmail)
    case draw(WebRequest, LabelFormat, lot: String)
    case keepMedia(WebRequest)
    case giveMedia(WebRequest)
    /// A message of the outbox.
    case say(OutboxRow)

    var isPassword: Bool { bench == .passwords }

    /// The request that waits for a password's hash.
    var web: WebRequest? {
        switch self {
        case .signIn(let tried): tried.web
        case .enrol(let enrolment): enrolment.web
        case .draw(let web, _, _), .keepMedia(let web), .giveMedia(let web): web
        case .changePassword(let change): change.web
        case .say, .sendReset: nil
        }
    }

    /// What is counted together.
    enum Bench: Sendable, Equatable {
        case passwords
        case drawings
        case pictures
        case messages(OutboxRow.Recipient)
        case resets
    }

    var bench: Bench {
        switch self {
        case .signIn, .enrol, .changePassword: .passwords
        case .sendReset: .resets
        case .draw: .drawings
        case .keepMedia, .giveMedia: .pictures
        case .say(let row): .messages(row.to)
        }
    }
}

/// Somebody signs in.
struct SignIn {
    let web: WebRequest
    /// Nil where there is no such account.
    let person: PersonID?
    /// What the queue knows the try by.
    let queued: PasswordQueue.Try
    /// The known device that it came from; nil for any other.
    let device: String?
}

/// An account is made.
struct Enrolment {
    let web: WebRequest
    let person: PersonID
    let name: String
    let email: String
    let role: Role
    /// Who makes it; nil for whoever makes their own: the first administrator with the set-up link, and buyers.
    let maker: PersonID?
    /// The fingerprint of the key that a buyer signed up under.
    var signUp: String?
}
