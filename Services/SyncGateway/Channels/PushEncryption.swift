import Crypto
import JSON
import Vocabulary

/// The encryption of push messages: the content coding aes128gcm (RFC 8188) with the keys of RFC 8291.
enum PushEncryption {
    /// Bytes of a record, as the header states them; a message is one record.
    private static let recordBytes: UInt32 = 4_096
    private static let saltBytes = 16
    /// The delimiter of the last record (RFC 8188, section 2).
    private static let lastRecord: UInt8 = 2

    /// Returns the body of a push request, which only the browser can decrypt.
    ///
    /// - Parameters:
    ///   - key: a new key for each message.
    ///   - salt: 16 new random bytes for each message.
    static func encrypt(
        _ plaintext: [UInt8], for subscription: PushSubscription, using key: P256Key = .generate(),
        salt: [UInt8] = Random.bytes(saltBytes)
    ) throws(CryptoError) -> [UInt8] {
        let shared = try key.sharedSecret(with: subscription.publicKey)
        let input = HKDFSHA256.derive(
            salt: subscription.secret, secret: shared,
            info: Array("WebPush: info\0".utf8) + subscription.publicKey + key.publicKey, count: 32)
        let contentKey = HKDFSHA256.derive(
            salt: salt, secret: input, info: Array("Content-Encoding: aes128gcm\0".utf8), count: AES128GCM.keySize)
        let nonce = HKDFSHA256.derive(
            salt: salt, secret: input, info: Array("Content-Encoding: nonce\0".utf8), count: AES128GCM.nonceSize)
        let record = try AES128GCM.seal(key: contentKey, nonce: nonce, plaintext: plaintext + [lastRecord])
        let size = (0..<4).map { UInt8(truncatingIfNeeded: recordBytes >> UInt32(24 - 8 * $0)) }
        return salt + size + [UInt8(key.publicKey.count)] + key.publicKey + record
    }
}

/// The identification of the farm to push services (VAPID, RFC 8292).
enum PushIdentification {
    /// Returns the value of `Authorization`: a JSON Web Token signed with ES256, and the public key.
    ///
    /// - Parameters:
    ///   - contact: a `mailto:` or `https:` address at which the operator can be reached.
    ///   - expiry: seconds since 1970.
    static func authorization(
        to endpoint: String, contact: String?, expiry: Int64, by key: P256Key
    ) throws(CryptoError) -> String {
        var claims = JSONWriter()
        claims.object { json in
            json.field("aud", origin(of: endpoint))
            json.field("exp", expiry)
            json.field("sub", ifPresent: contact)
        }
        let text = [Array("{\"typ\":\"JWT\",\"alg\":\"ES256\"}".utf8), claims.bytes]
            .map(BaseEncoding.base64url.encode).joined(separator: ".")
        let signature = BaseEncoding.base64url.encode(try key.sign(Array(text.utf8)))
        return "vapid t=\(text).\(signature), k=\(BaseEncoding.base64url.encode(key.publicKey))"
    }

    /// Returns the scheme, host and port of a URL: `https://push.example:8443`.
    static func origin(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        return String(url[..<scheme.upperBound] + url[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }
}
