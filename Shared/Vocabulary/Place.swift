public import JSON

/// Where something lies or is measured: a plot in the field or a store in the barn. Written `plot/p1` or `store/s1`.
public enum Place: Hashable, Sendable, CustomStringConvertible {
    case plot(PlotID)
    case store(StoreID)

    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        switch parts[0] {
        case "plot": self = .plot(PlotID(String(parts[1])))
        case "store": self = .store(StoreID(String(parts[1])))
        default: return nil
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
    public init(json: JSONValue) throws(JSONError) {
        guard let place = Place(try json.string()) else {
            throw JSONError(message: "expected plot/… or store/…", path: "")
        }
        self = place
    }

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
