/// What a command was answered, kept with its events for the life of the journal: the same key gets the same answer.
public struct Response: Sendable, Equatable {
    /// As in HTTP: 2xx done, 4xx refused, 425 too early, 5xx failed here and now.
    public let status: Int
    /// JSON.
    public let body: [UInt8]
    /// An entity tag (RFC 9110, 8.8.3) without its quotes: another one with every change of the answer. Nil where
    /// answers are not compared; it is never stored.
    public let tag: String?

    public init(status: Int, body: [UInt8], tag: String? = nil) {
        self.status = status
        self.body = body
        self.tag = tag
    }

    /// The caller has this answer already.
    public static func unchanged(tag: String) -> Response { Response(status: 304, body: [], tag: tag) }

    /// Temporary: the same request may succeed later, so it is never stored under its key.
    public var isFailure: Bool { status >= 500 || status == Self.tooEarly }

    /// An event of another service that the request depends on may not be consumed yet (RFC 8470's status).
    public static let tooEarly = 425
}

/// Which command it was: who asked, under which key of theirs, and what exactly (SHA-256 of the request).
public struct IdempotencyKey: Sendable, Equatable {
    public let actor: String
    public let key: String
    public let digest: [UInt8]

    public init(actor: String, key: String, digest: [UInt8]) {
        self.actor = actor
        self.key = key
        self.digest = digest
    }
}

/// What is known of a command that may have been asked before.
public enum IdempotencyLookup: Sendable, Equatable {
    case unknown
    case answered(Response)
    /// The key was used for a different request.
    case misused
    /// What is kept of it is not what was kept: nobody can say any more what was answered.
    case damaged
}
