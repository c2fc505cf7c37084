/// HTTP messages as bytes (RFC 9292), of known length, without informational responses and trailers.
public enum BinaryHTTP {
    /// A request, as it is carried inside another message.
    public struct Request: Hashable, Sendable {
        public var method: String
        /// The host of the server, with its port if it has one; may be empty.
        public var authority: String
        /// Path and query.
        public var path: String
        public var fields: [Field]
        public var body: [UInt8]

        public init(method: String, authority: String = "", path: String, fields: [Field] = [], body: [UInt8] = []) {
            self.method = method
            self.authority = authority
            self.path = path
            self.fields = fields
            self.body = body
        }
    }

    /// A response.
    public struct Response: Hashable, Sendable {
        public var status: Int
        public var fields: [Field]
        public var body: [UInt8]

        public init(status: Int, fields: [Field] = [], body: [UInt8] = []) {
            self.status = status
            self.fields = fields
            self.body = body
        }
    }

    /// A header field; its name is written in lower case.
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// Why bytes are no message.
    public struct Malformed: Error, Hashable, Sendable {
        public let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The most header fields that are read.
    static let fields = 64

    // MARK: Writing

    /// Returns the bytes of a request.
    public static func write(_ request: Request) -> [UInt8] {
        var bytes = number(0)
        for text in [request.method, "https", request.authority, request.path] { bytes += counted(text) }
        return bytes + section(request.fields) + number(request.body.count) + request.body + number(0)
    }

    /// Returns the bytes of a response.
    public static func write(_ response: Response) -> [UInt8] {
        number(1) + number(response.status) + section(response.fields) + number(response.body.count) + response.body
            + number(0)
    }

    private static func section(_ fields: [Field]) -> [UInt8] {
        let bytes = fields.flatMap { counted($0.name.lowercased()) + counted($0.value) }
        return number(bytes.count) + bytes
    }

    private static func counted(_ text: String) -> [UInt8] { number(text.utf8.count) + Array(text.utf8) }

    /// Returns an integer of variable length (RFC 9000, 16).
    static func number(_ value: Int) -> [UInt8] {
        let (count, mark): (Int, UInt8) =
            switch value {
            case ..<0x40: (1, 0x00)
            case ..<0x4000: (2, 0x40)
            case ..<0x4000_0000: (4, 0x80)
            default: (8, 0xC0)
            }
        var bytes = (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        bytes[0] |= mark
        return bytes
    }

    // MARK: Reading

    /// Reads a request.
    public static func readRequest(_ bytes: [UInt8]) throws(Malformed) -> Request {
        var reader = Reader(rest: bytes[...])
        guard try reader.number() == 0 else { throw Malformed("it is no request of known length") }
        let method = try reader.text()
        _ = try reader.text()
        let authority = try reader.text()
        let path = try reader.text()
        return Request(
            method: method, authority: authority, path: path, fields: try reader.fields(), body: try reader.body())
    }

    /// Reads a response. Informational responses before it are skipped.
    public static func readResponse(_ bytes: [UInt8]) throws(Malformed) -> Response {
        var reader = Reader(rest: bytes[...])
        guard try reader.number() == 1 else { throw Malformed("it is no response of known length") }
        var status = try reader.number()
        while (100..<200).contains(status) {
            _ = try reader.fields()
            status = try reader.number()
        }
        guard (200..<600).contains(status) else { throw Malformed("\(status) is no status") }
        return Response(status: status, fields: try reader.fields(), body: try reader.body())
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func number() throws(Malformed) -> Int {
            guard let first = rest.first else { throw Malformed("it ends early") }
            let bytes = try take(1 << Int(first >> 6))
            return bytes.dropFirst().reduce(Int(first & 0x3F)) { $0 << 8 | Int($1) }
        }

        mutating func text() throws(Malformed) -> String {
            guard let text = String(validating: try take(try number()), as: UTF8.self) else {
                throw Malformed("a text is not UTF-8")
            }
            return text
        }

        /// Reads a section of header fields; a message may end before it if nothing follows (RFC 9292, 3.8).
        mutating func fields() throws(Malformed) -> [Field] {
            guard !rest.isEmpty else { return [] }
            var section = Reader(rest: try take(try number()))
            var fields: [Field] = []
            while !section.rest.isEmpty {
                guard fields.count < BinaryHTTP.fields else { throw Malformed("it has too many fields") }
                fields.append(Field(try section.text(), try section.text()))
            }
            return fields
        }

        /// Reads the content. Trailers and padding are ignored.
        mutating func body() throws(Malformed) -> [UInt8] {
            guard !rest.isEmpty else { return [] }
            return Array(try take(try number()))
        }

        private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
            guard count <= rest.count else { throw Malformed("it ends early") }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
    }
}
