package import EventSourcing

/// The entries of a page as they travel: for each a length (4 bytes, big endian), its hash (32 bytes) and its bytes.
package enum PagePayload {
    /// As many of `entries` as a page holds, at least one, and none behind a gap.
    package static func fitting(_ entries: [Entry]) -> ArraySlice<Entry> {
        var bytes = 0
        var count = 0
        for entry in entries.prefix(Limits.pageEvents) {
            bytes += entry.bytes.count
            guard count == 0 || (bytes <= Limits.pageBytes && entry.position == entries[0].position + UInt64(count))
            else { break }
            count += 1
        }
        return entries.prefix(count)
    }

    package static func write(_ entries: ArraySlice<Entry>) -> [UInt8] {
        var payload: [UInt8] = []
        payload.reserveCapacity(entries.reduce(0) { $0 + $1.bytes.count + BusLimits.entryOverheadBytes })
        for entry in entries {
            let count = UInt32(clamping: entry.bytes.count)
            for shift in stride(from: 24, through: 0, by: -8) {
                payload.append(UInt8(truncatingIfNeeded: count >> UInt32(shift)))
            }
            payload += entry.hash
            payload += entry.bytes
        }
        return payload
    }

    /// Exactly `count` entries from the position `first` on.
    package static func read(_ payload: [UInt8], first: Position, count: Int) throws(BusTrouble) -> [Entry] {
        guard (0...Limits.pageEvents).contains(count), payload.count <= BusLimits.pagePayloadBytes,
            !first.addingReportingOverflow(UInt64(count)).overflow
        else { throw .unreadablePayload }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        var place = 0
        for index in 0..<count {
            guard payload.count - place >= BusLimits.entryOverheadBytes else { throw .unreadablePayload }
            let length = payload[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let start = place + BusLimits.entryOverheadBytes
            guard length <= Limits.eventBytes, payload.count - start >= length else { throw .unreadablePayload }
            let entry = Entry(
                position: first + UInt64(index), hash: Array(payload[place + 4..<start]),
                bytes: Array(payload[start..<start + length]))
            entries.append(entry)
            place = start + length
        }
        guard place == payload.count else { throw .unreadablePayload }
        return entries
    }
}
