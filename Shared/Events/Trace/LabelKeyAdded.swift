public import EventSourcing
public import JSON

/// Labels are signed with this key from now on (ECDSA P-256).
public struct LabelKeyAdded: Event, Equatable {
    public static let name = "farm.furrow.trace.label-key-added.v1"

    /// Four letters or digits that labels carry.
    public var kid: String
    /// Uncompressed point, base64url.
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
