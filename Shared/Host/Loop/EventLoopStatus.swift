import EventSourcing
import EventStore
import HTTP
import System
import Telemetry
import Vocabulary

/// The status that the event loop reports about once a second.
extension EventLoop {
    func status() -> ServiceStatus {
        var status = ServiceStatus(origin: configuration.origin.description)
        status.head = runtime.log.head.position
        status.views = runtime.tables.position
        status.feeds = feedsRead()
        if let mirror = runtime.log as? any MirrorLog { status.hub = (mirror.hubHead.position, mirror.feeds()) }
        status.disk = disk.status
        status.backup = home.map { BackupRecord.read($0) } ?? BackupRecord()
        status.sources = configuration.sources.map { source in
            let isPresent = source.descriptor != nil
            return (source.name, isPresent, isPresent ? runtime.service.trouble(of: source.name) : source.problem)
        }
        status.residentBytes = Machine.residentBytes()
        status.web = servers.map { WebStatus(port: $0.port, limits: $0.limits, counters: $0.counters) }
        status.streams = streams.counts
        status.streamsReplaced = streams.replaced
        status.constants = configuration.constants
        status.limits = runtime.service.limits
        status.built = built
        status.address = configuration.settings["PUBLIC_URL"]
        return status
    }

    /// Returns the position of each feed. Pages without events for this service move it further than the recorded
    /// checkpoints.
    private func feedsRead() -> [ServiceStatus.Feed] {
        let rows = runtime.tables.scan(FeedCheckpointRow.self, limit: HostLimits.feeds)
        var feeds: [String: ServiceStatus.Feed] = [:]
        for row in rows {
            feeds[row.key] = ServiceStatus.Feed(
                name: row.key, position: row.checkpoint.position, parked: row.parked, waiting: row.waiting)
        }
        for (feed, position) in read {
            var status = feeds[feed] ?? ServiceStatus.Feed(name: feed, position: 0, parked: 0, waiting: 0)
            status.position = max(position, status.position)
            feeds[feed] = status
        }
        return feeds.values.sorted { $0.name < $1.name }
    }

    private var home: String? {
        do { return try configuration.settings.home() } catch { return nil }
    }
}
