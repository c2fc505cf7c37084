import JSON
import SQLite
import Synchronization
import System

/// What one synchronisation has done, and what there is to do for people.
public struct Synced: Sendable, Equatable {
    /// Promises that were done.
    public var sent = 0
    /// Records that changed or wait for a yes.
    public var changed = 0
    /// Records that could not be understood and were left as they were.
    public var failed = 0
    /// News that wait for a yes (`applyNews`).
    public var news = 0
    /// Somebody has to sign in before what they promised is sent.
    public var needsSignIn = false
    /// Pictures that did not arrive; they are tried for again.
    public var missingPictures = 0
}

/// Keeps in step with the farm server.
extension FarmClient {
    /// Sends what waits, and gets what is new. Calls that come meanwhile share one more run, which begins after it.
    ///
    /// What decides whether something may be bought, fetched or eaten is taken at once. All else waits until
    /// `applyNews`: a page does not change under a reader's eyes. The first time all of it is taken.
    ///
    /// - Throws: `unreachable`: what waits is sent later, and what was taken so far stays.
    @discardableResult
    public func sync() async throws(FarmClientError) -> Synced {
        let turn = turns.withLock { turns in
            turns.next {
                let result = await self.syncOnce()
                self.turns.withLock { turns in turns.end() }
                return result
            }
        }
        return try await turn.value.get()
    }

    /// How many news wait for a yes.
    public func newsCount() throws(FarmClientError) -> Int {
        try kept { keep throws(SQLiteError) in try keep.newsCount() }
    }

    /// Somebody has said yes to the news.
    @discardableResult
    public func applyNews() async throws(FarmClientError) -> Synced {
        var synced = try kept { keep throws(SQLiteError) in
            var synced = Synced()
            for change in try keep.news() {
                try keep.put(change)
                synced.changed += 1
            }
            try keep.dropNews()
            return synced
        }
        synced.missingPictures = try await fetchPictures()
        tell()
        return synced
    }

    /// Everything comes anew with the next synchronisation; until then what is here can be looked at.
    public func startOver() throws(FarmClientError) {
        try kept { keep throws(SQLiteError) in try keep.put(.pulled, nil) }
    }

    private func syncOnce() async -> Result<Synced, FarmClientError> {
        do throws(FarmClientError) {
            let isFirst = try session().mark == nil
            var synced = try await calls.apart { () throws(FarmClientError) in
                let sending = try self.send()
                var synced = try self.pull()
                synced.sent = sending.done
                synced.needsSignIn = sending.needsSignIn
                return synced
            }
            if isFirst { synced.missingPictures = try await fetchPictures() }
            synced.news = try newsCount()
            return .success(synced)
        } catch {
            return .failure(error)
        }
    }

    /// Gets what is new, page by page. Blocks.
    private func pull() throws(FarmClientError) -> Synced {
        var synced = Synced()
        for _ in 0..<ClientLimits.pages {
            let session = try session()
            let json = try server.get("/v1/sync\(session.mark?.query ?? "")", token: session.token)
            let pulled: Pulled
            do throws(JSONError) {
                pulled = try Pulled(json, at: Clock.realMicroseconds())
            } catch {
                throw FarmClientError(.unreachable, "What answers there is no farm server: \(error)")
            }
            let taken = try kept { keep throws(SQLiteError) -> ClientStore.Taken? in
                // Somebody has signed in or out meanwhile, or wants everything anew: what was told is of no use.
                guard try keep.session() == session else { return nil }
                return try keep.take(pulled, isFirst: session.mark == nil)
            }
            guard let taken else { continue }
            synced.changed += taken.changed
            synced.failed += taken.failed
            if taken.changed > 0 { tell() }
            if !pulled.hasMore { break }
        }
        return synced
    }
}

/// Whose turn it is to synchronise: one run at a time, and one more for all who came meanwhile.
struct SyncCoordinator: Sendable {
    typealias Turn = Task<Result<Synced, FarmClientError>, Never>

    private var running: Turn?
    private var waiting: Turn?

    /// The run that begins after this call; made if there is none.
    mutating func next(_ body: @escaping @Sendable () async -> Result<Synced, FarmClientError>) -> Turn {
        if let waiting { return waiting }
        guard let running else {
            let turn = Turn { await body() }
            self.running = turn
            return turn
        }
        let turn = Turn {
            _ = await running.value
            return await body()
        }
        waiting = turn
        return turn
    }

    /// The run is over; what waited has begun.
    mutating func end() {
        running = waiting
        waiting = nil
    }
}
