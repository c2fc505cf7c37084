/// What is remembered of one device to tell its repeats: the last fingerprints, at most 64, with their times and with
/// the slot that told them.
///
/// It can be kept as text: a memory read back decides exactly as the one that was written.
public struct RepeatMemory: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var rule: RepeatRule
        var mark: UInt64
        var milliseconds: Int64
        var slot: UInt8
    }

    /// Fingerprints that are kept.
    public static let most = 64

    /// In the order they were admitted.
    private var entries: [Entry] = []

    public init() {}

    public var isEmpty: Bool { entries.isEmpty }

    /// The time of the latest packet that is remembered, in milliseconds since 1970.
    public var latestMilliseconds: Int64 { entries.map(\.milliseconds).max() ?? .min }

    /// Whether the packet is news at this time; if so it is remembered.
    ///
    /// Late packets are judged by the distance in time, so that the order of arrival over several gateways does not
    /// matter much.
    public mutating func admits(_ key: RepeatKey, at time: Instant, by slot: Int = 0) -> Bool {
        let rule = key.effectiveRule
        let now = time.milliseconds
        let mark = key.mark
        let isNews =
            switch rule {
            case .packetID: admitsPacketID(mark, at: now)
            case .rising: admitsRising(mark, at: now)
            case .sequence, .zigbee, .payload: !knows(rule, mark, at: now)
            }
        guard isNews else { return false }
        remember(Entry(rule: rule, mark: mark, milliseconds: now, slot: UInt8(truncatingIfNeeded: slot)))
        return true
    }

    /// Whether another slot has told this very packet: two receivers heard it, or one receiver told it twice.
    ///
    /// What one slot tells it has held against its own memory already. So only the same number and payload of another
    /// slot make a copy; an older number is a late report, not a copy.
    public func isCopy(_ key: RepeatKey, at time: Instant, of slot: Int) -> Bool {
        let (rule, mark, now) = (key.effectiveRule, key.mark, time.milliseconds)
        let teller = UInt8(truncatingIfNeeded: slot)
        return entries.contains { entry in
            entry.slot != teller && entry.mark == mark && entry.rule == rule
                && Self.distance(entry.milliseconds, now) <= rule.windowMilliseconds
        }
    }

    /// Remembers what a slot has told, unless it is a copy of what another has told; then this is false.
    ///
    /// Over the same packets in whatever order, one slot's counts and the others' are copies.
    public mutating func counts(_ key: RepeatKey, at time: Instant, by slot: Int) -> Bool {
        guard !isCopy(key, at: time, of: slot) else { return false }
        remember(
            Entry(
                rule: key.effectiveRule, mark: key.mark, milliseconds: time.milliseconds,
                slot: UInt8(truncatingIfNeeded: slot)))
        return true
    }

    /// Forgets what was told at this time or before it.
    public mutating func forget(through time: Instant) {
        entries.removeAll { $0.milliseconds <= time.milliseconds }
    }

    /// What is told late, or after the clock was set back, is told by its own time: what lies near it is remembered
    /// beside what lies near the latest.
    private mutating func remember(_ entry: Entry) {
        entries.append(entry)
        let latest = latestMilliseconds
        entries.removeAll { !Self.isNear($0, latest) && !Self.isNear($0, entry.milliseconds) }
        guard entries.count > Self.most else { return }
        // However many are told late, half of the room is for what lies near the latest.
        let late = entries.indices.filter { !Self.isNear(entries[$0], latest) }
        entries.remove(at: late.count > Self.most / 2 ? late[0] : 0)
    }

    private func knows(_ rule: RepeatRule, _ mark: UInt64, at now: Int64) -> Bool {
        entries.contains { entry in
            entry.mark == mark && entry.rule == rule
                && Self.distance(entry.milliseconds, now) <= rule.windowMilliseconds
        }
    }

    private mutating func admitsPacketID(_ id: UInt64, at now: Int64) -> Bool {
        if let index = entries.lastIndex(where: { entry in
            entry.rule == .packetID && entry.mark == id
                && Self.distance(entry.milliseconds, now) <= RepeatRule.packetID.windowMilliseconds
        }) {
            // Heard again: as long as copies keep coming they are copies.
            entries[index].milliseconds = max(entries[index].milliseconds, now)
            return false
        }
        guard let last = latest(of: .packetID, near: now) else { return true }
        return (id &- last.mark) & 0xFF < 64
    }

    private func admitsRising(_ counter: UInt64, at now: Int64) -> Bool {
        guard let last = latest(of: .rising, near: now), counter <= last.mark else { return true }
        return counter < 100 && counter < last.mark && !knows(.rising, counter, at: now)
    }

    /// The latest one that is near enough in time to tell anything.
    private func latest(of rule: RepeatRule, near now: Int64) -> Entry? {
        entries.lazy.filter { $0.rule == rule && Self.distance($0.milliseconds, now) <= rule.windowMilliseconds }
            .max { $0.milliseconds < $1.milliseconds }
    }

    private static func isNear(_ entry: Entry, _ milliseconds: Int64) -> Bool {
        distance(entry.milliseconds, milliseconds) <= entry.rule.windowMilliseconds
    }

    private static func distance(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow || difference == .min ? .max : abs(difference)
    }
}

// MARK: - As text

extension RepeatMemory {
    /// Base 64 (URL alphabet) of the entries: rule, slot, mark (little-endian), then milliseconds since the entry
    /// before.
    public var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * 13)
        var last: Int64 = 0
        for entry in entries {
            bytes += [entry.rule.rawValue, entry.slot]
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: entry.mark &>> UInt64(shift)))
            }
            let step = entry.milliseconds &- last
            var zigzag = UInt64(bitPattern: step << 1 ^ step >> 63)
            while zigzag > 0x7F {
                bytes.append(UInt8(truncatingIfNeeded: zigzag) | 0x80)
                zigzag >>= 7
            }
            bytes.append(UInt8(zigzag))
            last = entry.milliseconds
        }
        return BaseEncoding.base64url.encode(bytes)
    }

    /// Reads what `text` wrote; nil for anything else.
    public init?(text: String) {
        guard let bytes = BaseEncoding.base64url.decode(text) else { return nil }
        var place = 0
        var last: Int64 = 0
        entries.reserveCapacity(bytes.count / (Self.fixedBytes + 1))
        while place < bytes.count {
            guard bytes.count - place >= Self.fixedBytes, entries.count < Self.most,
                let rule = RepeatRule(rawValue: bytes[place])
            else { return nil }
            let slot = bytes[place + 1]
            var mark: UInt64 = 0
            for byte in 0..<8 { mark |= UInt64(bytes[place + 2 + byte]) &<< UInt64(8 * byte) }
            place += Self.fixedBytes
            guard let zigzag = Self.varint(bytes, &place) else { return nil }
            last &+= Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
            entries.append(Entry(rule: rule, mark: mark, milliseconds: last, slot: slot))
        }
    }

    /// Rule, slot and mark.
    private static let fixedBytes = 10

    /// Seven bits a byte, lowest first, at most ten bytes (LEB128).
    private static func varint(_ bytes: [UInt8], _ place: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}

extension Instant {
    /// Whole milliseconds since 1970; what is finer is cut off downwards.
    fileprivate var milliseconds: Int64 {
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
