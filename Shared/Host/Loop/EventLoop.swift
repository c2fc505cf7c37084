import Crypto
import EventBus
import EventSourcing
import EventStore
import Events
import HTTP
import System
import Telemetry
import Vocabulary
import Wire
import ZeroMQ

/// The event loop on the single thread of a service. It gathers the inputs that have arrived and lets the runtime take
/// them. It makes all of it durable with one sync, and only then sends responses, head notifications and other effects.
final class EventLoop<S: Service> {
    let runtime: ServiceRuntime<S>
    let configuration: ServiceConfiguration<S>
    let clock: AdjustableClock
    let endpoints: Endpoints
    let requestServer: RequestServer
    /// The connection that this service opens to the caller of its requests; nil if callers dial this one.
    let call: Socket?
    let subscriber: FeedSubscriber?
    let feeds: FeedServer
    let mailbox: Mailbox<LoopMessage>
    let health: HealthRegistry
    let progress: EventLoopProgress
    let log: Logger
    let disk: DiskMonitor
    var requestClients: [String: RequestClient] = [:]
    /// Clients created since the last round, whose sockets are not polled yet.
    var unpolled: [RequestClient] = []
    var openRequests: [UInt64: IncomingRequest] = [:]
    var tokens: [String: [UInt64: UInt64]] = [:]
    var exchanges: [UInt64: HTTPExchange] = [:]
    /// The bodies that are sent in pieces, by request.
    var bodies: [UInt64: HTTPStream] = [:]
    var streams = SSEBroker()
    var hostRequests: [(IncomingRequest, HostVerb)] = []
    var consumed: [(feed: String, through: Position)] = []
    /// The position up to which each followed feed was read.
    var read: [String: Position] = [:]
    /// Updates of followed feeds that arrived while the disk was full or the limit of parked streams was reached.
    var waiting: [FeedUpdate] = []
    /// Feeds that have reached the limit of parked streams.
    var fullFeeds: Set<String> = []
    /// Feeds with an event that only a newer build can read.
    var haltedFeeds: Set<String> = []
    let workers: Workers
    /// The build time of this process's executable, as it was at the start.
    let built = Build.time()
    let sealing: SegmentSealer
    /// Processes queries on a thread of its own; nil if the step function does.
    let queries: QueryWorker?
    /// Queries of this round. They are passed on after the decisions before them are committed.
    var pendingQueries: [Request] = []
    let indexCheck: IndexCheck
    var nextID: UInt64 = 1
    var isStopping = false
    private(set) var servers: [HTTPServer] = []
    private var nextTick: Int64 = 0
    private var nextIdle: Int64 = 0
    private var nextRelease: Int64 = 0
    private var announcedHead: Position = 0
    /// Why subscribers cannot read a journal of this process; logged once.
    private var reportedFailure: LogFailure?
    var steps: ClockJumpDetector
    let bootID = BootTime.machineID()
    /// Holds acknowledgements until the hub has their events; nil if the commit here is enough.
    private var gate: MirrorGate?
    /// The head of the journal at the start, which the hub has once this service has consumed all of the hub.
    private let firstHead: Position
    private var isFirstHeadMirrored = false

    init(
        _ configuration: ServiceConfiguration<S>, folder: String, clock: AdjustableClock, health: HealthRegistry,
        progress: EventLoopProgress, log: Logger,
        disk: DiskMonitor, _ endpoints: Endpoints
    ) throws {
        self.configuration = configuration
        self.disk = disk
        self.clock = clock
        self.health = health
        self.progress = progress
        self.log = log
        self.endpoints = endpoints
        runtime = ServiceRuntime(service: configuration.service, log: configuration.log, tables: configuration.tables)
        mailbox = try Mailbox(capacity: HostLimits.mailbox)
        workers = try Workers(into: mailbox)
        sealing = SegmentSealer(
            configuration.origin.description, folder: folder, open: configuration.readers, into: mailbox)
        indexCheck = IndexCheck(open: configuration.readers)
        let inbox = self.mailbox
        queries = try configuration.queries.map { configuration in
            try QueryWorker(configuration) { id, answer in
                // The loop drains the mailbox in its next round.
                while !inbox.push(.queried(id: id, answer: answer)) { QueryWorker.rest() }
            }
        }
        firstHead = configuration.log.head.position
        if configuration.settings["SYNCHRONOUS"] == "1", configuration.listening == .hub {
            gate = MirrorGate()
            runtime.mirrored = 0
        }
        steps = ClockJumpDetector(before: try ClockJumpDetector.newest(in: configuration.log))
        let slot = configuration.origin.slot
        let requestServer = try endpoints.requestServer(slot: slot)
        self.requestServer = requestServer
        call = try configuration.caller.map { try endpoints.call(requestServer, as: configuration.origin, to: $0) }
        switch configuration.listening {
        case .hub: subscriber = try endpoints.subscriber(of: "trace-ledger")
        case .origins: subscriber = try endpoints.origins()
        case .nothing: subscriber = nil
        }
        feeds = try endpoints.feeds(
            slot: slot, dialsHub: configuration.listening != .origins, open: configuration.readers)
        if !configuration.reverseServers.isEmpty { store(try endpoints.reverseServers(), as: Self.dialledIn) }
    }

