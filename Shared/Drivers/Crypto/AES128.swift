/// The bare AES-128 block cipher (FIPS 197), for formats that are built on it: Eddystone EID, ZigBee's MMO hash.
public enum AES128 {
    /// Bytes of a key and of a block.
    public static let size = 16

    /// Returns the encryption of one block of 16 bytes under a key of 16 bytes.
    ///
    /// Requires both lengths; any other length ends the process.
    public static func encryptBlock(key: [UInt8], block: [UInt8]) -> [UInt8] {
        precondition(key.count == size && block.count == size, "AES-128 takes 16 bytes under a key of 16 bytes")
        do {
            let context = try CipherContext(operation: "AES-128")
            try context.choose(.aes128ECB, sealing: true)
            try context.setKey(key, nonce: [])
            return try context.turn(block)
        } catch {
            preconditionFailure("OpenSSL cannot encipher a block: \(error.reason)")
        }
    }
}
