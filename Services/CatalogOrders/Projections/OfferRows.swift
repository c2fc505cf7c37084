import EventSourcing
import Events
import JSON
import Vocabulary

/// The current state of a product.
struct ProductRow: TableRow {
    static let schema = TableSchema(
        "product",
        [
            ("farm", .text), ("title", .text), ("unit", .text), ("category", .text), ("description", .text),
            ("gtin", .text), ("picture", .text), ("thumbnail", .text), ("alt", .text), ("contents", .text),
            ("withdrawn", .integer),
        ], indexed: ["farm"])

    let key: String
    let farm: FarmID
    var details: ProductDetails
    var isWithdrawn = false

    init(_ product: ProductID, farm: FarmID, details: ProductDetails) {
        key = product.rawValue
        self.farm = farm
        self.details = details
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        farm = FarmID(try cells.text())
        details = ProductDetails(
            title: try cells.text(), unit: try cells.text(), category: try cells.optionalText(),
            description: try cells.optionalText(), gtin: try cells.optionalText().flatMap { GTIN($0) },
            picture: try cells.optionalText(), thumbnail: try cells.optionalText(), alt: try cells.optionalText(),
            contents: try Self.contents(cells.optionalText(), of: key))
        isWithdrawn = try cells.flag()
    }

    var cells: [Cell] {
        [
            .text(farm.rawValue), .text(details.title), .text(details.unit), Cell(details.category),
            Cell(details.description), Cell(details.gtin?.digits), Cell(details.picture), Cell(details.thumbnail),
            Cell(details.alt),
            Cell(details.contents.map(Self.text)), Cell(isWithdrawn),
        ]
    }
}

extension ProductRow {
    private static func contents(_ text: String?, of key: String) throws(RowDecodingError) -> ProductContents? {
        guard let text else { return nil }
        do throws(JSONError) {
            return try ProductContents(json: JSONValue.parse(Array(text.utf8)))
        } catch {
            throw RowDecodingError(table: schema.name, key: key)
        }
    }

    private static func text(_ contents: ProductContents) -> String {
        var json = JSONWriter()
        contents.write(to: &json)
        return json.text
    }
}

/// The current state of an offer.
struct OfferRow: TableRow {
    static let schema = TableSchema(
        "offer",
        [
            ("farm", .text), ("product", .text), ("lot", .text), ("minor", .integer), ("currency", .text),
            ("takes", .integer), ("pickups", .text), ("until", .integer), ("withdrawn", .integer),
        ], indexed: ["product", "lot", "farm"])

    let key: String
    let farm: FarmID
    let product: ProductID
    let lot: LotID
    var price: Money
    let takes: Int
    let pickups: [PickupID]
    let until: Instant?
    var isWithdrawn = false

    init(_ event: OfferPublished, farm: FarmID) {
        key = event.offer.rawValue
        self.farm = farm
        product = event.product
        lot = event.lot
        price = event.price
        takes = event.takes
        pickups = event.pickups
        until = event.until
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        farm = FarmID(try cells.text())
        product = ProductID(try cells.text())
        lot = LotID(try cells.text())
        price = Money(try cells.integer(), try cells.text(Currency.init))
        takes = try cells.int()
        // Names of pick-up points contain no spaces.
        pickups = try cells.text().split(separator: " ").map { PickupID(String($0)) }
        until = try cells.optionalInteger().map { Instant(microseconds: $0) }
        isWithdrawn = try cells.flag()
    }

    var cells: [Cell] {
        [
            .text(farm.rawValue), .text(product.rawValue), .text(lot.rawValue), .integer(price.minor),
            .text(price.currency.code), .integer(Int64(takes)),
            .text(pickups.map(\.rawValue).joined(separator: " ")), Cell(until?.microseconds), Cell(isWithdrawn),
        ]
    }
}