    /// Runs until a stop is requested. Throws if the storage fails, which ends the process.
    func run() throws {
        try follow()
        try checkDisk()
        for web in configuration.web { servers.append(try open(web)) }
        health.set("journal", .ok)
        health.set("feeds", .ok)
        var poller = Poller()
        _ = poller.add(requestServer.socket)
        if let call { _ = poller.add(call) }
        if let subscriber { _ = poller.add(subscriber.socket) }
        _ = poller.add(descriptor: mailbox.descriptor)
        var polled: [Int32: Int] = [:]
        notify()
        while true {
            for requestClient in unpolled { _ = poller.add(requestClient.socket) }
            unpolled.removeAll()
            watch(&polled, with: &poller)
            _ = try poller.wait(milliseconds: headIsAnnounced && !mayHaveReleasable ? HostLimits.tickMilliseconds : 0)
            progress.report(.turning)
            try round()
            if isStopping, mailbox.count == 0 { break }
        }
        try close()
    }

    /// Runs one round: takes all inputs that have arrived, commits once, then performs the effects.
    private func round() throws {
        let now = clock.now()
        let monotonic = Clock.monotonicMicroseconds()
        runtime.update(isUpToDate: isUpToDate)
        try readMailbox(at: now)
        try readRequests(at: now)
        try readClients(at: now, monotonic)
        try readFeeds(at: now, monotonic)
        if monotonic >= nextIdle { try reopenSources() }
        try readSources()
        if mayHaveReleasable { try runtime.release(at: now) }
        let isTick = monotonic >= nextTick
        if isTick {
            health.turned()
            nextTick = monotonic + Int64(HostLimits.tickMilliseconds) * 1000
            if let seconds = steps.step(wall: AdjustableClock.machine.microseconds, boot: Clock.bootMicroseconds()) {
                let now = clock.now()
                try runtime.record(ClockJumpDetector.drafts(seconds, at: now, by: S.name), at: now)
            }
            try runtime.take(
                .ticked(wall: AdjustableClock.machine, boot: bootID.isEmpty ? nil : .now(bootID)), at: clock.now())
            streams.keepAlive(at: monotonic)
            try endpoints.follow()
            try requestServer.greet(at: monotonic)
        }
        let isGrowing = !headIsAnnounced
        let before = Clock.monotonicMicroseconds()
        let effects = try progress.during(.syncing) {
            let effects = try runtime.commit()
            if isGrowing {
                health.committed(in: Double(Clock.monotonicMicroseconds() - before) / 1_000_000)
                try configuration.afterCommit()
            }
            return effects
        }
        for effect in effects + passGate() { release(effect, monotonic) }
        notify()
        try passOnQueries(at: now)
        for (ask, verb) in hostRequests { try answer(ask, verb) }
        hostRequests.removeAll()
        for (feed, through) in consumed { try subscriber?.taken(feed, through: through) }
        consumed.removeAll()
        // Sealing and pruning continue on a low disk, because they free space: a sealed run takes a fraction, a pruned
        // one nothing.
        if isTick, !isGrowing || monotonic >= nextIdle || sealing.isBehind(runtime.log), disk.level != .full {
            try progress.during(.syncing) { try sealing.turn(runtime.log, at: monotonic) }
        }
        if monotonic >= nextIdle {
            nextIdle = monotonic + 1_000_000
            try progress.during(.syncing) {
                try runtime.flush()
                try configuration.idle()
            }
            inspectEndpoints()
            try inspectFeeds()
            try checkDisk()
            let status = status()
            health.set("parked", status.parkedCheck)
            if !status.sources.isEmpty { health.set("radios", status.radiosCheck) }
            if !status.limits.figures.isEmpty { health.set("limits", status.limitsCheck) }
            health.update(status)
        }
        if monotonic >= nextRelease, !isGrowing {
            nextRelease = monotonic + HostLimits.releaseMicroseconds
            Machine.releaseFreeMemory()
        }
    }

