public import JSON
import Vocabulary

/// One life of a journal: a random number made when it is created, and again when it is restored from a backup.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }

    /// Reads 16 hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 16, text.utf8.first != UInt8(ascii: "+"), let value = UInt64(text, radix: 16) else {
            return nil
        }
        self.value = value
    }

    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension Epoch: JSONReadable, JSONWritable {
    public init(json: JSONValue) throws(JSONError) {
        guard let epoch = Epoch(try json.string()) else {
            throw json.error("expected an epoch of 16 hexadecimal digits")
        }
        self = epoch
    }

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
