public import EventSourcing
public import JSON

/// A key (ECDSA P-256) was added, which signs labels from now on.
public struct LabelKeyAdded: Event, Equatable {
    public static let name = "farm.furrow.trace.label-key-added.v1"

    /// The key id on labels: four letters or digits.
    public var kid: String
    /// The uncompressed point in base64url.
    public var publicKey: String

    public init(kid: String, publicKey: String) {
        self.kid = kid
        self.publicKey = publicKey
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        kid = try json.get("kid")
        publicKey = try json.get("publicKey")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("kid", kid)
        json.field("publicKey", publicKey)
    }
}
