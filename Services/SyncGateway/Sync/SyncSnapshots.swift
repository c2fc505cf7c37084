import EventSourcing
import Events
import HTTP
import Host
import Vocabulary

/// The response to clients without data that are signed in nowhere, made once until a public record changes.
struct SyncSnapshots {
    private struct Snapshot {
        let epoch: String
        let body: EncodedBody
        /// The position at which it was known last that no public record had changed. Changes after it are recorded at
        /// it or behind it (`SyncRecordWriter`).
        var checked: Position
    }

    /// By county; the empty key is that of all counties.
    private var snapshots: [String: Snapshot] = [:]

    /// Returns the response for a county, which `make` writes if it is not known or outdated.
    mutating func body(
        of county: String?, epoch: String, at position: Position, _ tables: any Tables, make: () -> [UInt8]
    ) -> EncodedBody {
        let key = county ?? ""
        if var known = snapshots[key], known.epoch == epoch, known.checked <= position,
            !Self.hasPublicChange(from: known.checked, tables)
        {
            known.checked = position
            snapshots[key] = known
            return known.body
        }
        let body = EncodedBody(make(), effort: .often)
        if snapshots.count >= GatewayLimits.snapshots { snapshots = [:] }
        snapshots[key] = Snapshot(epoch: epoch, body: body, checked: position)
        return body
    }

    /// Returns whether a record that everyone may read has changed at a position or after it.
    private static func hasPublicChange(from position: Position, _ tables: any Tables) -> Bool {
        var after = SyncLogRow.prefix(position)
        while true {
            let rows = tables.scan(SyncLogRow.self, prefix: "", after: after, limit: GatewayLimits.syncRows)
            if rows.contains(where: { $0.record.hasPrefix("|") }) { return true }
            guard let end = rows.last else { return false }
            after = end.key
        }
    }
}
