import EventSourcing
import Events
import Host
import Vocabulary

/// A request to another service whose response is pending.
enum PendingCall {
    case command(WebRequest, Forwarded)
    case query(WebRequest, QueryForm)
    /// A page of a CSV file.
    case download(Download)
    /// The outcome of an earlier command.
    case status(WebRequest, Forwarded)
    /// A part of a batch.
    case part(batch: UInt64, number: Int)
    /// A change that a client pushed.
    case pushed(push: UInt64, number: Int)
    case refresh(PassportCall)
    /// The status of one service, for the page about the server.
    case standing(of: UInt64, number: Int)
    case proof(PassportCall)
    case labels(WebRequest, LabelFormat, serial: String?)
    case report(StocktakeReportCall)
    /// The data that the market, and then the recommender, store about a person, for their export.
    case export(WebRequest, Caller, market: Response?)
    /// The notification to the market of the page where a buyer can pay.
    case opened(OutboxRow)
}

/// The form in which the response to a query is passed on.
enum QueryForm {
    case json
    /// A signed note as text.
    case note
    /// The hashes of a tile as bytes.
    case tile
}

/// A request for a passport.
struct PassportCall {
    let web: WebRequest
    let lot: String
    /// The size of the Merkle tree that the caller saw last.
    let since: String?
    /// The tick at which waiting for a proof ends.
    let patience: UInt64
}

/// Work on another thread whose result is pending.
enum PendingWork {
    case signIn(SignIn)
    case enrol(Enrolment)
    case changePassword(PasswordChange)
    case sendReset(ResetEmail)
    case draw(WebRequest, LabelFormat, lot: String)
    /// A report of a stocktake, to be sent to the caller or by e-mail.
    case drawReport(StocktakeReportCall)
    case keepMedia(WebRequest)
    case giveMedia(WebRequest)
    case storePhotograph(PhotographCall)
    /// The delivery of an outbox message.
    case say(OutboxRow)
    /// A test of a channel.
    case testChannel(WebRequest, Channel)

    var isPassword: Bool { bench == .passwords }

    /// The request that waits for the result; nil for messages.
    var web: WebRequest? {
        switch self {
        case .signIn(let tried): tried.web
        case .enrol(let enrolment): enrolment.web
        case .draw(let web, _, _), .keepMedia(let web), .giveMedia(let web): web
        case .drawReport(let call): call.web
        case .storePhotograph(let call): call.web
        case .changePassword(let change): change.web
        case .testChannel(let web, _): web
        case .say, .sendReset: nil
        }
    }

    /// The kinds of work that share a limit.
    enum Bench: Sendable, Equatable {
        case passwords
        case drawings
        case reports
        case pictures
        case messages(OutboxRow.Recipient)
        case resets
        case channelTests
    }

    var bench: Bench {
        switch self {
        case .signIn, .enrol, .changePassword: .passwords
        case .sendReset: .resets
        case .draw: .drawings
        case .drawReport: .reports
        case .keepMedia, .giveMedia, .storePhotograph: .pictures
        case .say(let row): .messages(row.to)
        case .testChannel: .channelTests
        }
    }

    /// The recipient whose thread delivers; nil for local work. Channels share a few threads, so that one that does not
    /// respond delays few others.
    var recipient: String? {
        switch self {
        case .say(let row):
            guard let channel = row.channel else { return row.to.rawValue }
            return "\(row.to.rawValue)-\(Int(channel.bytes.last ?? 0) % GatewayLimits.channelThreads)"
        case .testChannel: return "channel-test"
        case .signIn, .enrol, .changePassword, .sendReset, .draw, .drawReport, .keepMedia, .giveMedia,
            .storePhotograph:
            return nil
        }
    }
}

/// A sign-in whose password is being checked.
struct SignIn {
    let web: WebRequest
    /// The account's person; nil if there is no such account.
    let person: PersonID?
    /// The attempt in the password queue.
    let queued: PasswordQueue.Try
    /// The known device that the request came from; nil for any other.
    let device: String?
}

/// An account that is being created.
struct Enrolment {
    let web: WebRequest
    let person: PersonID
    let name: String
    let email: String
    let role: Role
    /// The administrator who creates it; nil for the first administrator with the set-up link and for buyers.
    let maker: PersonID?
    /// The fingerprint of the idempotency key of a buyer's sign-up.
    var signUp: String?
}
