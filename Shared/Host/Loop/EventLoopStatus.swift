import EventSourcing
import EventStore
import HTTP
import System
import Telemetry
import Vocabulary

/// The status that the event loop reports about once a second.
extension EventLoop {
    func standing() -> ServiceStatus {
        var standing = ServiceStatus(origin: plan.origin.description)
        standing.head = core.log.head.position
        standing.views = core.tables.position
        standing.feeds = feedsRead()
        if let mirror = core.log as? any MirrorLog { standing.hub = (mirror.hubHead.position, mirror.feeds()) }
        standing.disk = disk.standing
        standing.backup = home.map { BackupRecord.read($0) } ?? BackupRecord()
        standing.sources = plan.sources.map { source in
            let isPresent = source.descriptor != nil
            return (source.name, isPresent, isPresent ? core.service.trouble(of: source.name) : nil)
        }
        standing.residentBytes = Machine.residentBytes()
        standing.web = servers.map { WebStatus(port: $0.port, limits: $0.limits, counters: $0.counters) }
        standing.streams = streams.counts
        standing.streamsReplaced = streams.replaced
        standing.constants = plan.constants
        standing.limits = core.service.limits
        standing.built = built
        standing.address = plan.settings["PUBLIC_URL"]
        return standing
    }

    /// Returns the position of each feed. Pages without events for this service move it further than the recorded
    /// checkpoints.
    private func feedsRead() -> [ServiceStatus.Feed] {
        let rows = core.tables.scan(FeedCheckpointRow.self, limit: HostLimits.feeds)
        var feeds: [String: ServiceStatus.Feed] = [:]
        for row in rows {
            feeds[row.key] = ServiceStatus.Feed(
                name: row.key, position: row.checkpoint.position, parked: row.parked, waiting: row.waiting)
        }
        for (feed, position) in read {
            var standing = feeds[feed] ?? ServiceStatus.Feed(name: feed, position: 0, parked: 0, waiting: 0)
            standing.position = max(position, standing.position)
            feeds[feed] = standing
        }
        return feeds.values.sorted { $0.name < $1.name }
    }

    private var home: String? {
        do { return try plan.settings.home() } catch { return nil }
    }
}
