public import EventSourcing
public import JSON

/// An error as RFC 9457 problem details: what is wrong, where, and what to do.
///
/// ```
/// throw Problem(409, "already-harvested", "This plot is already harvested.")
/// ```
public struct Problem: Error, Equatable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// A constant name for programs: `already-harvested`.
    public let code: String
    /// A sentence for people.
    public let detail: String
    /// Whether the response is stored under the request's idempotency key.
    public let finality: Finality

    /// Whether a retry of the request can have another outcome.
    public enum Finality: Equatable, Sendable {
        /// Stored under the request's idempotency key and replayed.
        case final
        /// Depends on a state that ends by itself or by an operator's action: never stored.
        case passing
        /// Depends on an entity of another service whose event may not be consumed yet: never stored.
        case unresolved(reference: String)
    }

    /// Creates a problem; `final` unless another finality is given.
    public init(_ status: Int, _ code: String, _ detail: String, _ finality: Finality = .final) {
        self.status = status
        self.code = code
        self.detail = detail
        self.finality = finality
    }

    /// Returns a 400 for a malformed request, with the path of the error.
    public static func malformed(_ error: JSONError) -> Problem {
        Problem(400, "malformed", "\(error)")
    }

    /// The problem details as JSON.
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

    /// The HTTP response.
    public var answer: Response { Response(status: status, body: body) }
}

extension Response {
    /// Returns a response whose body is a record.
    public static func made(_ record: some JSONRecord) -> Response { made(200, record.write(fields:)) }

    /// Returns a response whose body is a JSON object.
    public static func made(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> Response {
        var json = JSONWriter()
        json.object(write)
        return Response(status: status, body: json.bytes)
    }
}
