import EventSourcing
import EventStore
import JSON
import System
import Telemetry
import Vocabulary

/// The status of a service in numbers, for operators and alerts.
struct ServiceStatus: Sendable {
    /// A followed feed: its position, the number of its parked events, and the number of events that wait for those.
    struct Feed: Sendable {
        let name: String
        var position: Position
        let parked: Int
        let waiting: Int
    }

    let origin: String
    var head: Position = 0
    var views: Position = 0
    var feeds: [Feed] = []
    /// The hub's own head and the head of each origin that it stores; nil if this is not the hub.
    var hub: (head: Position, origins: [Head])?
    /// The status of the home's disk.
    var disk: DiskStatus?
    var backup = BackupRecord()
    /// The sources, whether each is open, and why it does not work, if that is known.
    var sources: [(name: String, isPresent: Bool, trouble: String?)] = []
    var residentBytes = 0
    /// The HTTP listeners, and the open streams of server-sent events by audience.
    var web: [WebStatus] = []
    var streams: [String: Int] = [:]
    var streamsReplaced = 0
    /// Numbers that do not change while the process runs.
    var constants: [String: Double] = [:]
    /// What the service leaves out because of its own limits.
    var limits = ServiceLimits()
    /// The time of its machine's clock.
    var now = AdjustableClock.machine
    /// The time at which its process began, by its machine's clock: another one after each restart.
    static let started = AdjustableClock.machine
    /// The build time of its program.
    var built: Instant?
    /// The bytes of its own folder and, for the hub, of its database; set only when an operator requests the status.
    var used: UInt64?
    var growth: HubGrowth?
    /// The address on labels; nil if none is set.
    var address: String?

    func write(to json: inout JSONWriter, report: HealthReport) {
        json.field("origin", origin)
        json.field("report", raw: report.json)
        json.field("head", head)
        json.field("views", views)
        json.field(
            "feeds",
            array: { json in
                for feed in feeds {
                    json.object { json in
                        json.field("feed", feed.name)
                        json.field("position", feed.position)
                        json.field("parked", feed.parked)
                        json.field("waiting", feed.waiting)
                    }
                }
            })
        if let hub {
            json.field(
                "hub",
                object: { json in
                    json.field("head", hub.head)
                    json.field(
                        "origins",
                        object: { json in for origin in hub.origins { json.field(origin.feed, origin.position) } })
                })
        }
        json.field("disk", ifPresent: disk)
        json.field("backup", backup)
        json.field(
            "sources",
            array: { json in
                for source in sources {
                    json.object { json in
                        json.field("source", source.name)
                        json.field("present", source.isPresent)
                        json.field("trouble", ifPresent: source.trouble)
                    }
                }
            })
        json.field("residentBytes", residentBytes)
        if !web.isEmpty { json.field("web", array: { json in for one in web { json.object { one.write(to: &$0) } } }) }
        json.field("constants", object: { json in for (name, value) in constants { json.field(name, value) } })
        if !limits.figures.isEmpty {
            json.field(
                "figures",
                object: { json in
                    for (name, value) in limits.figures.sorted(by: { $0.key < $1.key }) { json.field(name, value) }
                })
        }
        json.field("remark", ifPresent: limits.remark)
        json.field("address", ifPresent: address)
        json.field("now", now)
        json.field("started", Self.started)
        json.field("built", ifPresent: built)
        json.field("used", ifPresent: used.map { $0 + UInt64(growth?.bytes ?? 0) })
        json.field("newest", ifPresent: growth?.newest)
        json.field("eventsPerDay", ifPresent: growth?.eventsPerDay)
        json.field("seenDays", ifPresent: growth?.seenDays)
    }

    /// Whether all consumed events are applied.
    var parkedCheck: HealthRegistry.Check {
        let parked = feeds.reduce(0) { $0 + $1.parked }
        let waiting = feeds.reduce(0) { $0 + $1.waiting }
        guard parked + waiting > 0 else { return .ok }
        return .degraded(
            "events that could not be used: \(parked); later ones of the same streams that wait: \(waiting); "
                + "see furrow parked list")
    }

    /// Whether the service's work is complete within its own limits.
    var limitsCheck: HealthRegistry.Check { limits.shortfall.map { .degraded($0) } ?? .ok }

    /// Whether every source works. A service whose open source does not start records nothing, so it is not ready. One
    /// that is not open, because a server does not accept the connection, leaves it degraded.
    var radiosCheck: HealthRegistry.Check {
        let silent = sources.filter { $0.trouble != nil }
        guard !silent.isEmpty else { return .ok }
        let words = silent.map { "\($0.name): \($0.trouble ?? "")" }.joined(separator: "; ")
        return silent.contains { $0.isPresent } ? .down(words) : .degraded(words)
    }

    /// Sets all gauges for Prometheus.
    func show(on meter: Meter, _ labels: [String: String]) {
        func gauge(_ name: String, _ value: Double, _ more: [String: String] = [:]) {
            meter.gauge("furrow_\(name)", labels: labels.merging(more) { $1 }, value)
        }
        gauge("journal_head", Double(head))
        gauge("views_position", Double(views))
        gauge("resident_bytes", Double(residentBytes))
        for feed in feeds {
            gauge("feed_position", Double(feed.position), ["feed": feed.name])
            gauge("feed_parked_events", Double(feed.parked), ["feed": feed.name])
            gauge("feed_waiting_events", Double(feed.waiting), ["feed": feed.name])
        }
        if let hub {
            gauge("hub_head", Double(hub.head))
            for origin in hub.origins { gauge("hub_origin_position", Double(origin.position), ["of": origin.feed]) }
        }
        if let disk {
            gauge("disk_free_bytes", Double(disk.space.free))
            gauge("disk_size_bytes", Double(disk.space.total))
            gauge("disk_needed_bytes", Double(disk.needed))
        }
        gauge("backup_made_timestamp_seconds", backup.made.map(Self.seconds) ?? 0)
        gauge("backup_failed", backup.isFailed ? 1 : 0)
        for source in sources {
            gauge("source_present", source.isPresent ? 1 : 0, ["source": source.name])
            let works = source.isPresent && source.trouble == nil
            gauge("source_working", works ? 1 : 0, ["source": source.name])
        }
        for one in web { one.show(gauge) }
        for (audience, count) in streams { gauge("live_streams", Double(count), ["audience": audience]) }
        if !web.isEmpty { gauge("live_streams_replaced", Double(streamsReplaced)) }
        for (name, value) in constants { gauge(name, value) }
        for (name, value) in limits.figures { gauge(name, Double(value)) }
    }

    private static func seconds(_ instant: Instant) -> Double { (Double(instant.microseconds) / 1_000_000).rounded() }
}
