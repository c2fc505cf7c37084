import CZeroMQ

/// One side of an encrypted connection (CurveZMQ, RFC 25 and 26 of ZeroMQ); keys are Z85 text of 40 characters.
///
/// CURVE proves that a client holds a key, not that the key is allowed: `ZAPAuthenticator` decides that.
public enum Curve: Sendable {
    case server(secretKey: String)
    case client(serverKey: String, publicKey: String, secretKey: String)

    /// Returns a new key pair.
    public static func keyPair() -> (public: String, secret: String) {
        var publicKey = [CChar](repeating: 0, count: ZeroMQLimits.curveKeyCharacters + 1)
        var secretKey = publicKey
        let result = unsafe zmq_curve_keypair(&publicKey, &secretKey)
        precondition(result == 0, "Debian's libzmq is built with CURVE")
        return (text(of: publicKey), text(of: secretKey))
    }

    /// Returns the public key of a secret key; throws EINVAL for a text that is no Z85 key.
    public static func publicKey(of secret: String) throws(ZeroMQError) -> String {
        guard isKey(secret) else { throw ZeroMQError(code: EINVAL, operation: "public key") }
        var publicKey = [CChar](repeating: 0, count: ZeroMQLimits.curveKeyCharacters + 1)
        guard unsafe zmq_curve_public(&publicKey, secret) == 0 else { throw ZeroMQError(last: "public key") }
        return text(of: publicKey)
    }

    /// Returns whether the text is 32 bytes in Z85.
    public static func isKey(_ text: String) -> Bool {
        guard text.utf8.count == ZeroMQLimits.curveKeyCharacters else { return false }
        var bytes = [UInt8](repeating: 0, count: 32)
        return unsafe zmq_z85_decode(&bytes, text) != nil
    }

    /// Returns the Z85 text of the 32 bytes that ZAP passes; nil for any other length.
    static func text(ofKey bytes: [UInt8]) -> String? {
        guard bytes.count == 32 else { return nil }
        var characters = [CChar](repeating: 0, count: ZeroMQLimits.curveKeyCharacters + 1)
        guard unsafe zmq_z85_encode(&characters, bytes, bytes.count) != nil else { return nil }
        return text(of: characters)
    }

    private static func text(of characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Keys stay out of logs: only the side is printed.
extension Curve: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .server: "server"
        case .client: "client"
        }
    }

    /// A mirror without children, so that a reflected value shows no keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
