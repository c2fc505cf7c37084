/// One answer: what a server sends, and what a client gets.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: HTTPHeaders
    public var body: [UInt8]

    public init(status: Int, headers: HTTPHeaders, body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// - Parameter type: the media type, e.g. `application/json`; nil sends none.
    public init(status: Int, type: String? = nil, body: [UInt8] = []) {
        self.init(status: status, headers: type.map { ["Content-Type": $0] } ?? [:], body: body)
    }

    /// An answer of the server itself, as RFC 9457 problem details: `type`, `title`, `status` and `detail`.
    ///
    /// - Parameter detail: a sentence of ours, which needs no escapes in JSON.
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
