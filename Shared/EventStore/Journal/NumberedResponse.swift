public import JSON
import Vocabulary

/// A stored response of a journal, with its number in the order in which responses were stored.
public struct NumberedResponse: Hashable, Sendable {
    public let number: Int64
    public let actor: String
    public let key: String
    public let digest: [UInt8]
    public let status: Int
    public let body: [UInt8]
    public let sum: Int64

    public init(
        number: Int64, actor: String, key: String, digest: [UInt8], status: Int, body: [UInt8], sum: Int64
    ) {
        self.number = number
        self.actor = actor
        self.key = key
        self.digest = digest
        self.status = status
        self.body = body
        self.sum = sum
    }
}

/// As JSON it has the binary values in base64.
extension NumberedResponse: JSONReadable, JSONRecord {
    public init(json: borrowing JSONValue) throws(JSONError) {
        self.init(
            number: try json.get("number"), actor: try json.get("actor"), key: try json.get("key"),
            digest: try Self.bytes(json, "digest"), status: try json.get("status"), body: try Self.bytes(json, "body"),
            sum: try json.get("sum"))
    }

    public func write(fields json: inout JSONWriter) {
        json.field("number", number)
        json.field("actor", actor)
        json.field("key", key)
        json.field("digest", BaseEncoding.base64.encode(digest))
        json.field("status", status)
        json.field("body", BaseEncoding.base64.encode(body))
        json.field("sum", sum)
    }

    private static func bytes(_ json: borrowing JSONValue, _ key: String) throws(JSONError) -> [UInt8] {
        guard let bytes = BaseEncoding.base64.decode(try json.get(key)) else {
            throw JSONError(message: "expected base64", path: key)
        }
        return bytes
    }
}
