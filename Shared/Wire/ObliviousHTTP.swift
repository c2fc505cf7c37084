public import Crypto

/// Requests that cross others and that only a farm can read: Oblivious HTTP (RFC 9458).
public enum ObliviousHTTP {
    /// Where a server publishes its key, and takes requests (RFC 9540).
    public static let path = "/.well-known/ohttp-gateway"
    public static let requestType = "message/ohttp-req"
    public static let responseType = "message/ohttp-res"
    public static let keysType = "application/ohttp-keys"

    /// Why a message is not accepted.
    public struct Refusal: Error, Hashable, Sendable {
        public let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    private static let requestLabel = "message/bhttp request"
    private static let responseLabel = "message/bhttp response"
    /// Bytes of a response's nonce: the larger of the cipher's key and nonce.
    public static let nonceSize = AES128GCM.keySize
    private static let algorithms = bytes(HPKE.identifiers.kdf) + bytes(HPKE.identifiers.aead)

    // MARK: Keys

    /// A server's public key.
    public struct PublicKey: Hashable, Sendable {
        /// Tells keys of one server apart.
        public let identifier: UInt8
        /// 32 bytes.
        public let bytes: [UInt8]

        public init(identifier: UInt8, bytes: [UInt8]) { (self.identifier, self.bytes) = (identifier, bytes) }

        /// Reads `application/ohttp-keys`: the first configuration with the algorithms that are known here.
        public init(configurations: [UInt8]) throws(Refusal) {
            var rest = configurations[...]
            while rest.count >= 2 {
                let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
                rest = rest.dropFirst(2)
                guard length <= rest.count else { break }
                let one = Array(rest.prefix(length))
                rest = rest.dropFirst(length)
                let end = 3 + HPKE.encapsulatedSize
                guard one.count >= end + 2, Array(one[1..<3]) == ObliviousHTTP.bytes(HPKE.identifiers.kem) else {
                    continue
                }
                let suites = one[(end + 2)...]
                let isKnown = stride(from: suites.startIndex, to: suites.endIndex - 3, by: 4).contains {
                    Array(suites[$0..<($0 + 4)]) == ObliviousHTTP.algorithms
                }
                guard isKnown else { continue }
                self.init(identifier: one[0], bytes: Array(one[3..<end]))
                return
            }
            throw Refusal("there is no key with known algorithms")
        }

        /// The key as `application/ohttp-keys`.
        public var configurations: [UInt8] {
            let one =
                [identifier] + ObliviousHTTP.bytes(HPKE.identifiers.kem) + bytes
                + ObliviousHTTP.bytes(UInt16(ObliviousHTTP.algorithms.count)) + ObliviousHTTP.algorithms
            return ObliviousHTTP.bytes(UInt16(one.count)) + one
        }

        fileprivate var header: [UInt8] {
            [identifier] + ObliviousHTTP.bytes(HPKE.identifiers.kem) + ObliviousHTTP.algorithms
        }

        fileprivate var info: [UInt8] { Array(requestLabel.utf8) + [0] + header }
    }

    // MARK: Messages

    /// What is needed to read or to write the response to one request. It is a secret.
    public struct ResponseKey: Hashable, Sendable {
        let encapsulated: [UInt8]
        let secret: [UInt8]

        /// The key as bytes, to be stored until the response is there.
        public var bytes: [UInt8] { encapsulated + secret }

        /// Reads stored bytes; nil for a wrong length.
        public init?(bytes: [UInt8]) {
            guard bytes.count == HPKE.encapsulatedSize + nonceSize else { return nil }
            self.init(
                encapsulated: Array(bytes.prefix(HPKE.encapsulatedSize)), secret: Array(bytes.suffix(nonceSize)))
        }

        init(encapsulated: [UInt8], secret: [UInt8]) {
            self.encapsulated = encapsulated
            self.secret = secret
        }

        fileprivate init(_ context: HPKE) {
            self.init(encapsulated: context.encapsulated, secret: context.export(responseLabel, count: nonceSize))
        }

        private func keys(_ nonce: [UInt8]) -> (key: [UInt8], nonce: [UInt8]) {
            let pseudorandom = HKDFSHA256.extract(salt: encapsulated + nonce, secret: secret)
            return (
                HKDFSHA256.expand(pseudorandom, info: Array("key".utf8), count: AES128GCM.keySize),
                HKDFSHA256.expand(pseudorandom, info: Array("nonce".utf8), count: AES128GCM.nonceSize)
            )
        }

        /// Returns the encrypted response.
        ///
        /// - Parameter nonce: `nonceSize` random bytes.
        public func seal(
            _ response: BinaryHTTP.Response, nonce: [UInt8]
        ) throws(CryptoError) -> [UInt8] {
            precondition(nonce.count == nonceSize, "a nonce has \(nonceSize) bytes")
            let keys = keys(nonce)
            return nonce
                + (try AES128GCM.seal(key: keys.key, nonce: keys.nonce, plaintext: BinaryHTTP.write(response)))
        }

        /// Returns the response. Throws if it is none to this request.
        public func open(_ sealed: [UInt8]) throws(Refusal) -> BinaryHTTP.Response {
            guard sealed.count > nonceSize else { throw Refusal("it is too short") }
            let keys = keys(Array(sealed.prefix(nonceSize)))
            let plain: [UInt8]
            do {
                plain = try AES128GCM.open(
                    key: keys.key, nonce: keys.nonce, sealed: Array(sealed.dropFirst(nonceSize)))
            } catch {
                throw Refusal("it is no response to this request")
            }
            do {
                return try BinaryHTTP.readResponse(plain)
            } catch {
                throw Refusal(error.reason)
            }
        }
    }

    /// Returns an encrypted request, and what is needed to read its response.
    ///
    /// - Parameter ephemeral: a new key, for this request only.
    public static func seal(
        _ request: BinaryHTTP.Request, to key: PublicKey, ephemeral: X25519Key
    ) throws(CryptoError) -> (message: [UInt8], response: ResponseKey) {
        let context = try HPKE(to: key.bytes, info: key.info, ephemeral: ephemeral)
        let sealed = try context.seal(BinaryHTTP.write(request))
        return (key.header + context.encapsulated + sealed, ResponseKey(context))
    }

    /// Returns the request in a message to a key, and what is needed to write its response.
    public static func open(
        _ message: [UInt8], for key: X25519Key, identifier: UInt8
    ) throws(Refusal) -> (request: BinaryHTTP.Request, response: ResponseKey) {
        let publicKey = PublicKey(identifier: identifier, bytes: key.publicKey)
        let header = publicKey.header
        guard message.starts(with: header), message.count > header.count + HPKE.encapsulatedSize else {
            throw Refusal("it is for another key")
        }
        let rest = message.dropFirst(header.count)
        let plain: [UInt8]
        let context: HPKE
        do {
            context = try HPKE(
                encapsulated: Array(rest.prefix(HPKE.encapsulatedSize)), for: key, info: publicKey.info)
            plain = try context.open(Array(rest.dropFirst(HPKE.encapsulatedSize)))
        } catch {
            throw Refusal("it cannot be decrypted with this key")
        }
        do {
            return (try BinaryHTTP.readRequest(plain), ResponseKey(context))
        } catch {
            throw Refusal(error.reason)
        }
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
}
