public import JSON

/// What a grower does on a plot.
public enum ActivityKind: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    case sowing
    case planting
    case irrigating
    case fertilising
    case plantProtection = "plant-protection"
    case weeding
}

/// With what and how much it was done.
public struct ActivityDetails: Sendable, Equatable, JSONReadable, JSONWritable {
    /// Seed, fertiliser or plant protection product.
    public var substance: String?
    public var amount: Double?
    /// `kg`, `l`, `g`, `ml` … as the grower writes it.
    public var unit: String?
    /// Days to wait before the plot may be harvested.
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
