public import JSON

/// A place of lots and measurements: a plot in the field or a store in the barn. Written `plot/p1` or `store/s1`.
public enum Place: Hashable, Sendable, CustomStringConvertible {
    case plot(PlotID)
    case store(StoreID)

    /// Reads `plot/…` or `store/…` with a name of 1 to 40 letters, digits, hyphens or underscores, which are safe in
    /// keys.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...40).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(Self.isPlain) else {
            return nil
        }
        switch parts[0] {
        case "plot": self = .plot(PlotID(String(parts[1])))
        case "store": self = .store(StoreID(String(parts[1])))
        default: return nil
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    public var description: String {
        switch self {
        case .plot(let plot): "plot/\(plot)"
        case .store(let store): "store/\(store)"
        }
    }
}

extension Place: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        guard let place = Place(try json.string()) else {
            throw json.error("expected plot/… or store/…")
        }
        self = place
    }

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
