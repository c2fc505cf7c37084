public import EventSourcing
public import JSON
public import Vocabulary

/// A plot was created.
public struct PlotLaidOut: Event, Equatable {
    public static let name = "farm.furrow.trace.plot-laid-out.v1"

    public var plot: PlotID
    public var title: String
    public var crop: String?
    public var areaSquareMetres: Double?

    public init(plot: PlotID, title: String, crop: String? = nil, areaSquareMetres: Double? = nil) {
        self.plot = plot
        self.title = title
        self.crop = crop
        self.areaSquareMetres = areaSquareMetres
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        plot = try json.get("plot")
        title = try json.get("title")
        crop = try json.find("crop")
        areaSquareMetres = try json.find("areaSquareMetres")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("plot", plot)
        json.field("title", title)
        json.field("crop", ifPresent: crop)
        json.field("areaSquareMetres", ifPresent: areaSquareMetres)
    }
}
