import Crypto
public import HTTP
import JSON
import Vocabulary
import Wire

/// Sends notifications to webhooks and push services. It follows no redirects and connects to allowed addresses only.
public struct ChannelSender: Sendable {
    /// A request that is ready to be sent: signed or encrypted.
    struct Prepared: Sendable {
        let url: String
        let headers: [(String, String)]
        let body: [UInt8]
        var isPush = false
    }

    private let client: HTTPClient
    private let pushClient: HTTPClient
    /// The public URL of the web pages; nil if none is configured.
    let pages: String?
    /// The address at which push services can reach the operator, `mailto:` or `https:`.
    let contact: String?

    /// - Parameters:
    ///   - policy: the addresses of webhooks to which it may connect.
    ///   - pushes: the same of push services, which any person of the staff may name.
    public init(
        policy: AddressPolicy = .publicOnly, pushes: AddressPolicy = .publicOnly, pages: String? = nil,
        contact: String? = nil
    ) {
        client = HTTPClient(policy: policy)
        pushClient = HTTPClient(policy: pushes)
        self.pages = pages
        self.contact = contact
    }

    /// Sends the request; returns its ``DeliveryResult`` in bytes.
    func send(_ request: Prepared) -> [UInt8] {
        do {
            let response = try (request.isPush ? pushClient : client).send(
                "POST", request.url, headers: request.headers, body: request.body,
                timeoutSeconds: GatewayLimits.messageSeconds, isBodyUnread: true)
            let wait = response.headers["Retry-After"].flatMap(Int.init) ?? 0
            return DeliveryResult(
                status: response.status, retryAfter: wait, reason: "the receiver answered with \(response.status)"
            ).bytes
        } catch {
            let hint =
                error.kind == .addressForbidden
                ? "; a private network, or a receiver without TLS, has to be listed in "
                    + (request.isPush ? "FURROW_PUSH_NETWORKS" : "FURROW_DELIVERY_NETWORKS") : ""
            return DeliveryResult(status: 0, retryAfter: 0, reason: error.message + hint).bytes
        }
    }

    /// Returns the request to a webhook, signed by Standard Webhooks 1.0.
    ///
    /// - Parameters:
    ///   - id: stays the same at each attempt, so that the receiver can detect repetitions.
    ///   - now: when the request is sent; the receiver refuses old ones.
    static func webhook(
        _ body: [UInt8], id: String, to url: String, secret: [UInt8], at now: Instant
    ) -> Prepared {
        let stamp = String(now.microseconds / 1_000_000)
        let code = HMACSHA256.code(key: secret, message: Array("\(id).\(stamp).".utf8) + body)
        return Prepared(
            url: url,
            headers: [
                ("Content-Type", "application/json"), ("User-Agent", "Furrow"), ("webhook-id", id),
                ("webhook-timestamp", stamp), ("webhook-signature", "v1,\(BaseEncoding.base64.encode(code))"),
            ], body: body)
    }

    /// Returns the request to a push service (RFC 8030).
    ///
    /// - Parameter id: the notification's id; a repetition replaces the earlier message if a device has not got it.
    func push(
        _ payload: [UInt8], id: UUID, to subscription: PushSubscription, by key: P256Key, at now: Instant,
        isUrgent: Bool = true
    ) throws(CryptoError) -> Prepared {
        let expiry = now.advanced(bySeconds: GatewayLimits.pushTokenSeconds).microseconds / 1_000_000
        return Prepared(
            url: subscription.endpoint,
            headers: [
                ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"),
                ("User-Agent", "Furrow"), ("TTL", String(GatewayLimits.pushSeconds)),
                ("Urgency", isUrgent ? "high" : "normal"),
                ("Topic", Self.topic(id)),
                (
                    "Authorization",
                    try PushIdentification.authorization(
                        to: subscription.endpoint, contact: contact, expiry: expiry, by: key)
                ),
            ], body: try PushEncryption.encrypt(payload, for: subscription), isPush: true)
    }

    /// Returns the topic of a message: 22 characters; RFC 8030 allows 32.
    static func topic(_ id: UUID) -> String { BaseEncoding.base64url.encode(id.bytes) }
}

/// The outcome of one delivery attempt.
struct DeliveryResult {
    /// The status of the response; 0 if there was none.
    let status: Int
    /// The seconds that the receiver wants to wait before the next attempt.
    let retryAfter: Int
    let reason: String

    init(status: Int, retryAfter: Int, reason: String) {
        self.status = status
        self.retryAfter = retryAfter
        self.reason = reason
    }

    /// The status and the seconds in two bytes each, then the reason.
    var bytes: [UInt8] {
        let wait = min(max(retryAfter, 0), GatewayLimits.retryAfterSeconds)
        return [UInt8(status >> 8 & 0xFF), UInt8(status & 0xFF), UInt8(wait >> 8), UInt8(wait & 0xFF)]
            + Array(reason.utf8.prefix(200))
    }

    /// Reads ``bytes``; without any the delivery was not attempted.
    init(_ bytes: [UInt8]) {
        guard bytes.count >= 2 else {
            self.init(status: 0, retryAfter: 0, reason: "too many messages wait")
            return
        }
        let status = Int(bytes[0]) << 8 | Int(bytes[1])
        let wait = bytes.count >= 4 ? Int(bytes[2]) << 8 | Int(bytes[3]) : 0
        let words = String(decoding: bytes.dropFirst(4), as: UTF8.self)
        self.init(
            status: status, retryAfter: wait,
            reason: words.isEmpty ? "the receiver answered with \(status)" : words)
    }

    var isAccepted: Bool { (200...299).contains(status) }
}
