/// A value of a message (D-Bus specification, Type System). A variant is the value in it.
package indirect enum BusValue: Hashable, Sendable {
    case flag(Bool)
    /// An integer of any width.
    case integer(Int64)
    case real(Double)
    /// A string, an object path or a signature.
    case text(String)
    /// The path of an object, to be written; `text` when it is read.
    case path(String)
    case bytes([UInt8])
    case list([BusValue])
    /// A dictionary in the order of the message.
    case dictionary([Entry])

    /// A key with its value.
    package struct Entry: Hashable, Sendable {
        package let key: BusValue
        package let value: BusValue

        package init(_ key: BusValue, _ value: BusValue) {
            self.key = key
            self.value = value
        }
    }

    package var asFlag: Bool? { if case .flag(let flag) = self { flag } else { nil } }

    package var asInteger: Int64? { if case .integer(let number) = self { number } else { nil } }

    package var asText: String? {
        switch self {
        case .text(let text), .path(let text): text
        default: nil
        }
    }

    /// The bytes; an empty list has no bytes either.
    package var asBytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    package var asList: [BusValue]? { if case .list(let values) = self { values } else { nil } }

    package var asEntries: [Entry]? { if case .dictionary(let entries) = self { entries } else { nil } }

    /// Returns the value of a dictionary for a text.
    package subscript(_ key: String) -> BusValue? { asEntries?.first { $0.key.asText == key }?.value }
}
