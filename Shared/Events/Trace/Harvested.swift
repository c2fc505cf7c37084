public import EventSourcing
public import JSON
public import Vocabulary

/// A lot was harvested from a plot.
public struct Harvested: Event, Equatable {
    public static let name = "farm.furrow.trace.harvested.v1"

    public var lot: LotID
    public var gtin: GTIN
    public var product: String
    public var plot: PlotID
    public var grams: Int
    /// The start of its growth on the plot: the last sowing, or the harvest itself.
    public var from: Instant

    public init(lot: LotID, gtin: GTIN, product: String, plot: PlotID, grams: Int, from: Instant) {
        self.lot = lot
        self.gtin = gtin
        self.product = product
        self.plot = plot
        self.grams = grams
        self.from = from
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        gtin = try json.get("gtin")
        product = try json.get("product")
        plot = try json.get("plot")
        grams = try json.get("grams")
        from = try json.get("from")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("gtin", gtin)
        json.field("product", product)
        json.field("plot", plot)
        json.field("grams", grams)
        json.field("from", from)
    }
}
