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
    let core: ServiceRuntime<S>
    let plan: ServiceConfiguration<S>
    let clock: AdjustableClock
    let endpoints: Endpoints
    let requestServer: RequestServer
    /// The connection that this service opens to the caller of its requests; nil if callers dial this one.
    let call: Socket?
    let follower: FeedSubscriber?
    let feeds: FeedServer
    let mailbox: Mailbox<LoopMessage>
    let board: HealthRegistry
    let progress: EventLoopProgress
    let log: Logger
    let disk: DiskMonitor
    var requestClients: [String: RequestClient] = [:]
    /// Clients created since the last round, whose sockets are not polled yet.
    var unwatched: [RequestClient] = []
    var asked: [UInt64: IncomingRequest] = [:]
    var tokens: [String: [UInt64: UInt64]] = [:]
    var exchanges: [UInt64: HTTPExchange] = [:]
    var streams = SSEBroker()
    var hostAsks: [(IncomingRequest, HostVerb)] = []
    var taken: [(feed: String, through: Position)] = []
    /// The position up to which each followed feed was read.
    var read: [String: Position] = [:]
    /// Updates of followed feeds that arrived while the disk was full or the limit of parked streams was reached.
    var waiting: [FeedUpdate] = []
    /// Feeds that have reached the limit of parked streams.
    var crowded: Set<String> = []
    /// Feeds with an event that only a newer build can read.
    var halted: Set<String> = []
    let workers: Workers
    /// The build time of this process's executable, as it was at the start.
    let built = Build.time()
    let sealing: SegmentSealer
    /// Processes queries on a thread of its own; nil if the step function does.
    let queries: QueryWorker?
    /// Queries of this round. They are passed on after the decisions before them are committed.
    var handing: [Request] = []
    let indexCheck: IndexCheck
    var nextID: UInt64 = 1
    var isStopping = false
    private(set) var servers: [HTTPServer] = []
    private var nextTick: Int64 = 0
    private var nextIdle: Int64 = 0
    private var nextRelease: Int64 = 0
    private var rung: Position = 0
    /// Why subscribers cannot read a journal of this process; logged once.
    private var unserved: LogFailure?
    var steps: ClockJumpDetector
    let bootID = BootTime.machineID()

    init(
        _ plan: ServiceConfiguration<S>, folder: String, clock: AdjustableClock, board: HealthRegistry,
        progress: EventLoopProgress, log: Logger,
        disk: DiskMonitor, _ endpoints: Endpoints
    ) throws {
        self.plan = plan
        self.disk = disk
        self.clock = clock
        self.board = board
        self.progress = progress
        self.log = log
        self.endpoints = endpoints
        core = ServiceRuntime(service: plan.service, log: plan.log, tables: plan.tables)
        mailbox = try Mailbox(capacity: HostLimits.mailbox)
        workers = try Workers(into: mailbox)
        sealing = SegmentSealer(plan.origin.description, folder: folder, open: plan.readers, into: mailbox)
        indexCheck = IndexCheck(open: plan.readers)
        let inbox = self.mailbox
        queries = try plan.queries.map { plan in
            try QueryWorker(plan) { id, answer in
                // The loop drains the mailbox in its next round.
                while !inbox.push(.queried(id: id, answer: answer)) { QueryWorker.rest() }
            }
        }
        steps = ClockJumpDetector(before: try ClockJumpDetector.newest(in: plan.log))
        let slot = plan.origin.slot
        let requestServer = try endpoints.requestServer(slot: slot)
        self.requestServer = requestServer
        call = try plan.caller.map { try endpoints.call(requestServer, as: plan.origin, to: $0) }
        switch plan.listening {
        case .hub: follower = try endpoints.follower(of: "trace-ledger")
        case .origins: follower = try endpoints.origins()
        case .nothing: follower = nil
        }
        feeds = try endpoints.feeds(slot: slot, dialsHub: plan.listening != .origins, open: plan.readers)
        if !plan.callees.isEmpty { keep(try endpoints.callees(), as: Self.dialledIn) }
    }

    /// Runs until a stop is requested. Throws if the storage fails, which ends the process.
    func run() throws {
        try follow()
        try lookAtDisk()
        for web in plan.web { servers.append(try open(web)) }
        board.set("journal", .ok)
        board.set("feeds", .ok)
        var poller = Poller()
        _ = poller.add(requestServer.socket)
        if let call { _ = poller.add(call) }
        if let follower { _ = poller.add(follower.socket) }
        _ = poller.add(descriptor: mailbox.descriptor)
        var watched: [Int32: Int] = [:]
        ring()
        while true {
            for requestClient in unwatched { _ = poller.add(requestClient.socket) }
            unwatched.removeAll()
            watch(&watched, with: &poller)
            _ = try poller.wait(milliseconds: rungIsCurrent && !mayRelease ? HostLimits.tickMilliseconds : 0)
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
        core.update(isUpToDate: isUpToDate)
        try readMailbox(at: now)
        try readRequests(at: now)
        try readClients(at: now, monotonic)
        try readFeeds(at: now, monotonic)
        if monotonic >= nextIdle { try reopenSources() }
        try readSources()
        if mayRelease { try core.release(at: now) }
        let isTick = monotonic >= nextTick
        if isTick {
            board.turned()
            nextTick = monotonic + Int64(HostLimits.tickMilliseconds) * 1000
            if let seconds = steps.step(wall: AdjustableClock.machine.microseconds, boot: Clock.bootMicroseconds()) {
                let now = clock.now()
                try core.record(ClockJumpDetector.drafts(seconds, at: now, by: S.name), at: now)
            }
            try core.take(
                .ticked(wall: AdjustableClock.machine, boot: bootID.isEmpty ? nil : .now(bootID)), at: clock.now())
            streams.keepAlive(at: monotonic)
            try endpoints.follow()
            try requestServer.greet(at: monotonic)
        }
        let isGrowing = !rungIsCurrent
        let before = Clock.monotonicMicroseconds()
        let effects = try progress.during(.syncing) {
            let effects = try core.commit()
            if isGrowing {
                board.committed(in: Double(Clock.monotonicMicroseconds() - before) / 1_000_000)
                try plan.afterCommit()
            }
            return effects
        }
        for effect in effects { release(effect, monotonic) }
        ring()
        try handQueries(at: now)
        for (ask, verb) in hostAsks { try answer(ask, verb) }
        hostAsks.removeAll()
        for (feed, through) in taken { try follower?.taken(feed, through: through) }
        taken.removeAll()
        // Sealing and pruning continue on a low disk, because they free space: a sealed run takes a fraction, a pruned
        // one nothing.
        if isTick, !isGrowing || monotonic >= nextIdle || sealing.isBehind(core.log), disk.level != .full {
            try progress.during(.syncing) { try sealing.turn(core.log, at: monotonic) }
        }
        if monotonic >= nextIdle {
            nextIdle = monotonic + 1_000_000
            try progress.during(.syncing) {
                try core.flush()
                try plan.idle()
            }
            inspectEndpoints()
            try inspectFeeds()
            try lookAtDisk()
            let standing = standing()
            board.set("parked", standing.parkedCheck)
            if !standing.sources.isEmpty { board.set("radios", standing.radiosCheck) }
            if !standing.limits.figures.isEmpty { board.set("limits", standing.limitsCheck) }
            board.update(standing)
        }
        if monotonic >= nextRelease, !isGrowing {
            nextRelease = monotonic + HostLimits.releaseMicroseconds
            Machine.releaseFreeMemory()
        }
    }

    /// Ends the process if its keys have changed, so that the service manager restarts it with the new ones.
    /// Acknowledged events are on the disk.
    private func inspectEndpoints() {
        do throws(SettingError) {
            switch try endpoints.inspect() {
            case .good: board.set("keys", .ok)
            case .listed: log.notice("allow-list read again", [:])
            case .stale:
                log.notice("keys changed: stopping, to be restarted with the new ones", [:])
                isStopping = true
            }
        } catch {
            board.set("keys", .degraded(error.description))
        }
    }

    /// Reports whether journals can be served. Subscribers miss a page that cannot be read and only request it again.
    private func inspectFeeds() throws {
        let failure = feeds.failure
        if feeds.hasEnded { throw failure ?? LogFailure(operation: "serve", message: "the feeds' thread has ended") }
        guard failure != unserved else { return }
        unserved = failure
        board.set("feeds", failure.map { .degraded("a journal cannot be read by others: \($0)") } ?? .ok)
        if let failure { log.error("journal not served", ["reason": "\(failure)"]) }
    }

    private var mayRelease: Bool { core.mayRelease && disk.level != .full }

    private var rungIsCurrent: Bool { core.log.head.position == rung }

    /// Notifies subscribers of the head of the journal and, on the hub, of the hub's head.
    private func ring() {
        guard !rungIsCurrent else { return }
        let head = core.log.head
        rung = head.position
        feeds.ring(head)
        if let mirror = core.log as? any MirrorLog { feeds.ring(mirror.hubHead) }
    }

    /// Polls the sources that are open now, and stops polling those that were closed.
    private func watch(_ watched: inout [Int32: Int], with poller: inout Poller) {
        let present = disk.level == .full ? [] : Set(plan.sources.compactMap(\.descriptor))
        for (descriptor, slot) in watched where !present.contains(descriptor) {
            poller.remove(slot)
            watched[descriptor] = nil
        }
        for descriptor in present where watched[descriptor] == nil {
            watched[descriptor] = poller.add(descriptor: descriptor)
        }
    }

    private func open(_ web: HTTPListener) throws -> HTTPServer {
        let mailbox = mailbox
        return try HTTPServer(
            address: web.address, port: web.port, tls: web.tls, limits: web.limits,
            proxies: web.proxies, commonHeaders: web.commonHeaders
        ) { exchange in
            if let response = web.shelf(exchange.request) {
                exchange.respond(response)
            } else if !mailbox.push(.web(exchange)) {
                let problem = Problem(503, "busy", "Too many requests are waiting; try again in a second.")
                exchange.respond(HTTPResponse(status: 503, type: "application/problem+json", body: problem.body))
            }
        }
    }

    private func close() throws {
        progress.report(.syncing)
        for server in servers { server.stop() }
        feeds.stop()
        queries?.stop()
        giveAnswered()
        workers.stop()
        try core.close()
        indexCheck.stop()
        log.notice("stopped", ["journal.head": "\(core.log.head.position)"])
    }
}
