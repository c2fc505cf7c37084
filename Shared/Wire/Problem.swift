public import EventSourcing
public import JSON

/// An error as RFC 9457 problem details: what is wrong, where, and what to do.
public struct Problem: Error, Equatable, Sendable {
    public let status: Int
    /// A constant name that programs can rely on: `already-harvested`.
    public let code: String
    /// A sentence for people.
    public let detail: String
    public let finality: Finality

    /// Whether the same request can be answered differently later.
    public enum Finality: Equatable, Sendable {
        /// Stored under the request's key and replayed.
        case final
        /// Depends on a state that ends by itself or by an operator's action: never stored.
        case passing
        /// Depends on a reference to what another service's event creates, which may not be consumed yet: never stored.
        case unresolved(reference: String)
    }

    public init(_ status: Int, _ code: String, _ detail: String, _ finality: Finality = .final) {
        self.status = status
        self.code = code
        self.detail = detail
        self.finality = finality
    }

    public static func malformed(_ error: JSONError) -> Problem {
        Problem(400, "malformed", "\(error)")
    }

    public var body: [UInt8] {
        var json = JSONWriter(reserving: 160)
        json.object { json in
            json.field("type", "urn:furrow:problem:" + code)
            json.field("title", code)
            json.field("status", status)
            json.field("detail", detail)
        }
        return json.bytes
    }

    public var answer: Response { Response(status: status, body: body) }
}

extension Response {
    /// A JSON object.
    public static func made(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> Response {
        var json = JSONWriter()
        json.object(write)
        return Response(status: status, body: json.bytes)
    }
}
