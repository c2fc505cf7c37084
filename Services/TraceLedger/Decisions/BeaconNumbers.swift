import Crypto
import Vocabulary

/// The numbers that are proposed for the iBeacons of items that have none: a pure function of all items.
///
/// A farm has one UUID, so that a phone or a reader watches one region; an inventory has one major number. What the
/// items have already is continued. Numbers of 0 are left to tags as they are delivered.
struct BeaconNumbers {
    /// An item without a beacon, and the number that is free for it.
    struct Proposal: Equatable {
        let item: ItemRow
        let minor: Int
    }

    let uuid: String
    let major: Int
    /// By the keys of the items; fewer than there are items if no numbers are left.
    let proposals: [Proposal]

    private static let numbers = 1...65_535

    /// - Parameters:
    ///   - items: those of all inventories that were not removed.
    ///   - farm: a text that no other farm has.
    init(_ items: [ItemRow], of inventory: InventoryID, farm: String) {
        let known = items.compactMap(Known.init)
        let uuid = Self.most(known.map(\.uuid)) ?? Self.uuid(of: farm)
        let ours = known.filter { $0.uuid == uuid }
        let others = Set(ours.filter { $0.inventory != inventory }.map(\.major))
        let major =
            Self.most(ours.filter { $0.inventory == inventory }.map(\.major))
            ?? Self.numbers.first { !others.contains($0) } ?? Self.numbers.lowerBound
        let taken = Set(ours.filter { $0.major == major }.map(\.minor))
        let free = Self.numbers.lazy.filter { !taken.contains($0) }
        let without = items.filter { $0.inventory == inventory && $0.beacon == nil }.sorted { $0.key < $1.key }
        self.uuid = uuid
        self.major = major
        proposals = zip(without, free).map { Proposal(item: $0, minor: $1) }
    }

    /// An iBeacon that an item has.
    private struct Known {
        let inventory: InventoryID
        let uuid: String
        let major: Int
        let minor: Int

        init?(_ item: ItemRow) {
            guard let parts = item.beacon?.split(separator: ":", omittingEmptySubsequences: false),
                parts.count == 4, parts[0] == "ibeacon", let major = Int(parts[2]), let minor = Int(parts[3])
            else { return nil }
            inventory = item.inventory
            uuid = String(parts[1])
            self.major = major
            self.minor = minor
        }
    }

    /// The value that occurs most often; of several the least one.
    private static func most<Value: Hashable & Comparable>(_ values: [Value]) -> Value? {
        let counts = Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    private static func uuid(of farm: String) -> String {
        let hash = SHA256.hash(Array("furrow beacons \(farm)".utf8))
        return UUID(bytes: hash).marked(version: 8).description
    }
}
