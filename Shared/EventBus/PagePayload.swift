package import EventSourcing

/// Parses the entries of a page (``PackedEntries``).
package enum PagePayload {
    /// Returns exactly `count` entries from the position `first` on. Throws if the payload does not hold them.
    package static func read(_ payload: [UInt8], first: Position, count: Int) throws(BusAnomaly) -> [Entry] {
        guard (0...EventLimits.pageEvents).contains(count), payload.count <= BusLimits.pagePayloadBytes,
            !first.addingReportingOverflow(UInt64(count)).overflow
        else { throw .unreadablePayload }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        var place = 0
        for index in 0..<count {
            guard payload.count - place >= PackedEntries.overheadBytes else { throw .unreadablePayload }
            let length = payload[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let start = place + PackedEntries.overheadBytes
            guard length <= EventLimits.eventBytes, payload.count - start >= length else { throw .unreadablePayload }
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
