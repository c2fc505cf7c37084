import Events
import Wire

/// A route of the public API: its path, access, handler and schemas. The router and the API description both use it.
struct Route: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
        case patch = "PATCH"

        var isMutation: Bool { self != .get }
    }

    enum Access: Sendable, Equatable {
        case everyone
        /// A radio gateway, by its token (``UplinkToken``).
        case radioGateway
        case atLeast(Role)

        /// Who may call, in a sentence.
        var sentence: String {
            switch self {
            case .everyone: "For everyone, without signing in."
            case .radioGateway: "For radio gateways, with their token."
            case .atLeast(let role): "For those who are at least \(role.rawValue)."
            }
        }
    }

    enum Handler: Sendable {
        case command(CommandName)
        case query(QueryName)
        case own(Action)
    }

    enum BodyFormat: Sendable {
        case nothing
        case json(Shape)
        case octets
        /// JSON in the form of another make, sent by a device that can set neither a media type nor an idempotency key.
        case deviceJSON
        /// The bytes of a picture, as cameras send them.
        case picture

        /// The format in a request: an optional member may also be null.
        fileprivate var asked: BodyFormat {
            if case .json(let shape) = self { .json(shape.asked) } else { self }
        }
    }

    enum Outcome: Sendable {
        case json(Int, APISchema)
        case file(String)
        case nothing(Int)
    }

    /// A parameter of the path or the query, or a header.
    struct Parameter: Sendable {
        let name: String
        let schema: APISchema
        let isRequired: Bool
        /// What it means; nil for those that are not declared yet.
        var documentation: String?
    }

    let method: Method
    let path: PathTemplate
    /// Unique among all routes.
    let name: String
    let access: Access
    let duty: Handler
    let summary: String
    var parameters: [Parameter]
    /// What the parameters of the path mean, as far as they are declared.
    var pathDocumentation: [String: String] = [:]
    let takes: BodyFormat
    let gives: Outcome
    /// The headers of this route, besides those that all routes have.
    var headers: [Parameter] = []
    /// Whether the response is the same for every caller and has an entity tag. A request that names the tag gets 304.
    var isShared = false
    /// Whether the list is also available as CSV.
    var isTable = false

    init(
        _ method: Method, _ path: PathTemplate, _ name: String, _ access: Access, _ duty: Handler, _ summary: String,
        _ parameters: Shape, _ takes: BodyFormat, _ gives: Outcome
    ) {
        self.method = method
        self.path = path
        self.name = name
        self.access = access
        self.duty = duty
        self.summary = summary
        self.parameters = parameters.parameters
        self.takes = takes.asked
        self.gives = gives
    }

    /// Whether it is a change in another service, whose outcome may be unknown when the response is due.
    var mayBeUnknown: Bool {
        switch duty {
        case .command, .own(.hearNotice): true
        case .query, .own: false
        }
    }

    /// The parameters of the path.
    var pathParameters: [Parameter] {
        path.parameters.map { name in
            Parameter(
                name: name, schema: Routes.part(name), isRequired: true, documentation: pathDocumentation[name])
        }
    }

    var hasBody: Bool {
        if case .nothing = takes { false } else { true }
    }

    /// Whether unauthenticated requests are limited by network. Changes have limits of their own.
    var isMetered: Bool { access == .everyone && !method.isMutation }

    /// The tokens that one request takes from its network's bucket.
    var cost: Double {
        if case .own(.media) = duty { GatewayLimits.pictureCost } else { 1 }
    }

    /// Whether unknown names are refused: under `/v1`.
    var isStrict: Bool { path.segments.first == .word("v1") && access != .radioGateway }

    /// Whether the request requires an `Idempotency-Key`: every change, except by devices that may not set headers.
    var needsKey: Bool {
        if access == .radioGateway { return false }
        if case .own(.gorse) = duty { return false }
        return switch takes {
        case .deviceJSON, .picture: false
        case .nothing, .json, .octets: method.isMutation
        }
    }
}

