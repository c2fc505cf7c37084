/// Joins extended advertisements that a controller reports in parts (Bluetooth Core, volume 4, part E, 7.7.65.13).
///
/// Parts of one advertisement arrive in order and are matched by address and advertising set.
struct AdvertisementAssembler: Hashable, Sendable {
    private struct Key: Hashable {
        let address: UInt64?
        let set: UInt8?
        let isScanResponse: Bool
    }

    /// The received parts of unfinished advertisements.
    private var parts: [Key: Advertisement] = [:]
    /// The keys of `parts`, the oldest first.
    private var order: [Key] = []

    /// Returns the whole advertisement if this report is one or completes one; nil while a part is missing.
    ///
    /// One that is too long, or that the controller cut off, is returned as truncated.
    mutating func take(_ report: Advertisement) -> Advertisement? {
        guard report.isExtended, report.isIncomplete || !parts.isEmpty else { return report }
        let key = Key(address: report.address, set: report.set, isScanResponse: report.isScanResponse)
        guard var whole = parts[key] else {
            guard report.isIncomplete, !report.isTruncated else { return report }
            start(key, report)
            return nil
        }
        whole.data += report.data
        whole.rssi = report.rssi ?? whole.rssi
        whole.isIncomplete = report.isIncomplete
        whole.isTruncated = report.isTruncated
        if whole.data.count > RadioLimits.advertisement {
            whole.data.removeLast(whole.data.count - RadioLimits.advertisement)
            (whole.isIncomplete, whole.isTruncated) = (true, true)
        }
        guard !whole.isIncomplete || whole.isTruncated else {
            parts[key] = whole
            return nil
        }
        parts[key] = nil
        order.removeAll { $0 == key }
        return whole
    }

    private mutating func start(_ key: Key, _ report: Advertisement) {
        // At the limit, the oldest unfinished advertisement is dropped.
        if order.count >= RadioLimits.unfinished { parts[order.removeFirst()] = nil }
        parts[key] = report
        order.append(key)
    }
}
