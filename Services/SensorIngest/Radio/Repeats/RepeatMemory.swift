public import Vocabulary

/// What is remembered of one device to tell its repeats: the last fingerprints, at most 64, with their times.
///
/// It can be kept as text: a memory read back decides exactly as the one that was written.
public struct RepeatMemory: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var rule: RepeatRule
        var mark: UInt64
        var milliseconds: Int64
    }

    /// In the order they were admitted.
    private var entries: [Entry] = []

    public init() {}

    public var isEmpty: Bool { entries.isEmpty }

    /// The time of the latest packet that is remembered, in milliseconds since 1970.
    var latestMilliseconds: Int64 { entries.map(\.milliseconds).max() ?? .min }

    /// Whether the packet is news at this time; if so it is remembered.
    ///
    /// Late packets are judged by the distance in time, so that the order of arrival over several gateways does not
    /// matter much.
    public mutating func admits(_ key: RepeatKey, at time: Instant) -> Bool {
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
        entries.append(Entry(rule: rule, mark: mark, milliseconds: now))
        forget(before: latestMilliseconds)
        return true
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
        guard let last = latest(of: .packetID),
            Self.distance(last.milliseconds, now) <= RepeatRule.packetID.windowMilliseconds
        else { return true }
        return (id &- last.mark) & 0xFF < 64
    }

    private func admitsRising(_ counter: UInt64, at now: Int64) -> Bool {
        guard let last = latest(of: .rising) else { return true }
        if counter > last.mark { return true }
        if Self.distance(last.milliseconds, now) > RepeatRule.rising.windowMilliseconds { return true }
        return counter < 100 && counter < last.mark && !knows(.rising, counter, at: now)
    }

    private func latest(of rule: RepeatRule) -> Entry? {
        entries.lazy.filter { $0.rule == rule }.max { $0.milliseconds < $1.milliseconds }
    }

    private mutating func forget(before latest: Int64) {
        entries.removeAll { Self.distance($0.milliseconds, latest) > $0.rule.windowMilliseconds }
        if entries.count > Limits.fingerprints { entries.removeFirst(entries.count - Limits.fingerprints) }
    }

    private static func distance(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow || difference == .min ? .max : abs(difference)
    }
}

// MARK: - As text

extension RepeatMemory {
    /// Base 64 (URL alphabet) of the entries: rule, mark, then milliseconds since the entry before.
    public var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * 12)
        var last: Int64 = 0
        for entry in entries {
            bytes.append(entry.rule.rawValue)
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: entry.mark >> UInt64(shift)))
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
        var reader = ByteReader(bytes)
        var last: Int64 = 0
        do throws(Malformed) {
            while !reader.isAtEnd {
                guard let rule = RepeatRule(rawValue: try reader.u8()), entries.count < Limits.fingerprints else {
                    return nil
                }
                let mark = try reader.u64()
                let zigzag = try reader.varint()
                let step = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
                last &+= step
                entries.append(Entry(rule: rule, mark: mark, milliseconds: last))
            }
        } catch {
            return nil
        }
    }
}

extension ByteReader {
    /// Seven bits a byte, lowest first, at most ten bytes (LEB128).
    fileprivate mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try u8()
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw Malformed("number is too long", at: offset)
    }
}

extension Instant {
    /// Whole milliseconds since 1970; what is finer is cut off downwards.
    fileprivate var milliseconds: Int64 {
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
