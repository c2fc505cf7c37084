import HTTP
import JSON
import SQLite
import Synchronization
import System

/// The result of one synchronisation, and what the user has to do.
public struct Synced: Sendable, Equatable {
    /// Pending changes that were sent.
    public var sent = 0
    /// Pending changes that nodes carry to the farm, which alone can read them; `sync` collects the responses.
    public var carried = 0
    /// Records that changed, or have an update to apply.
    public var changed = 0
    /// Records that could not be read and were left unchanged.
    public var failed = 0
    /// Updates that wait for `applyNews`.
    public var news = 0
    /// Whether a person has to sign in before their changes are sent.
    public var needsSignIn = false
    /// Pictures that could not be fetched; they are fetched again later.
    public var missingPictures = 0
    /// Where the records came from. From elsewhere than the farm, only public records come, and nothing is sent.
    public var source = ContentSource.farm
}

/// Synchronisation with the farm server.
extension FarmClient {
    /// Sends pending changes and pulls updates; calls during a run share one further run.
    ///
    /// Updates that decide what may be bought, collected or eaten are applied at once. All others wait for `applyNews`,
    /// so that a page does not change while it is read. The first pull is applied completely.
    ///
    /// - Throws: `unreachable`: pending changes are sent later, and data received so far is retained.
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

    /// Returns the number of updates that wait for `applyNews`.
    public func newsCount() throws(FarmClientError) -> Int {
        try kept { keep throws(SQLiteError) in try keep.newsCount() }
    }

    /// Applies the waiting updates, as confirmed by the user.
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

    /// Makes the next synchronisation pull all records again; until then the present ones can be read.
    public func startOver() throws(FarmClientError) {
        try kept { keep throws(SQLiteError) in try keep.put(.pulled, nil) }
    }

    private func syncOnce() async -> Result<Synced, FarmClientError> {
        do throws(FarmClientError) {
            let isFirst = try session().mark == nil
            var synced = try await syncAnywhere()
            if isFirst { synced.missingPictures = try await fetchPictures() }
            synced.news = try newsCount()
            return .success(synced)
        } catch {
            return .failure(error)
        }
    }

    /// Synchronises with the farm; if it is not reached, takes the public records from others in the network.
    private func syncAnywhere() async throws(FarmClientError) -> Synced {
        do throws(FarmClientError) {
            return try await calls.apart { () throws(FarmClientError) in
                let sending = try self.send()
                var synced = try self.pull()
                synced.sent = sending.done
                synced.carried = sending.carried
                synced.needsSignIn = sending.needsSignIn
                if let shared = self.shared { self.renewShared(shared, after: synced) }
                return synced
            }
        } catch {
            guard error.code == .unreachable else { throw error }
            shared?.noteFarm(isReached: false)
            let carried = try kept { keep throws(SQLiteError) in try keep.ticketCount() }
            let elsewhere = try await pullElsewhere()
            guard var synced = elsewhere ?? (carried > 0 ? Synced(source: .device) : nil) else { throw error }
            synced.carried = carried
            return synced
        }
    }

    /// Requests the next page of updates: what only a person may read from the farm itself, or unreadably for the node
    /// that it comes through.
    private func pulled(_ session: StoredSession) throws(FarmClientError) -> (HTTPResponse, ContentSource) {
        let path = "/v1/sync\(session.mark?.query ?? "")"
        guard let token = session.token else { return (try server.ask("GET", path), .farm) }
        let (response, source) = try personal("GET", path, token: token)
        return (try Server.accepted(response), source)
    }

    /// Pulls updates, page by page; blocks.
    private func pull() throws(FarmClientError) -> Synced {
        var synced = Synced()
        for _ in 0..<ClientLimits.pages {
            let session = try session()
            let (response, source) = try pulled(session)
            let json = try Server.json(response.body)
            synced.source = source
            let pulled: Pulled
            do throws(JSONError) {
                pulled = try Pulled(json, at: Clock.realMicroseconds())
            } catch {
                throw FarmClientError(.unreachable, "The response is not from a farm server: \(error)")
            }
            let taken = try kept { keep throws(SQLiteError) -> ClientStore.Taken? in
                // After a sign-in, a sign-out or `startOver` meanwhile, the response is obsolete.
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

/// Serialises synchronisations: one run at a time, and one further run shared by all later calls.
struct SyncCoordinator: Sendable {
    typealias Turn = Task<Result<Synced, FarmClientError>, Never>

    private var running: Turn?
    private var waiting: Turn?

    /// Returns the run that starts after this call, creating it if there is none.
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

    /// Ends the current run; a waiting one has started.
    mutating func end() {
        running = waiting
        waiting = nil
    }
}
