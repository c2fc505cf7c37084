import EventSourcing
import EventStore

/// Builds an array in PostgreSQL's text form (PostgreSQL, 8.15.6): one parameter for a column of many rows.
struct PostgresArray {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    mutating func appendNull() {
        separate()
        bytes.append(contentsOf: "NULL".utf8)
    }

    /// A number in digits, or anything else without quotes, commas, braces, backslashes and spaces.
    mutating func append(plain text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    var text: String { String(decoding: bytes, as: UTF8.self) + "}" }

    private mutating func separate() {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    }
}

extension PostgresArray {
    mutating func append(_ cell: Cell) {
        switch cell {
        case .null: appendNull()
        case .integer(let value): append(plain: String(value))
        case .real(let value) where value.isNaN: append(plain: "NaN")
        case .real(let value) where value.isInfinite: append(plain: value < 0 ? "-Infinity" : "Infinity")
        case .real(let value): append(plain: value.description)
        case .text(let value): append(PostgresText.escape(value))
        }
    }
}
