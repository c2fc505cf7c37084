import EventSourcing
import Events
import Vocabulary

/// An offer that is not withdrawn, of a lot that is neither recalled nor gone.
///
/// The key is `<product>|<until>|<offer>`. It sorts ended offers first and offers without an end last, so that a scan
/// from the current time skips the ended offers.
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

    /// Returns the key of an offer. The digits of a time sort before "~", which stands for no end.
    static func key(_ offer: OfferRow) -> String {
        "\(offer.product)|\(offer.until.map(\.description) ?? "~")|\(offer.key)"
    }
}

extension Tables {
    /// Returns the offers of a product that are not withdrawn, recalled, gone or over at `now`; the next to end first.
    func offers(of product: String, onSaleAt now: Instant) -> [OfferRow] {
        scan(OnSaleRow.self, prefix: "\(product)|", after: "\(product)|\(now)~", limit: MarketLimits.offers)
            .compactMap { get(OfferRow.self, $0.offer) }
    }
}