    /// Returns the acknowledgements whose events the hub has; none where they are not held back.
    private func passGate() -> [Effect] {
        guard gate != nil else { return [] }
        if !isFirstHeadMirrored, isUpToDate {
            isFirstHeadMirrored = true
            runtime.mirrored = max(runtime.mirrored ?? 0, firstHead)
        }
        return gate?.pass(runtime.takeAcknowledgements(), mirrored: runtime.mirrored ?? 0) ?? []
    }

    /// Ends the process if its keys have changed, so that the service manager restarts it with the new ones.
    /// Acknowledged events are on the disk.
    private func inspectEndpoints() {
        do throws(SettingError) {
            switch try endpoints.inspect() {
            case .good: health.set("keys", .ok)
            case .listed: log.notice("allow-list read again", [:])
            case .stale:
                log.notice("keys changed: stopping, to be restarted with the new ones", [:])
                isStopping = true
            }
        } catch {
            health.set("keys", .degraded(error.description))
        }
    }

    /// Reports whether journals can be served. Subscribers miss a page that cannot be read and only request it again.
    private func inspectFeeds() throws {
        let failure = feeds.failure
        if feeds.hasEnded { throw failure ?? LogFailure(operation: "serve", message: "the feeds' thread has ended") }
        guard failure != reportedFailure else { return }
        reportedFailure = failure
        health.set("feeds", failure.map { .degraded("a journal cannot be read by others: \($0)") } ?? .ok)
        if let failure { log.error("journal not served", ["reason": "\(failure)"]) }
    }

    private var mayHaveReleasable: Bool { runtime.mayHaveReleasable && disk.level != .full }

    private var headIsAnnounced: Bool { runtime.log.head.position == announcedHead }

    /// Notifies subscribers of the head of the journal and, on the hub, of the hub's head.
    private func notify() {
        guard !headIsAnnounced else { return }
        let head = runtime.log.head
        announcedHead = head.position
        feeds.notify(head)
        if let mirror = runtime.log as? any MirrorLog { feeds.notify(mirror.hubHead) }
    }

    /// Polls the sources that are open now, and stops polling those that were closed.
    private func watch(_ polled: inout [Int32: Int], with poller: inout Poller) {
        let present = disk.level == .full ? [] : Set(configuration.sources.compactMap(\.descriptor))
        for (descriptor, slot) in polled where !present.contains(descriptor) {
            poller.remove(slot)
            polled[descriptor] = nil
        }
        for descriptor in present where polled[descriptor] == nil {
            polled[descriptor] = poller.add(descriptor: descriptor)
        }
    }

    private func open(_ web: HTTPListener) throws -> HTTPServer {
        let mailbox = mailbox
        return try HTTPServer(
            address: web.address, port: web.port, tls: web.tls, limits: web.limits,
            proxies: web.proxies, commonHeaders: web.commonHeaders
        ) { outer in
            guard let exchange = web.carried(outer) else { return }
            if let response = web.staticResponse(exchange.request) {
                exchange.respond(response)
            } else if !mailbox.push(.web(exchange)) {
                let problem = Problem(503, "busy", "Too many requests are waiting; try again in a second.")
                exchange.respond(HTTPResponse(status: 503, type: "application/problem+json", body: problem.body))
            }
        }
    }

    private func close() throws {
        progress.report(.syncing)
        for body in bodies.values { body.abort() }
        for server in servers { server.stop() }
        feeds.stop()
        queries?.stop()
        sendLastResponses()
        workers.stop()
        try runtime.close()
        indexCheck.stop()
        log.notice("stopped", ["journal.head": "\(runtime.log.head.position)"])
    }
}
