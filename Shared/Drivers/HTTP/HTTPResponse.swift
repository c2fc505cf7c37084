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

    /// A short answer of the server itself.
    static func plain(_ status: Int, _ line: String) -> HTTPResponse {
        HTTPResponse(status: status, type: "text/plain; charset=utf-8", body: Array((line + "\n").utf8))
    }
}
