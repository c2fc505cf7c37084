import EventSourcing
import EventStore
import HTTP
import System
import Telemetry
import Vocabulary

/// What a loop tells of itself, about once a second.
extension Loop {
    func standing() -> Standing {
        var standing = Standing(origin: plan.origin.description)
        standing.head = core.log.head.position
        standing.views = core.tables.position
        standing.feeds = feedsRead()
        if let mirror = core.log as? any MirrorLog { standing.hub = (mirror.hubHead.position, mirror.feeds()) }
        standing.disk = (free: disk.space.free, size: disk.space.total)
        standing.backup = home.map { BackupRecord.read($0) } ?? BackupRecord()
        standing.sources = plan.sources.map { ($0.name, $0.descriptor != nil) }
        standing.residentBytes = Machine.residentBytes()
        standing.constants = plan.constants
        standing.built = built
        standing.address = plan.settings["PUBLIC_URL"]
        return standing
    }

    /// How far each feed was read; what was read without news leaves no trace in the journal.
    private func feedsRead() -> [Standing.Feed] {
        let rows = core.tables.scan(IntakeRow.self, limit: HostLimits.feeds)
        var feeds: [String: (position: Position, parked: Int)] = [:]
        for row in rows { feeds[row.key] = (row.checkpoint.position, row.parked) }
        for (feed, position) in read {
            feeds[feed] = (max(position, feeds[feed]?.position ?? 0), feeds[feed]?.parked ?? 0)
        }
        return feeds.sorted { $0.key < $1.key }.map {
            Standing.Feed(name: $0.key, position: $0.value.position, parked: $0.value.parked)
        }
    }

    private var home: String? {
        do { return try plan.settings.home() } catch { return nil }
    }
}
