import EventBus
public import EventSourcing
import EventStore
import HTTP
import System
import Telemetry
import Vocabulary
import ZeroMQ

/// Runs one service in this process until it is stopped; the last call of every service's `main`.
///
/// `assemble` opens the journal, tables and sources after the slot is locked. The process exits with 0 after a clean
/// stop, 2 after a wrong setting, and 70 after a storage failure. In the last case it is unknown what is on the disk,
/// and a restart determines it. The watchdog ends the process with 79 if its event loop hangs.
///
/// ```
/// run(CatalogOrders.self) { settings, slot, clock in
///     let origin = Origin(service: CatalogOrders.name, site: settings.site, slot: slot.number)
///     let log = try slot.openJournal(of: origin, settings, at: clock.now())
///     let tables = try SQLiteTables(folder: slot.folder, Folding<CatalogOrders>.schemas)
///     return ServiceConfiguration(
///         service: CatalogOrders(vault: vault, hasSandbox: false), settings: settings, origin: origin, log: log,
///         tables: tables, readers: readers, listening: .hub)
/// }
/// ```
///
/// - Parameter isGuarded: false only to measure the cost of encryption: TCP endpoints are then open to everyone.
public func run<S: Service>(
    _ type: S.Type, isGuarded: Bool = true,
    assemble: (Settings, Slot, AdjustableClock) throws -> ServiceConfiguration<S>
) -> Never {
    Machine.limitHeaps(to: HostLimits.heaps)
    Machine.allowDescriptors(HostLimits.descriptors)
    let log = Logger(service: S.name)
    var disk: DiskMonitor?
    do {
        try serve(isGuarded: isGuarded, log, noting: &disk, assemble)
        Machine.end(0)
    } catch let error as SettingError {
        log.error("wrong setting", ["reason": error.description])
        Machine.end(2)
    } catch let error as HTTPError {
        // A port in use, an address of another machine, or a certificate that does not match its key.
        log.error("wrong setting", ["reason": error.message])
        Machine.end(2)
    } catch {
        log.error("ended", ["reason": "\(error)"])
        do {
            // If the disk was full, the next start has the space to open the journal and to serve reads.
            try disk?.measure()
            if (error as? LogFailure)?.isFull == true { try disk?.release() }
        } catch {
            log.error("ballast", ["reason": "\(error)"])
        }
        Machine.end(70)
    }
}

