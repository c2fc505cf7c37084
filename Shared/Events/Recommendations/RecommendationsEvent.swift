public import EventSourcing
public import JSON

/// The events of product recommendations.
public enum RecommendationsEvent: EventFamily {
    case modelSolved(ModelSolved)

    public init?(name: String, json: borrowing JSONValue) throws(JSONError) {
        switch name {
        case ModelSolved.name: self = .modelSolved(try ModelSolved(json: json))
        default: return nil
        }
    }

    public var event: any Event {
        switch self {
        case .modelSolved(let event): event
        }
    }

    public static let names = [ModelSolved.name]

    public static let types: [any Event.Type] = [ModelSolved.self]
}
