import Radio
public import Vocabulary

/// Which regions of beacons this device is in.
///
/// It enters a region with the first beacon that it receives of it, and has left when it has received none for 30
/// seconds, as readers of the farm have. The app receives the beacons: nothing is stored, and nothing is sent.
///
/// ```
/// var monitor = RegionMonitor(try farm.promotionRegions())
/// for change in monitor.receive("ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:7", at: now) { … }  // .entered
/// for change in monitor.advance(to: now) { … }  // each second: .left
/// let promotions = try farm.promotions(in: PromotionCircumstances(at: now, regions: monitor.inside))
/// ```
public struct RegionMonitor: Sendable {
    /// The device has entered or left a region.
    public enum Change: Sendable, Equatable {
        case entered(String)
        case left(String)
    }

    /// The regions, in their usual form: `ibeacon:<uuid>[:<major>[:<minor>]]`, `eddystone:<namespace>[:<instance>]`.
    public private(set) var regions: Set<String> = []
    /// When a beacon of each region that the device is in was received last.
    private var received: [String: Instant] = [:]

    /// Watches regions; texts that name none are left out.
    public init(_ regions: some Sequence<String>) { watch(regions) }

    /// The regions that the device is in.
    public var inside: Set<String> { Set(received.keys) }

    /// Watches these regions from now on. Of the others nothing is known any more.
    public mutating func watch(_ regions: some Sequence<String>) {
        self.regions = Set(regions.compactMap { BeaconRegion($0)?.description }.prefix(ClientLimits.regions))
        received = received.filter { self.regions.contains($0.key) }
    }

    /// Adds the reception of a beacon: `ibeacon:<uuid>:<major>:<minor>` or `eddystone:<namespace>:<instance>`.
    public mutating func receive(_ beacon: String, at time: Instant) -> [Change] {
        guard let identity = BeaconRegion(beacon)?.description else { return advance(to: time) }
        let changes = advance(to: time)
        let around = BeaconRegion.descriptions(around: identity).filter(regions.contains)
        let entered = around.filter { received[$0] == nil }
        for region in around { received[region] = time }
        return changes + entered.map { .entered($0) }
    }

    /// Returns the regions that the device has left at this time.
    public mutating func advance(to time: Instant) -> [Change] {
        // A clock that was set back makes the device leave no region at once, and stay in none for ever.
        received = received.mapValues { min($0, time) }
        let left = received.filter { time.seconds(since: $0.value) >= ClientLimits.regionSeconds }.keys.sorted()
        for region in left { received[region] = nil }
        return left.map { .left($0) }
    }
}
