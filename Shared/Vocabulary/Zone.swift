/// A time zone read from its file (TZif, RFC 9636): the offset of its clocks from UTC, and when it changes.
///
/// Debian's files contain every change until 2037; after the last one the offset is constant.
public struct Zone: Sendable {
    /// Seconds since 1970, and the offset in seconds from then on.
    private let changes: [(at: Int64, ahead: Int64)]

    /// Coordinated universal time.
    public static let utc = Zone(changes: [])

    private init(changes: [(at: Int64, ahead: Int64)]) {
        self.changes = changes
    }

    /// Reads a file of version 2 or later. Returns nil for any other file, and for one with leap seconds.
    public init?(file bytes: [UInt8]) {
        // The file contains all data twice: in 32 bits for old readers, and then in 64.
        guard let old = Block(bytes, from: 0, timeBytes: 4), let block = Block(bytes, from: old.end, timeBytes: 8)
        else {
            return nil
        }
        changes = block.changes
    }

    /// Returns the offset from UTC in seconds at a time.
    public func ahead(at time: Instant) -> Int64 {
        let seconds = time.hour.microseconds / 1_000_000 + Int64(time.seconds(since: time.hour))
        return changes.last { $0.at <= seconds }?.ahead ?? 0
    }

    /// Returns the time at which clocks of the zone show a time, given in seconds since 1970 as if they were UTC.
    ///
    /// If they skip it, the result is as much later; if they show it twice, it is one of the two.
    public func time(ofLocal seconds: Int64) -> Instant {
        let guess = Instant(microseconds: (seconds - ahead(at: Instant(microseconds: seconds * 1_000_000))) * 1_000_000)
        return Instant(microseconds: (seconds - ahead(at: guess)) * 1_000_000)
    }

    /// Returns what clocks of the zone show, in seconds since 1970 as if they were UTC.
    public func local(of time: Instant) -> Int64 {
        time.microseconds.floored(to: 1_000_000) / 1_000_000 + ahead(at: time)
    }

    /// One of the two data blocks of a file.
    private struct Block {
        var changes: [(at: Int64, ahead: Int64)] = []
        let end: Int

        init?(_ bytes: [UInt8], from start: Int, timeBytes: Int) {
            func number(_ place: Int, _ count: Int) -> Int64 {
                bytes[place..<place + count].reduce(0) { $0 << 8 | Int64($1) }
            }
            let head = start + 44
            guard head <= bytes.count, bytes[start...].starts(with: "TZif".utf8), bytes[start + 4] >= UInt8(ascii: "2")
            else { return nil }
            let counts = (0..<6).map { Int(number(start + 20 + 4 * $0, 4)) }
            let (leaps, times, kinds, letters) = (counts[2], counts[3], counts[4], counts[5])
            let kindsAt = head + times * (timeBytes + 1)
            end = kindsAt + kinds * 6 + letters + counts[0] + counts[1]
            guard leaps == 0, kinds > 0, end <= bytes.count else { return nil }
            func ahead(_ kind: Int) -> Int64 { Int64(Int32(truncatingIfNeeded: number(kindsAt + 6 * kind, 4))) }
            // The offset before the first change.
            changes.append((.min, ahead(0)))
            for index in 0..<times {
                let kind = Int(bytes[head + times * timeBytes + index])
                guard kind < kinds else { return nil }
                changes.append((number(head + index * timeBytes, timeBytes), ahead(kind)))
            }
        }
    }
}

extension Instant {
    /// Returns the minute of the day that clocks in a zone show: 0 to 1,439.
    public func minuteOfDay(in zone: Zone) -> Int {
        let seconds = (microseconds + zone.ahead(at: self) * 1_000_000).floored(to: 1_000_000) / 1_000_000
        return Int(seconds - seconds.floored(to: 86_400)) / 60
    }

    /// Returns the calendar day in a zone: `2026-05-03`.
    public func day(in zone: Zone) -> String {
        Instant(microseconds: microseconds + zone.ahead(at: self) * 1_000_000).day
    }
}

extension Zone {
    /// Returns the first moment of the calendar day that contains a time.
    ///
    /// If the clocks skip midnight, that is the moment of the change. If they show it twice on this date, it is the
    /// first one.
    public func startOfDay(of time: Instant) -> Instant {
        let ahead = ahead(at: time)
        let midnight = (time.microseconds.floored(to: 1_000_000) / 1_000_000 + ahead).floored(to: 86_400)
        let start = Instant(microseconds: (midnight - ahead) * 1_000_000)
        let before = self.ahead(at: start.advanced(bySeconds: -1))
        let other = Instant(microseconds: (midnight - before) * 1_000_000)
        return self.ahead(at: other) == before || self.ahead(at: start) != ahead ? other : start
    }

    /// Returns the first moment of the day after the one that begins at `start`. A day has at most 25 hours.
    public func startOfNextDay(after start: Instant) -> Instant {
        startOfDay(of: start.advanced(bySeconds: 36 * 3600))
    }
}

extension Int64 {
    /// Returns the largest multiple of `length` that is not greater.
    public func floored(to length: Int64) -> Int64 { self - (self % length + length) % length }
}
