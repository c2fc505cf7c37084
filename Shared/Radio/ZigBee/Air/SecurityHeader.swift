import Crypto

/// The auxiliary header of a secured frame, and its decryption (ZigBee specification, sections 4.3 and 4.5).
struct SecurityHeader: Sendable {
    enum Key: UInt8, Sendable {
        case link = 0
        case network = 1
        case keyTransport = 2
        case keyLoad = 3
    }

    var key: Key
    var frameCounter: UInt32
    var sourceIEEE: UInt64?
    /// The number of the network key, if several are in use.
    var keySequence: UInt8?
    /// The header with the security level, which is transmitted as zero.
    private var bytes: [UInt8]
    private var control: UInt8

    /// Encryption and a tag of four bytes, the only level that ZigBee uses; it is transmitted as zero.
    private static let level: UInt8 = 5
    private static let tagLength = 4

    init(_ reader: inout ByteReader) throws(Malformed) {
        let whole = reader
        let start = reader.offset
        control = try reader.u8() & 0xF8 | Self.level
        key = Key(rawValue: control >> 3 & 3) ?? .link
        frameCounter = try reader.u32()
        sourceIEEE = control & 0x20 != 0 ? try reader.u64() : nil
        keySequence = key == .network ? try reader.u8() : nil
        bytes = Array(whole.rest.prefix(reader.offset - start))
        bytes[0] = control
    }

    /// Returns the decrypted payload, or nil if key or sender are wrong.
    func open(_ sealed: ByteReader, header: [UInt8], key: [UInt8], source: UInt64) -> [UInt8]? {
        let bytes = sealed.rest
        guard bytes.count >= Self.tagLength else { return nil }
        var nonce = ByteWriter()
        nonce.u64(source)
        nonce.u32(frameCounter)
        nonce.u8(control)
        do throws(CryptoError) {
            return try AESCCM.open(
                key: key, nonce: nonce.bytes, ciphertext: Array(bytes.dropLast(Self.tagLength)),
                tag: Array(bytes.suffix(Self.tagLength)), aad: header + self.bytes)
        } catch {
            return nil
        }
    }
}
