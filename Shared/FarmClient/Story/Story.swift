public import JSON
public import Vocabulary

/// A verified story of a lot.
public struct Story: Sendable {
    /// The lot.
    public let lot: String
    /// The product's GTIN, 14 digits.
    public let gtin: String
    /// The serial number of the scanned box; nil if the label is the lot's.
    public let serial: String?
    /// The whole story: `passport` of `farm.furrow.trace.passport-issued.v1` (see `furrow schema`).
    ///
    /// It includes the work on the plot, the measurements there and in stores, the handovers, alarms and recalls.
    public let passport: JSONAny
    /// When the farm recorded it.
    public let issued: Instant
    /// Whether the label has a valid signature; false if the link has none.
    public let isLabelSigned: Bool
    /// The time since which the log is proven to be append-only: this device's previous visit.
    ///
    /// Nil on the first visit, which trusts the keys that it receives, and without a network.
    public let provenSince: Instant?
    /// When the farm server sent it.
    public let asOf: Instant
    /// Where it came from: the farm, a node, this device as of an earlier visit, or another client.
    public let source: ContentSource
    /// Whether measurements of this lot's places are not processed yet, according to the farm.
    public let isWaiting: Bool

    /// Whether the story is that of an earlier visit, because nobody else was reached.
    public var isFromDevice: Bool { source == .device }
    /// The name of the product.
    public var product: String { text("product") ?? "" }
    /// The name of the farm.
    public var farm: String { passport["farm"].flatMap { Self.text($0, "title") } ?? "" }
    /// The reason of the recall; nil if the lot was not recalled.
    public var recalled: String? { text("recalled") }
    /// When the lot was harvested; nil if unknown.
    public var harvested: Instant? { text("harvested").flatMap { Instant($0) } }

    /// The photographs that the farm chose, of the places where the lot was then, the oldest first.
    ///
    /// `FarmClient.picture` returns them, verified by the digest that the farm signed.
    public var photographs: [Photograph] {
        guard case .array(let items)? = passport["photographs"] else { return [] }
        return items.compactMap(Photograph.init)
    }

    /// A photograph of a place where a lot was.
    public struct Photograph: Sendable, Equatable {
        /// The name of the plot or store.
        public let place: String
        public let taken: Instant
        /// The SHA-256 of the bytes of two WebP pictures, at most 320 and 1,024 pixels long.
        public let thumbnail: String
        public let preview: String

        init?(_ json: JSONAny) {
            guard let thumbnail = Story.text(json, "thumbnail"), let preview = Story.text(json, "preview"),
                let taken = Story.text(json, "taken").flatMap({ Instant($0) })
            else { return nil }
            self.thumbnail = thumbnail
            self.preview = preview
            self.taken = taken
            place = Story.text(json, "place") ?? ""
        }
    }

    private func text(_ member: String) -> String? { Self.text(passport, member) }

    private static func text(_ json: JSONAny, _ member: String) -> String? {
        guard case .string(let text)? = json[member] else { return nil }
        return text
    }
}
