/// The object ids of built-in types (PostgreSQL, `pg_type.dat`); they never change between versions.
enum TypeOID {
    static let unspecified: UInt32 = 0
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let oid: UInt32 = 26
    static let json: UInt32 = 114
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let unknown: UInt32 = 705
    static let bpchar: UInt32 = 1042
    static let varchar: UInt32 = 1043
    static let void: UInt32 = 2278
    static let jsonb: UInt32 = 3802

    /// Returns whether a type's binary form is cheaper to read than its text.
    static func isCheapInBinary(_ type: UInt32) -> Bool {
        switch type {
        case bool, bytea, name, int8, int2, int4, text, oid, json, float4, float8, unknown, bpchar, varchar, void,
            jsonb:
            true
        default: false
        }
    }
}
