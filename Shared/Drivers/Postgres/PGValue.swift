/// A value on its way into or out of PostgreSQL.
///
/// Going in, integers are `int8`, reals `float8`, bytes `bytea`, booleans `bool`; text and null carry no type, so the
/// server reads them as whatever their place asks for (`jsonb`, `uuid`, `timestamptz`, `numeric` …). Coming out,
/// `int2/4/8` and `oid` are integers, `float4/8` reals, `bytea` bytes, `bool` booleans, and all else is text.
public enum PGValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
    case boolean(Bool)
}
