/// The stored reports of devices, in which receptions are matched: one implementation for each store, one rule for all.
///
/// **Identity.** A report is identified by a device, an epoch of that device (which ends when the device restarts or
/// its counter wraps), and its number in that epoch. Receivers report neither epoch nor number, but a counter, a
/// payload and a time of their own clock. Two receptions belong to one report if counter and payload are equal and
/// their times, corrected by each receiver's known clock offset, are closer than ``limit(of:among:)``. That limit is
/// shorter than the device needs to use the same counter and payload again.
public protocol ReportStore {
    /// The length of a window, in seconds.
    static var windowSeconds: Int64 { get }
    /// Returns a stored window of the device; nil if there is none.
    func window(_ number: Int64, of device: DeviceID) -> ReportWindow?
    /// Stores a window of the device.
    mutating func put(_ window: ReportWindow, _ number: Int64, of device: DeviceID)
    /// Returns how far a receiver's clock is ahead, in microseconds; 0 if that is unknown.
    func clockOffset(of receiver: Receiver) -> Int64
}

/// A stored report that matches a reception.
public struct ReportMatch: Hashable, Sendable {
    let window: Int64
    let index: Int
    /// The time of the first reception, by that receiver's clock: the time of the recorded event.
    public let firstHeard: Instant
    /// Whether this receiver has already reported the packet.
    public let isRepetition: Bool
    let first: Receiver
}

/// The constants of the identity rule.
public enum ReportIdentity {
    /// The maximum difference, in seconds, at which receptions of one packet are matched; clock errors included.
    public static let reachSeconds = 1800.0
    static let reach: Int64 = 1_800_000_000
    /// The limit without a long counter for a device whose interval is not known yet; microseconds.
    static let unlearnt: Int64 = 10_000_000
    /// The longest limit without a long counter, and the shortest with one, in microseconds: corrected clocks differ by
    /// less.
    static let longest: Int64 = 60_000_000
    /// The shortest interval that a device is assumed to have, in microseconds.
    static let shortestInterval: Int64 = 2_000_000
}

extension ReportStore {
    /// Returns the number of the window that contains a time; times before 1970 belong to the first one.
    public static func number(of time: Instant) -> Int64 { max(time.microseconds / (windowSeconds * 1_000_000), 0) }

    /// Returns the stored report that a reception belongs to, or nil if it is a new report.
    ///
    /// A receiver gets a packet once, and again only while the device repeats it. Of several equal reports within the
    /// limit, the reception therefore belongs to the nearest one that this receiver has not reported.
    ///
    /// - Parameter isRecorded: whether the receiver's slot has recorded it as a new report. The slot has already
    ///   compared it with its own reports, so it can only match reports of other slots.
    public func find(_ key: RepeatKey, _ reception: Reception, isRecorded: Bool = false) -> ReportMatch? {
        let time = reception.time.microseconds &- clockOffset(of: reception.receiver)
        let near = windows(of: key.device, around: time)
        let (rule, counter, digest) = (key.effectiveRule, key.counter, key.digest)
        var limit: Int64?
        var found: (match: ReportMatch, apart: Int64)?
        for (number, window) in near {
            for index in window.entries.indices
            where window.entries[index].digest == digest && window.entries[index].counter == counter
                && window.entries[index].rule == rule
            {
                let entry = window.entries[index]
                if isRecorded, entry.isKnown(toSlot: reception.receiver.slot) { continue }
                let own = entry.time(of: reception.receiver, nearest: reception.time)
                let far = limit ?? self.limit(of: key, among: near)
                limit = far
                let apart: Int64
                if let own {
                    apart = Self.distance(own.microseconds, reception.time.microseconds)
                    guard apart <= (rule.isLong ? far : rule.rebroadcast) else { continue }
                } else {
                    apart = Self.distance(
                        entry.first.time.microseconds &- clockOffset(of: entry.first.receiver), time)
                    guard apart < far else { continue }
                }
                if let found, found.apart <= apart { continue }
                found = (
                    ReportMatch(
                        window: number, index: index, firstHeard: entry.first.time, isRepetition: own != nil,
                        first: entry.first.receiver), apart
                )
            }
        }
        return found?.match
    }

    /// Returns when this receiver first reported a packet with this counter and payload, up to `seconds` before; nil if
    /// it did not.
    ///
    /// For packets that are known to be repeated, so that even an old report can be the same.
    public func firstReception(_ key: RepeatKey, before reception: Reception, seconds: Int64) -> Instant? {
        let (rule, counter, digest) = (key.effectiveRule, key.counter, key.digest)
        let newest = Self.number(of: reception.time)
        let oldest = Self.number(of: reception.time.advanced(bySeconds: -Double(seconds)))
        for number in stride(from: newest, through: oldest, by: -1) {
            let entry = window(number, of: key.device)?.entries.last { entry in
                entry.digest == digest && entry.counter == counter && entry.rule == rule
                    && entry.first.receiver == reception.receiver
            }
            if let entry { return entry.first.time }
        }
        return nil
    }

    /// Records a new report.
    public mutating func record(_ key: RepeatKey, _ reception: Reception) {
        let number = Self.number(of: reception.time)
        var window = window(number, of: key.device) ?? ReportWindow()
        window.add(key, reception)
        put(window, number, of: key.device)
    }

    /// Records a further reception of a stored report; returns false if it has too many already.
    @discardableResult
    public mutating func record(_ reception: Reception, of match: ReportMatch, _ device: DeviceID) -> Bool {
        guard var window = window(match.window, of: device), window.add(reception, to: match.index) else {
            return false
        }
        put(window, match.window, of: device)
        return true
    }

