public import JSON

/// The kinds of work on a plot.
public enum ActivityKind: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    case sowing
    case planting
    case irrigating
    case fertilising
    case plantProtection = "plant-protection"
    case weeding
}

/// The substance and amount of an activity.
public struct ActivityDetails: Sendable, Equatable, JSONReadable, JSONWritable {
    /// Seed, fertiliser or plant protection product.
    public var substance: String?
    public var amount: Double?
    /// The unit as the grower writes it: `kg`, `l`, `g`, `ml` …
    public var unit: String?
    /// The waiting time before the plot may be harvested; days.
    public var waitingDays: Int?

    public init(substance: String? = nil, amount: Double? = nil, unit: String? = nil, waitingDays: Int? = nil) {
        self.substance = substance
        self.amount = amount
        self.unit = unit
        self.waitingDays = waitingDays
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        substance = try json.find("substance")
        amount = try json.find("amount")
        unit = try json.find("unit")
        waitingDays = try json.find("waitingDays")
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("substance", ifPresent: substance)
            json.field("amount", ifPresent: amount)
            json.field("unit", ifPresent: unit)
            json.field("waitingDays", ifPresent: waitingDays)
        }
    }
}
