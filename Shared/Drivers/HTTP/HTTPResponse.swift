/// One response: what a server sends and a client receives.
public struct HTTPResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields; the server adds the length and framing.
    public var headers: HTTPHeaders
    /// The whole body.
    public var body: [UInt8]

    /// Creates a response with header fields.
    public init(status: Int, headers: HTTPHeaders, body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response of a media type.
    ///
    /// - Parameter type: the media type, e.g. `application/json`; nil sends none.
    public init(status: Int, type: String? = nil, body: [UInt8] = []) {
        self.init(status: status, headers: type.map { ["Content-Type": $0] } ?? [:], body: body)
    }

    /// Returns the server's own error response as RFC 9457 problem details: `type`, `title`, `status` and `detail`.
    ///
    /// - Parameter detail: a sentence of this module, which needs no escapes in JSON.
    static func problem(_ status: Int, _ detail: String) -> HTTPResponse {
        let title =
            switch status {
            case 400: "malformed"
            case 413: "too-large"
            case 429: "too-many-requests"
            case 431: "head-too-large"
            case 503: "busy"
            case 504: "no-answer"
            default: "failed"
            }
        let body = """
            {"type":"urn:furrow:problem:\(title)","title":"\(title)","status":\(status),"detail":"\(detail)"}
            """
        return HTTPResponse(status: status, type: "application/problem+json", body: Array(body.utf8))
    }
}
