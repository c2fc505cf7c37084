import Crypto

/// The hash for deriving ZigBee keys: AES-128 in Matyas-Meyer-Oseas mode (ZigBee specification, annex B).
enum KeyHash {
    static let size = AES128.size

    /// Returns the hash of at most 8,191 bytes.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        while padded.count % size != size - 2 { padded.append(0) }
        let bits = UInt16(truncatingIfNeeded: message.count * 8)
        padded += [UInt8(bits >> 8), UInt8(bits & 0xFF)]
        var hash = [UInt8](repeating: 0, count: size)
        for start in stride(from: 0, to: padded.count, by: size) {
            let block = Array(padded[start..<(start + size)])
            hash = zip(AES128.encryptBlock(key: hash, block: block), block).map { $0 ^ $1 }
        }
        return hash
    }

    /// Returns the keyed hash (HMAC) of a message under a key of 16 bytes.
    static func keyed(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        hash(key.map { $0 ^ 0x5C } + hash(key.map { $0 ^ 0x36 } + message))
    }
}
