/// Reads PostgreSQL's binary forms of the types in `TypeOID.isCheapInBinary`.
enum BinaryForm {
    /// Returns the value of `type` in `bytes`; the bytes themselves if their length does not match.
    static func value(_ bytes: UnsafeRawBufferPointer, _ type: UInt32) -> PGValue {
        switch type {
        case TypeOID.int8 where bytes.count == 8:
            .integer(unsafe bytes.loadUnaligned(as: Int64.self).bigEndian)
        case TypeOID.int4 where bytes.count == 4:
            .integer(Int64(unsafe bytes.loadUnaligned(as: Int32.self).bigEndian))
        case TypeOID.int2 where bytes.count == 2:
            .integer(Int64(unsafe bytes.loadUnaligned(as: Int16.self).bigEndian))
        case TypeOID.oid where bytes.count == 4:
            .integer(Int64(unsafe bytes.loadUnaligned(as: UInt32.self).bigEndian))
        case TypeOID.float8 where bytes.count == 8:
            .real(Double(bitPattern: unsafe bytes.loadUnaligned(as: UInt64.self).bigEndian))
        case TypeOID.float4 where bytes.count == 4:
            .real(Double(Float(bitPattern: unsafe bytes.loadUnaligned(as: UInt32.self).bigEndian)))
        case TypeOID.bool where bytes.count == 1: .boolean(unsafe bytes[0] != 0)
        case TypeOID.text, TypeOID.varchar, TypeOID.bpchar, TypeOID.name, TypeOID.json, TypeOID.unknown, TypeOID.void:
            .text(unsafe String(decoding: bytes, as: UTF8.self))
        case TypeOID.jsonb where bytes.count > 1:
            // One byte of version, then the text.
            .text(unsafe String(decoding: bytes.dropFirst(), as: UTF8.self))
        default: .bytes(unsafe Array(bytes))
        }
    }
}
