import EventSourcing
import EventStore
import Host
import HubStore
import System
import TraceLedger

/// Where one instance keeps its journal and its views, and how they are read beside it.
struct RebuildPlace {
    let instance: ServiceInstance
    private let folder: String
    private let conninfo: String

    init(_ instance: ServiceInstance, folder: String, conninfo: String) {
        self.instance = instance
        self.folder = folder
        self.conninfo = conninfo
    }

    private var isLedger: Bool { instance.name == TraceLedger.name }

    var viewStore: any ViewStore { isLedger ? ViewSchemas(conninfo) : SQLiteViewStore(folder) }

    /// Opens a reader of the journal.
    var reading: @Sendable () throws -> any LogReader {
        let (isLedger, conninfo, path) = (isLedger, conninfo, "\(folder)/\(SQLiteLog.fileName)")
        return { isLedger ? try OriginReader(ownOf: conninfo) : try SQLiteReader(path: path) }
    }

    /// Gives the foreign events that intake entries name: the ledger's of every origin, everybody else's of the hub.
    func pulling<S: Service>(_ type: S.Type) throws -> Folding<S>.ExactPull {
        let conninfo = conninfo
        if isLedger { return Folding<S>.pull(mirroredBy: { try OriginReader(conninfo, feed: $0) }) }
        var pages: PagePrefetcher?
        return { feed, checkpoint, last in
            guard feed == "hub" else { throw Refusal("\(feed) was taken in, which is read nowhere but in the ledger.") }
            let hub = try pages ?? PagePrefetcher(HubReader(conninfo))
            pages = hub
            return try hub.entries(after: checkpoint, through: last)
        }
    }
}
