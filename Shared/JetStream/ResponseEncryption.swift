import Crypto
import EventSourcing
import EventStore
import JSON

/// The encryption of stored responses in a stream, which may contain personal data. Events contain none.
struct ResponseEncryption: Sendable {
    private let key: [UInt8]
    private let purpose = Array("furrow response".utf8)

    /// - Parameter key: 32 bytes that all machines of the cluster share.
    init(key: [UInt8]) {
        self.key = key
    }

    func encrypt(_ response: NumberedResponse) throws(LogFailure) -> [UInt8] {
        var json = JSONWriter()
        response.write(to: &json)
        do throws(CryptoError) {
            return try AESGCM.seal(key: key, plaintext: json.bytes, aad: purpose)
        } catch {
            throw LogFailure(operation: "encrypt a response", message: "\(error.operation): \(error.reason)")
        }
    }

    func decrypt(_ sealed: [UInt8]) throws(LogFailure) -> NumberedResponse {
        do {
            let plain = try AESGCM.open(key: key, sealed: sealed, aad: purpose)
            return try NumberedResponse(json: JSONValue.parse(plain))
        } catch {
            throw LogFailure(
                operation: "decrypt a response", message: "FURROW_CLUSTER_KEY is not the key of this cluster (\(error))"
            )
        }
    }
}
