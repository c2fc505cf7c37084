import EventSourcing
import Events
import Vocabulary

/// An offer that is not withdrawn, of a lot that is neither recalled nor gone. The key is `<product>|<until>|<offer>`:
/// what is over stands first, what has no end last, so that nobody reads what a product was offered at in former years.
struct OnSaleRow: TableRow {
    static let schema = TableSchema("on_sale", [("since", .integer)])

    let key: String

    init(_ offer: OfferRow) {
        key = Self.key(offer)
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        self.key = key
        var cells = try CellReader(Self.schema, key, cells)
        _ = try cells.integer()
    }

    var cells: [Cell] { [.integer(0)] }
    /// The name of the offer.
    var offer: String { key.split(separator: "|").last.map(String.init) ?? "" }

    /// Digits of a time stand before "~".
    static func key(_ offer: OfferRow) -> String {
        "\(offer.product)|\(offer.until.map(\.description) ?? "~")|\(offer.key)"
    }
}

extension Tables {
    /// The offers of a product that are not withdrawn, recalled or gone, and not over at a time; the next to end first.
    func offers(of product: String, onSaleAt now: Instant) -> [OfferRow] {
        scan(OnSaleRow.self, prefix: "\(product)|", after: "\(product)|\(now)~", limit: MarketLimits.offers)
            .compactMap { get(OfferRow.self, $0.offer) }
    }
}
