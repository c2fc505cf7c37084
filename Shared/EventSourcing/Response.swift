/// The response to a command. It is stored with the command's events as long as the journal exists, so that a repeated
/// request with the same idempotency key gets the same response.
public struct Response: Sendable, Equatable {
    /// The status as in HTTP: 2xx done, 4xx refused, 425 too early, 5xx failed.
    public let status: Int
    /// The body, in JSON.
    public let body: [UInt8]
    /// An entity tag (RFC 9110, 8.8.3) without its quotes, which differs for each change of the response. Nil if
    /// responses are not compared; it is never stored.
    public let tag: String?

    /// Creates a response.
    public init(status: Int, body: [UInt8], tag: String? = nil) {
        self.status = status
        self.body = body
        self.tag = tag
    }

    /// Returns 304 Not Modified: the caller already has the response with this tag.
    public static func unchanged(tag: String) -> Response { Response(status: 304, body: [], tag: tag) }

    /// Whether the response is temporary. The same request may succeed later, so it is never stored under its key.
    public var isFailure: Bool { status >= 500 || status == Self.tooEarly }

    /// 425 Too Early (RFC 8470): an event of another service on which the request depends may not be consumed yet.
    public static let tooEarly = 425
}

/// The identity of a command: the actor, the actor's idempotency key and the SHA-256 of the request.
public struct IdempotencyKey: Sendable, Equatable {
    /// The text form of the actor.
    public let actor: String
    /// The idempotency key that the actor chose.
    public let key: String
    /// SHA-256 of the request, 32 bytes.
    public let digest: [UInt8]

    /// Creates a key.
    public init(actor: String, key: String, digest: [UInt8]) {
        self.actor = actor
        self.key = key
        self.digest = digest
    }
}

/// The result of looking up a command's stored response.
public enum IdempotencyLookup: Sendable, Equatable {
    /// No response is stored under the key.
    case unknown
    /// The stored response to the same request.
    case answered(Response)
    /// The key was used for a different request.
    case misused
    /// The stored response fails its checksum, so the original response is unknown.
    case damaged
}