/// The requests that the gateway handles itself.
enum Action: Sendable, Equatable {
    case describe
    case setUp
    case signIn
    case signOut
    case tellMe
    case listAccounts
    case enrol
    case erase
    case admitGateway
    case listGateways
    case listBeacons
    case listDeviceKeys
    case setDeviceKey
    case removeDeviceKey
    case dismissGateway
    case signUp
    case changePassword
    case setLanguage
    case setNotificationHours
    case listSessions
    case endSession
    case endSessions
    case requestReset
    case resetPassword
    case auditLog
    case eraseMe
    case exportMe
    case hearNotice
    case live
    case pull
    case pullLive
    case push
    case present
    case keepMedia
    /// Stores a photograph; the other takes the token in the address.
    case takePhotograph
    case takePhotographByToken
    case media
    case commandStatus
    case operations
    case listGivenUp
    case sendAdverts
    case uplink(isTokenInPath: Bool)
    case reportByAddress
    case reportHub
    case sendCapture
    case sendValues
    case passport
    case ledgerKeys
    case publisherKey
    case sealingKey
    case checkpoint
    case tile
    case shelves
    case picks
    case why
    case gorse(GorseCall)
    case makeWebhook
    case listWebhooks
    case removeWebhook
    case testWebhook
    case listOwnChannels
    case subscribePush
    case removeOwnChannel
    case testOwnChannel
    case listNotifications
    case labels(LabelFormat)
    case stocktakeReport
    case mailStocktakeReport

    /// The name of the operation in the API description.
    var name: String {
        switch self {
        case .describe: "openapi"
        case .setUp: "set-up"
        case .signIn: "sign-in"
        case .signOut: "sign-out"
        case .tellMe: "me"
        case .listAccounts: "accounts"
        case .enrol: "enrol"
        case .erase: "erase-account"
        case .admitGateway: "admit-gateway"
        case .listGateways: "gateways"
        case .listBeacons: "beacons"
        case .listDeviceKeys: "device-keys"
        case .setDeviceKey: "set-device-key"
        case .removeDeviceKey: "remove-device-key"
        case .dismissGateway: "dismiss-gateway"
        case .signUp: "sign-up"
        case .changePassword: "change-password"
        case .setLanguage: "set-language"
        case .setNotificationHours: "set-promotion-hours"
        case .listSessions: "sessions"
        case .endSession: "end-session"
        case .endSessions: "end-sessions"
        case .requestReset: "request-reset"
        case .resetPassword: "reset-password"
        case .auditLog: "audit-log"
        case .eraseMe: "erase-me"
        case .exportMe: "export-me"
        case .hearNotice: "payment-notice"
        case .live: "live"
        case .pull: "sync-pull"
        case .pullLive: "sync-live"
        case .push: "sync-push"
        case .present: "present-site"
        case .keepMedia: "keep-media"
        case .takePhotograph: "take-photograph"
        case .takePhotographByToken: "take-photograph-by-token"
        case .media: "media"
        case .commandStatus: "command-status"
        case .operations: "operations"
        case .listGivenUp: "given-up-messages"
        case .sendAdverts: "ingest-adverts"
        case .uplink(let isTokenInPath): isTokenInPath ? "uplink-by-address" : "uplink"
        case .reportByAddress: "report-by-address"
        case .reportHub: "report-hub"
        case .sendCapture: "ingest-capture"
        case .sendValues: "ingest-values"
        case .passport: "passport"
        case .ledgerKeys: "ledger-keys"
        case .publisherKey: "publisher-key"
        case .sealingKey: "sealing-key"
        case .checkpoint: "checkpoint"
        case .tile: "tile"
        case .shelves: "shelves"
        case .picks: "picks"
        case .why: "why"
        case .gorse(let call): "gorse-\(call.rawValue)"
        case .makeWebhook: "make-webhook"
        case .listWebhooks: "webhooks"
        case .removeWebhook: "remove-webhook"
        case .testWebhook: "test-webhook"
        case .listOwnChannels: "own-channels"
        case .subscribePush: "subscribe-push"
        case .removeOwnChannel: "remove-own-channel"
        case .testOwnChannel: "test-own-channel"
        case .listNotifications: "notifications"
        case .labels(let format): "labels-\(format.rawValue)"
        case .stocktakeReport: "stocktake-report"
        case .mailStocktakeReport: "mail-stocktake-report"
        }
    }
}
