public import Vocabulary

/// A promotion that applies on this device now.
public struct ShopPromotion: Sendable, Equatable, Identifiable {
    /// The promotion's id, as in the records.
    public let id: String
    /// What people read first, and further words.
    public let title: String
    public let text: String?
    /// The farm's id.
    public let farm: String
    /// What it is about and can be bought now; at least one.
    public let products: [ShopProduct]
    /// When it ends.
    public let until: Instant
    /// 0 to 9; the highest are shown first.
    public let priority: Int
    /// Whether it is not shown to this person, so that its effect can be measured.
    public let isHeldBack: Bool
}

/// What decides on this device which promotions apply. It stays here.
public struct PromotionCircumstances: Sendable {
    /// A place: degrees north and east, WGS 84.
    public struct Position: Sendable, Equatable {
        public let latitude: Double
        public let longitude: Double

        public init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    public var now: Instant
    /// Where the device is; nil if it is not known.
    public var position: Position?
    /// The regions of beacons in which it is, as ``RegionMonitor`` says.
    public var regions: Set<String>
    /// The address of the node from which the shop comes, `bus.local:8091`; nil if it comes from the farm.
    public var node: String?
    /// The county and the kinds of products that the person chose in the app.
    public var county: String?
    public var kinds: Set<String>

    public init(
        at now: Instant, position: Position? = nil, regions: Set<String> = [], node: String? = nil,
        county: String? = nil, kinds: Set<String> = []
    ) {
        self.now = now
        self.position = position
        self.regions = regions
        self.node = node
        self.county = county
        self.kinds = kinds
    }
}
