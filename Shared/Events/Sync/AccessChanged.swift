public import EventSourcing
public import JSON
public import Vocabulary

/// Credentials were changed: a password, a reset link, sessions, or a radio gateway's token.
public struct AccessChanged: Event, Equatable {
    public static let name = "farm.furrow.sync.access-changed.v1"

    /// The kind of change.
    public enum Change: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
        /// The person changed their password, knowing the old one.
        case passwordChanged = "password-changed"
        /// A one-time link set the password.
        case passwordReset = "password-reset"
        /// The person requested a link by e-mail.
        case resetRequested = "reset-requested"
        /// The operator created a link with a command.
        case resetLinkMade = "reset-link-made"
        /// A person ended sessions on other devices.
        case sessionsEnded = "sessions-ended"
        case gatewayAdmitted = "gateway-admitted"
        case gatewayDismissed = "gateway-dismissed"
    }

    public var change: Change
    /// The person whose access changed; nil for a radio gateway.
    public var person: PersonID?
    /// The radio gateway; nil for a person.
    public var gateway: String?

    public init(_ change: Change, person: PersonID? = nil, gateway: String? = nil) {
        self.change = change
        self.person = person
        self.gateway = gateway
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        change = try json.get("change")
        person = try json.find("person")
        gateway = try json.find("gateway")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("change", change)
        json.field("person", ifPresent: person)
        json.field("gateway", ifPresent: gateway)
    }
}
