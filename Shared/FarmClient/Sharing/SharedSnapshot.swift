import JSON
import SQLite
import Sharing
import System
import Vocabulary

/// The farm's public records as one signed response, which clients pass on to each other.
extension FarmClient {
    static let snapshot = "/v1/sync"

    /// Fetches the public records for others, from where the person's own came, if those here are old; blocks.
    ///
    /// What a signed-in person has pulled contains personal data and is not shared. A node is near, and a phone that
    /// uses one may soon meet others where there is none: the records are fetched from it after each change.
    func renewShared(_ shared: Neighbours, after synced: Synced) {
        let age = shared.stored(Self.snapshot)?.age(at: Clock.realMicroseconds())
        let isOld = age.map { $0 >= ClientLimits.snapshotSeconds } ?? true
        switch synced.source {
        case .farm:
            shared.noteFarm(isReached: true)
            learnKey(shared)
            guard isOld else { return }
            do throws(FarmClientError) {
                _ = try visit(Self.snapshot)
            } catch {
                // Others have an older one, or ask the farm.
            }
        case .node: if isOld || synced.changed > 0 { _ = shared.find(Self.snapshot, from: .node) }
        case .client, .device: break
        }
    }

    /// Takes the public records from a node or another client, because the farm was not reached.
    ///
    /// They never replace newer ones, and change nothing of a person. Returns nil if none of them has newer ones.
    func pullElsewhere() async throws(FarmClientError) -> Synced? {
        for kind in [PeerKind.node, .client] {
            guard let found = await elsewhere(Self.snapshot, kind), let pulled = Self.pulled(found) else { continue }
            let taken = try kept { keep throws(SQLiteError) in try keep.take(snapshot: pulled, at: found.asOf) }
            guard let taken else { continue }
            if taken.changed > 0 { tell() }
            var synced = Synced()
            synced.changed = taken.changed
            synced.failed = taken.failed
            synced.source = found.source
            return synced
        }
        return nil
    }

    private static func pulled(_ found: SharedContent) -> Pulled? {
        do {
            return try Pulled(try Server.json(found.body), at: found.asOf.microseconds)
        } catch {
            return nil
        }
    }
}

extension ClientStore {
    /// Stores the public records of a whole response, in one transaction. Returns nil if newer ones are here.
    ///
    /// The pull position stays: the farm's next response continues from there.
    func take(snapshot pulled: Pulled, at asOf: Instant) throws(SQLiteError) -> Taken? {
        let known = try [session().mark, snapshotMark()].compactMap { $0 }
        let isNewer = known.allSatisfy { mark in
            mark.epoch == pulled.mark.epoch ? mark.position <= pulled.mark.position : mark.at < asOf.microseconds
        }
        guard isNewer, !pulled.hasMore else { return nil }
        let isFirst = known.isEmpty
        var taken = Taken(failed: pulled.unnamed)
        for table in FarmTable.allCases where !FarmTable.personal.contains(table) {
            let changes = pulled.changes.filter { $0.table == table }
            let named = Set(changes.map(\.id))
            let gone = try bodies(table).filter { !named.contains($0.id) }.map {
                Change(table: table, id: $0.id, body: nil)
            }
            for change in changes + gone {
                let one = try take(change, isAll: isFirst)
                taken.changed += one.changed
                taken.failed += one.failed
            }
        }
        if isFirst { try put(.payments, text(of: pulled.payments)) }
        try put(.snapshot, pulled.mark.json)
        return taken
    }

    /// The position and time of the newest snapshot that was taken; nil if there was none.
    func snapshotMark() throws(SQLiteError) -> Pulled.Mark? {
        try fact(.snapshot).flatMap { read($0) { json throws(JSONError) in try Pulled.Mark(json) } }
    }
}
