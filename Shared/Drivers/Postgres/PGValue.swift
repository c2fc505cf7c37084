/// A parameter or a result value of PostgreSQL.
///
/// As parameters, integers are `int8`, reals `float8`, bytes `bytea`, booleans `bool`. Text and null have no type, so
/// the server infers it from the context (`jsonb`, `uuid`, `timestamptz`, `numeric` …). In results, `int2/4/8` and
/// `oid` are integers, `float4/8` reals, `bytea` bytes, `bool` booleans, and all other types text.
public enum PGValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
    case boolean(Bool)
}
