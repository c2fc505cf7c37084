import SQLite
import Sharing
import Telemetry

/// What a node has on its disk: a damaged cache is replaced, and a full disk stores nothing new.
struct NodeDisk {
    let cache: ResponseCache
    let deferred: DeferredRequests
    let log: Logger

    func find(_ key: CacheKey) throws -> StoredResponse? {
        do throws(SQLiteError) {
            return try cache.find(key)
        } catch {
            guard error.isCorrupt else { throw error }
            try startOver(error)
            return nil
        }
    }

    /// Records what became of a deferred request. If the disk is full, it is fetched again later.
    func settle(_ key: CacheKey, as state: DeferredRequests.State, status: Int) throws {
        try unlessFull { () throws(SQLiteError) in try deferred.settle(key, as: state, status: status) }
    }

    /// Runs `body` on the cache. A damaged file is replaced by an empty one; a full disk stores nothing new.
    func guarded(_ body: () throws(SQLiteError) -> Void) throws {
        do throws(SQLiteError) {
            try unlessFull(body)
        } catch {
            guard error.isCorrupt else { throw error }
            try startOver(error)
        }
    }

    /// Runs `body`; on a full disk it logs that nothing new is stored.
    func unlessFull(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        do throws(SQLiteError) {
            try body()
        } catch {
            guard error.isFull else { throw error }
            log.error("disk is full, nothing new is stored", ["reason": "\(error)"])
        }
    }

    private func startOver(_ error: SQLiteError) throws {
        log.error("stored responses are damaged and were removed", ["reason": "\(error)"])
        try cache.startOver()
    }
}