/// Serves until a stop is requested. When this returns or throws, every socket is closed and the last responses are
/// sent, so the process may exit at once.
private func serve<S: Service>(
    isGuarded: Bool, _ log: Logger, noting disk: inout DiskMonitor?,
    _ assemble: (Settings, Slot, AdjustableClock) throws -> ServiceConfiguration<S>
) throws {
    let settings = try Settings.fromProcess()
    guard let clock = try AdjustableClock.configured(Machine.environment) else {
        throw SettingError(name: "FURROW_CLOCK", reason: "must be START*RATE with a start in the past")
    }
    let signals = try SignalWatcher()
    let progress = EventLoopProgress()
    let watchdog = try Watchdog(
        progress, seconds: Int64(settings.number("HANG_SECONDS", in: 0...600) ?? HostLimits.hangSeconds),
        heartbeat: settings["HEARTBEAT"].map { try SharedNumber(path: $0, first: 0) }, log: log)
    defer { _ = watchdog }
    let health = HealthRegistry(service: S.name, meter: Meter())
    let ops = try OpsEndpoint(
        address: settings["OPS_ADDRESS"], port: settings.number("OPS_PORT", in: 0...65_535) ?? 0, health: health)
    if let reason = settings["STAYS_DOWN"] {
        log.error("stays down", ["reason": reason])
        let origin = Origin(
            service: S.name, site: settings.site, slot: try settings.number("SLOT", in: 0...(Slot.most - 1)) ?? 0)
        let endpoints = try Endpoints(settings, of: S.name, in: Context(), isGuarded: isGuarded)
        let down = StayingDown(origin: origin, reason: reason, health: health, progress: progress, endpoints: endpoints)
        try down.run(until: signals)
        return ops.close()
    }
    let slot = try Slot.claim(
        service: S.name, home: settings.home(), fixed: settings.number("SLOT", in: 0...(Slot.most - 1)))
    try RestoreMark.check(settings.home())
    let monitor = try DiskMonitor(DiskThresholds(settings), folder: slot.folder)
    disk = monitor
    let context = try Context()
    let configuration = try assemble(settings, slot, clock)
    if let place = configuration.tables.taken {
        log.notice("views switched", ["from": place.rawValue, "position": "\(configuration.tables.position)"])
    }
    (configuration.log as? SQLiteLog)?.reserve()
    let endpoints = try Endpoints(settings, of: S.name, in: context, isGuarded: isGuarded)
    try catchUp(configuration, health: health, progress, endpoints)
    progress.report(.opening)
    let loop = try EventLoop(
        configuration, folder: slot.folder, clock: clock, health: health, progress: progress, log: log, disk: monitor,
        endpoints)
    let mailbox = loop.mailbox
    let watcher = try Worker(name: "signals") {
        do {
            while try Poll.wait([signals.descriptor], milliseconds: -1).isEmpty
                || !signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt })
            {}
        } catch {
            // A failure to wait for a signal is no reason to stop.
            return
        }
        _ = mailbox.push(.stop)
    }
    health.setReady()
    log.notice(
        "ready",
        [
            "origin": configuration.origin.description, "journal.head": "\(configuration.log.head.position)",
            "ops.port": "\(ops.port)",
        ])
    try loop.run()
    ops.close()
    _ = watcher
}

/// Projects the entries that the views do not contain yet: the last ones after a crash, all after a wipe.
private func catchUp<S: Service>(
    _ configuration: ServiceConfiguration<S>, health: HealthRegistry, _ progress: EventLoopProgress,
    _ endpoints: Endpoints
) throws {
    let head = configuration.log.head.position
    // The journal was restored and the views are ahead of it, so they are invalid.
    if configuration.tables.position > head { try configuration.tables.wipe() }
    guard configuration.tables.position < head else { return }
    let folding = Folding<S>(of: configuration.log.head.feed, into: configuration.tables)
    let pull: Folding<S>.ExactPull
    if let mirror = configuration.log as? any MirrorLog {
        pull = Folding<S>.pull(mirroredBy: { try mirror.originReader($0) })
    } else {
        let hub = try HubPageReader(
            endpoints,
            waiting: {
                // Waiting for another service is not a hang of this one.
                progress.report(.projecting)
                health.set("views", .down($0))
            })
        pull = { feed, checkpoint, last in
            try hub.entries(of: feed, after: checkpoint, through: last.position)
        }
    }
    let (readers, feed) = (configuration.readers, configuration.log.head.feed)
    _ = try folding.fold(
        on: configuration.tables, through: head,
        reading: {
            guard let own = try readers().first(where: { try $0.head().feed == feed }) else {
                throw LogFailure(operation: "fold", message: "\(feed) cannot be read")
            }
            return own
        },
        pulling: pull,
        shouldContinue: { position in
            progress.report(.projecting)
            health.set("views", .down("folding \(position) of \(head)"))
            return true
        })
    health.set("views", .ok)
}

extension LogReader {
    /// Returns all entries of a range, read page by page. Throws if the journal cannot be read.
    public func entries(from first: Position, through last: Position) throws(LogFailure) -> [Entry] {
        var entries: [Entry] = []
        while first + Position(entries.count) <= last {
            let next = first + Position(entries.count)
            let page = try read(
                from: next, events: min(EventLimits.pageEvents, Int(last - next) + 1), bytes: EventLimits.pageBytes)
            guard !page.isEmpty else { break }
            entries += page
        }
        return entries
    }
}
