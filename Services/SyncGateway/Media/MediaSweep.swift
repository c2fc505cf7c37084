import EventSourcing
import Host
import System
import Vault

/// Deletes the files of removed photographs.
///
/// A file is deleted when it is a day old: until then a person may have sent it again for a form that is still open.
/// After a start all files are deleted again, which does nothing for those that were.
struct MediaSweep {
    private var after: String?

    /// Deletes the files that are due, a limited number. Returns how many could not be deleted.
    mutating func next(_ media: Media, _ tables: any Tables) -> Int {
        var failures = 0
        for row in tables.scan(UnusedMediaRow.self, prefix: "", after: after, limit: GatewayLimits.sweptMedia) {
            do throws(MediaError) {
                guard try media.remove(row.sha256, olderThan: GatewayLimits.unusedMediaSeconds) else { return failures }
            } catch {
                failures += 1
            }
            after = row.key
        }
        return failures
    }
}

extension SyncGateway {
    mutating func sweptMedia(_ tables: any Tables) -> [Effect] {
        guard let media, tick.isMultiple(of: GatewayLimits.sweepTicks) else { return [] }
        let failures = mediaSweep.next(media, tables)
        return failures > 0 ? [.note(OperatorEvent("media_failures"))] : []
    }
}