    /// Returns whether this reception is stored as a further one of another reception's report.
    public func holdsAsCopy(_ key: RepeatKey, _ reception: Reception) -> Bool {
        let time = reception.time.microseconds &- clockOffset(of: reception.receiver)
        let (rule, counter, digest) = (key.effectiveRule, key.counter, key.digest)
        return windows(of: key.device, around: time).contains { _, window in
            window.entries.contains { entry in
                entry.digest == digest && entry.counter == counter && entry.rule == rule
                    && entry.others.contains(reception)
            }
        }
    }

    /// Returns the stored report with this time of its first reception; nil if there is none.
    public func find(_ key: RepeatKey, firstHeard time: Instant) -> ReportMatch? {
        let number = Self.number(of: time)
        guard let window = window(number, of: key.device), let index = window.index(of: key, firstHeard: time) else {
            return nil
        }
        return ReportMatch(
            window: number, index: index, firstHeard: time, isRepetition: false,
            first: window.entries[index].first.receiver)
    }

    /// Returns by how many microseconds a receiver's clock is ahead, derived from a second reception of a report.
    ///
    /// The first receiver's clock is the reference, corrected by its own known offset. Returns nil if the counter is
    /// too short to be sure.
    public func clockOffset(_ key: RepeatKey, _ reception: Reception, of match: ReportMatch) -> Int64? {
        guard key.longCounter != nil else { return nil }
        let first = match.firstHeard.microseconds &- clockOffset(of: match.first)
        return reception.time.microseconds &- first
    }

    private func windows(of device: DeviceID, around time: Int64) -> [(number: Int64, window: ReportWindow)] {
        let from = Self.number(of: Instant(microseconds: time &- ReportIdentity.reach))
        let to = Self.number(of: Instant(microseconds: time &+ ReportIdentity.reach))
        guard from <= to else { return [] }
        return (from...to).compactMap { number in window(number, of: device).map { (number, $0) } }
    }

    /// Returns the maximum difference, in microseconds, at which receptions with equal counter and payload are one
    /// report.
    ///
    /// - With a long counter: half the time that a restarted device needs to count to this number again, from `longest`
    ///   to `reach`.
    /// - With a short one, or none: half the interval of the device's reports (without a counter: of equal ones), at
    ///   most `longest`. While the interval is unknown, `unlearnt`.
    private func limit(
        of key: RepeatKey, among near: [(number: Int64, window: ReportWindow)]
    ) -> Int64 {
        let rule = key.effectiveRule
        if let counter = key.longCounter {
            // A device without nearby counters cannot have restarted and counted to this number.
            guard let interval = Self.countingInterval(rule, near) else { return ReportIdentity.reach }
            let (half, overflow) = Int64(clamping: max(counter, 1)).multipliedReportingOverflow(
                by: max(interval / 2, 1))
            return overflow ? ReportIdentity.reach : min(max(half, ReportIdentity.longest), ReportIdentity.reach)
        }
        guard let interval = interval(key, near) else { return ReportIdentity.unlearnt }
        let half = min(interval / 2, ReportIdentity.longest)
        return key.counter == nil ? half : max(half, rule.rebroadcast)
    }

    /// Returns the median time between reports of the device; without a counter, between those with the same payload.
    ///
    /// Reports closer than `shortestInterval` are parts of one report.
    private func interval(_ key: RepeatKey, _ near: [(number: Int64, window: ReportWindow)]) -> Int64? {
        let (rule, digest) = (key.effectiveRule, key.digest)
        var times: [Int64] = []
        for (_, window) in near {
            for index in window.entries.indices
            where window.entries[index].rule == rule
                && (key.counter != nil || window.entries[index].digest == digest)
            {
                let first = window.entries[index].first
                times.append(first.time.microseconds &- clockOffset(of: first.receiver))
            }
        }
        times.sort()
        let gaps = zip(times.dropFirst(), times).map { $0 &- $1 }.filter { $0 >= ReportIdentity.shortestInterval }
            .sorted()
        return gaps.isEmpty ? nil : gaps[gaps.count / 2]
    }

    /// Returns the time that the device takes for one count: the longest of up to 24 pairs of reports.
    ///
    /// The longest, because a packet may be received late within its interval.
    private static func countingInterval(
        _ rule: RepeatRule, _ near: [(number: Int64, window: ReportWindow)]
    ) -> Int64? {
        var counts: [(time: Int64, counter: UInt64)] = []
        for (_, window) in near {
            let step = max(1, window.entries.count / 8)
            for index in stride(from: 0, to: window.entries.count, by: step) where window.entries[index].rule == rule {
                guard let counter = window.entries[index].counter else { continue }
                counts.append((window.entries[index].first.time.microseconds, counter))
            }
        }
        counts.sort { ($0.time, $0.counter) < ($1.time, $1.counter) }
        let intervals = zip(counts.dropFirst(), counts).compactMap { next, last -> Int64? in
            guard next.counter > last.counter, next.time > last.time else { return nil }
            return (next.time &- last.time) / Int64(clamping: next.counter - last.counter)
        }
        return intervals.max()
    }

    private static func distance(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow || difference == .min ? .max : abs(difference)
    }
}

extension ReportWindow.Entry {
    func isKnown(toSlot slot: UInt8) -> Bool {
        first.receiver.slot == slot || others.contains { $0.receiver.slot == slot }
    }

    /// Returns when a receiver reported it: the nearest of several times; nil if it did not.
    func time(of receiver: Receiver, nearest time: Instant) -> Instant? {
        var nearest = first.receiver == receiver ? first.time : nil
        for other in others where other.receiver == receiver {
            if let one = nearest, abs(one.seconds(since: time)) <= abs(other.time.seconds(since: time)) { continue }
            nearest = other.time
        }
        return nearest
    }
}
