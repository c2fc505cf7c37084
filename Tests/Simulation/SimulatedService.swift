import EventBus
import EventSourcing
import EventStore
import Host
import HubStore
import TestKit
import Vocabulary

/// One service on a simulated machine: the real runtime, projections, subscriptions and page source, called in the
/// order of the real event loop, but without its threads and sockets.
final class SimulatedService<S: Service>: SimulatedMachine {
    let origin: String
    let number: Int
    let disk: SimulatedDisk
    unowned let simulation: SimulationRun
    private let make: () throws -> S
    private(set) var core: ServiceRuntime<S>?
    private var tables: MemoryTables?
    private(set) var incarnation: UInt64 = 0
    var skew: Int64 = 0
    var boot = 0
    var pausedUntil: Int64 = 0
    var armed: Failpoint?
    var isRestored = false
    private var inbox: [Parcel] = []
    /// Results of background work and responses of other services, for the next round.
    var results: [Input] = []
    var prunings: [Pruning] = []
    private var isTicked = false
    private var isRoundPlanned = false
    /// Whether the mutant has sent a notification for uncommitted events.
    private var hasNotified = false
    private var subscriptions: [String: Subscription] = [:]
    private var pageSource = PageSource { [] }
    private var lastRequest: UInt64 = 0
    private var sentRequests: Set<UInt64> = []
    private var requests: [UInt64: Parcel] = [:]
    private var nextID: UInt64 = 1
    private(set) var stopped: [String] = []

    init(
        _ origin: String, number: Int, disk: SimulatedDisk, in simulation: SimulationRun, make: @escaping () throws -> S
    ) {
        self.origin = origin
        self.number = number
        self.disk = disk
        self.simulation = simulation
        self.make = make
    }

    var isUp: Bool { core != nil }
    private var isHub: Bool { number == SimulationRun.hub }
    var wall: Instant { Instant(microseconds: SimulationRun.epoch + simulation.now + skew) }
    /// The clock that measures time-outs.
    private var monotonic: Int64 { simulation.mutant == .wallClockTimeouts ? simulation.now + skew : simulation.now }
    private var isLying: Bool {
        [.skipsSync, .answersFirst, .ringsFirst, .forgivesFailedSync].contains(simulation.mutant) && !isHub
    }

    // MARK: Start and crash

    func start() throws -> Bool {
        guard isHub || simulation.machines[SimulationRun.hub].isUp else { return false }
        incarnation += 1
        stopped = []
        guard try isRestored ? restore() : true else { return false }
        let tables = try disk.tables(of: Folding<S>.schemas)
        let log: any EventLog = isHub ? disk.log : MutantLog(disk.log, simulation.mutant)
        try catchUp(tables)
        let core = ServiceRuntime(service: try make(), log: log, tables: tables)
        self.core = core
        self.tables = tables
        let readers = try ([disk.log.reader()] + [(disk.log as? MemoryHub)?.hubReader()].compactMap(\.self))
            .compactMap { $0 as? MemoryReader }
        pageSource = PageSource { readers }
        if !isHub {
            subscriptions["hub"] = Subscription(
                feed: "hub", after: core.folding.checkpoint(of: "hub"), peer: SimulationRun.peer(SimulationRun.hub, 0),
                at: monotonic)
        }
        arrive(Parcel(from: number, incarnation: incarnation, to: number, cargo: .message(Message(.hello, header: []))))
        return true
    }

    /// Restores the journal. Returns false if the disk failed meanwhile; the caller must try again.
    private func restore() throws -> Bool {
        do {
            try disk.restore(at: wall)
        } catch is LogFailure {
            try disk.crash(chance: simulation.random.next(), isLying: isLying)
            return false
        }
        isRestored = false
        return true
    }

    /// Projects the events after the view tables' position, as a starting process does.
    private func catchUp(_ tables: MemoryTables) throws {
        let folding = Folding<S>(of: origin, into: tables)
        let entries = try disk.log.reader().entries(from: tables.position + 1, through: disk.log.head.position)
        for entry in entries { try folding.fold(entry, pulling: pull) }
        try tables.flush(at: disk.log.head.position)
    }

    private func pull(_ feed: String, _ after: Checkpoint?, _ last: Position) throws -> [Entry] {
        let hub = simulation.machines[SimulationRun.hub].disk.log as? MemoryHub
        let reader: (any LogReader)?
        if isHub { reader = try hub?.originReader(feed) } else { reader = try hub?.hubReader() }
        return try reader?.entries(from: (after?.position ?? 0) + 1, through: last) ?? []
    }

    func crash() throws {
        guard isUp else { return }
        core = nil
        tables = nil
        inbox.removeAll()
        results.removeAll()
        prunings.removeAll()
        subscriptions.removeAll()
        requests.removeAll()
        sentRequests.removeAll()
        armed = nil
        isTicked = false
        hasNotified = false
        try disk.crash(chance: simulation.random.next(), isLying: isLying)
        simulation.restart(number)
    }

    // MARK: Incoming messages

    func arrive(_ parcel: Parcel) {
        guard isUp else { return }
        if case .message(let message) = parcel.cargo, message.kind == .pageAsked {
            // Pages are served between rounds, from committed entries only.
            return serve(message, to: parcel)
        }
        inbox.append(parcel)
        planRound()
    }

    func tick() {
        guard isUp else { return }
        isTicked = true
        planRound()
    }

    private func planRound() {
        guard !isRoundPlanned else { return }
        isRoundPlanned = true
        simulation.plan(.round(number), in: Int64(simulation.random.next() % 2000))
    }

    private func serve(_ message: Message, to parcel: Parcel) {
        do {
            let pageRequest = try FeedHeader.parse(message.header, PageRequest.init(header:))
            let subscriber = PageSource.Subscriber(line: parcel.from, peer: [])
            let answer = pageSource.answer(
                pageRequest, request: message.request, from: subscriber, at: simulation.now
            ).message
            simulation.send(.message(answer), from: self, to: parcel.from)
            pageSource.readAhead(at: simulation.now)
        } catch {
            simulation.tally.add("unreadable")
        }
    }

    // MARK: A round

    func round() throws {
        isRoundPlanned = false
        guard core != nil else { return }
        guard pausedUntil <= simulation.now else {
            isRoundPlanned = true
            return simulation.plan(.round(number), at: pausedUntil)
        }
        let before = disk.log.head.position
        var taken: [(String, Position)] = []
        do {
            for parcel in inbox { try take(parcel, &taken) }
            inbox.removeAll(keepingCapacity: true)
            for result in results { try core?.take(result, at: wall) }
            results.removeAll(keepingCapacity: true)
            if isTicked {
                try core?.take(
                    .ticked(wall: wall, boot: BootTime(id: "boot-\(boot)", microseconds: simulation.now)), at: wall)
            }
            let pruned = try prune()
            isTicked = false
            if simulation.mutant == .ringsFirst, !isHub, armed == .beforeCommit, !hasNotified {
                return try notifyUncommitted()
            }
            guard try !dies(at: .beforeCommit, unless: simulation.mutant == .answersFirst && !isHub) else { return }
            let effects = try commit(since: before)
            disk.note(at: simulation.now)
            (disk.log as? MemoryLog)?.prune(pruned)
            guard try !dies(at: .afterCommit) else { return }
            guard try release(effects) else { return }
        } catch is LogFailure {
            // It is unknown whether the commit is on the disk; a restart finds out.
            return try crash()
        }
        if disk.log.head.position != before || simulation.random.next() % 16 == 0 { notify() }
        for (feed, position) in taken { subscriptions[feed]?.taken(through: position) }
        askForPages()
        if simulation.random.next() % 32 == 0, let tables { try disk.store(tables) }
        _ = try dies(at: .afterRound)
    }

    /// Announces uncommitted events to the hub, and gives it time to read them before the process is killed.
    private func notifyUncommitted() throws {
        _ = try core?.commit()
        notify()
        hasNotified = true
        pausedUntil = simulation.now + 200_000
        planRound()
    }

    /// Kills the process if it is armed for this point, and returns whether it did. A mutant that skips the point is
    /// killed later, when it has sent its responses.
    private func dies(at point: Failpoint, unless isSkipped: Bool = false) throws -> Bool {
        guard armed == point, !isSkipped else { return false }
        simulation.tally.add("failpoint \(point)")
        try crash()
        return true
    }

    private func commit(since before: Position) throws -> [Effect] {
        let effects = try core?.commit() ?? []
        switch simulation.mutant {
        case .skipsSync where !isHub: if simulation.random.next() % 16 == 0 { disk.synced = disk.log.head.position }
        case .answersFirst where !isHub, .ringsFirst where !isHub:
            if armed != .beforeCommit { disk.synced = disk.log.head.position }
        // Data whose sync failed is not on the disk, even if a later sync succeeds.
        case .forgivesFailedSync where simulation.isSyncForgiven(number): break
        default: disk.synced = disk.log.head.position
        }
        return effects
    }

    private func take(_ parcel: Parcel, _ taken: inout [(String, Position)]) throws {
        switch parcel.cargo {
        case .ask(let command):
            let id = nextID
            nextID += 1
            requests[id] = parcel
            try core?.take(
                .asked(
                    Request(
                        id: id, verb: command.verb, body: command.body, actor: command.actor, key: command.key,
                        entropy: command.entropy)), at: wall)
        case .answer: break
        case .message(let message):
            do {
                for update in try read(message, from: SimulationRun.peer(parcel.from, parcel.incarnation)) {
                    try receive(update, &taken)
                }
                // An operator notices that the subscription has stopped, and restarts the process.
                if parcel.isDamaged, !stopped.isEmpty, armed == nil { armed = .afterRound }
            } catch is BusAnomaly {
                simulation.tally.add("messages dropped by their reader")
            }
        }
    }

    /// Returns the feed updates that a message gives, as the real subscriber reads it.
    private func read(_ message: Message, from peer: [UInt8]) throws -> [FeedUpdate] {
        // All others have dialled the hub and know it by that connection, even if its process restarts.
        let peer = isHub ? peer : SimulationRun.peer(SimulationRun.hub, 0)
        switch message.kind {
        case .hello where !message.header.isEmpty:
            let head = try FeedHeader.parse(message.header, Head.init(header:))
            if isHub, subscriptions[head.feed] == nil {
                let known = (disk.log as? MemoryHub)?.feeds().first { $0.feed == head.feed }
                subscriptions[head.feed] = Subscription(
                    feed: head.feed,
                    after: known.map { Checkpoint(epoch: $0.epoch, position: $0.position, hash: $0.hash) }, peer: peer,
                    at: monotonic)
            }
            return subscriptions[head.feed]?.announced(peer, head, at: monotonic) ?? []
        case .notify:
            let head = try FeedHeader.parse(message.header, Head.init(header:))
            guard subscriptions[head.feed]?.peer == peer else { throw BusAnomaly.unknownFeed }
            return subscriptions[head.feed]?.updateHead(head, at: monotonic) ?? []
        case .page:
            let page = try FeedHeader.parse(message.header, PageHeader.init(header:))
            let entries = try PagePayload.read(message.payload, first: page.first, count: page.count)
            if simulation.mutant == .mirrorsBlindly, !isHub { return [.page(Page(head: page.head, entries: entries))] }
            guard let subscription = subscriptions[page.head.feed], subscription.awaits(message.request, from: peer)
            else {
                throw BusAnomaly.stalePage
            }
            if simulation.mutant == .ignoresHashes, !isHub, page.first == subscription.position + 1,
                let last = entries.last
            {
                let end = Checkpoint(epoch: page.head.epoch, position: last.position, hash: last.hash)
                subscriptions[page.head.feed] = Subscription(
                    feed: page.head.feed, after: end, peer: peer, at: monotonic)
                return [.page(Page(head: page.head, entries: entries))]
            }
            return try subscriptions[page.head.feed]?.accept(page, entries, at: monotonic) ?? []
        case .refused:
            let refusal = try FeedHeader.parse(message.header, PageRejection.init(header:))
            guard subscriptions[refusal.feed]?.awaits(message.request, from: peer) == true else {
                throw BusAnomaly.stalePage
            }
            return try subscriptions[refusal.feed]?.accept(refusal, at: monotonic) ?? []
        case .hello, .pageAsked, .asked, .answered: return []
        }
    }

    private func receive(_ update: FeedUpdate, _ taken: inout [(String, Position)]) throws {
        switch update {
        case .page(let page):
            if let hub = disk.log as? MemoryHub {
                do {
                    try hub.take(page)
                } catch MirrorRefusal.failed(let failure) {
                    throw failure
                } catch {
                    return stopped.append("\(page.head.feed): \(error)")
                }
                core?.markStaged()
            }
            try core?.consume(page, at: wall)
            if let last = page.entries.last { taken.append((page.head.feed, last.position)) }
            simulation.tally.add("pages taken")
            if subscriptions[page.head.feed].map({ $0.untakenPages > BusLimits.pagesOutstanding }) == true {
                simulation.addViolation("\(origin) was sent more pages than its credit allows")
            }
        case .reached: break
        case .stopped(let feed, let reason): stopped.append("\(feed): \(reason)")
        }
    }

    // MARK: Outgoing messages

    /// Releases the effects of a commit. Returns false if the process was killed meanwhile.
    private func release(_ effects: [Effect]) throws -> Bool {
        for (index, effect) in effects.enumerated() {
            if index > 0, try dies(at: .amidAnswers) { return false }
            take(effect)
            guard case .reply(let ask, let answer) = effect, let parcel = requests.removeValue(forKey: ask.id) else {
                continue
            }
            if case .ask(let command) = parcel.cargo {
                simulation.send(.answer(key: command.key, answer), from: self, to: parcel.from)
            }
        }
        if simulation.mutant == .answersFirst, !isHub, try dies(at: .beforeCommit) { return false }
        return true
    }

    /// Sends subscribers the journal's head. A service that dialled the hub introduces itself with it.
    private func notify() {
        for head in pageSource.heads(at: simulation.now) where (head.feed == "hub") == isHub {
            for to in isHub ? SimulationRun.origins : [SimulationRun.hub] {
                simulation.send(.message(Message(isHub ? .notify : .hello, header: head.header)), from: self, to: to)
            }
        }
    }

    private func askForPages() {
        for feed in subscriptions.keys.sorted() {
            let request = lastRequest + 1
            guard let message = subscriptions[feed]?.ask(at: monotonic, numbering: { request }) else { continue }
            lastRequest = max(lastRequest, message.request)
            if simulation.mutant == .asksOnce, !sentRequests.insert(message.request).inserted { continue }
            simulation.send(
                .message(message), from: self, to: isHub ? SimulationRun.number(of: feed) : SimulationRun.hub)
        }
    }

    // MARK: Checks

    func hasAll(of feed: String, through position: Position) -> Bool {
        (subscriptions[feed]?.position ?? 0) >= position
    }

    func differences() throws -> [String] {
        guard let tables else { return ["\(origin) is down"] }
        let rebuilt = try MemoryTables(Folding<S>.schemas)
        let folding = Folding<S>(of: origin, into: rebuilt)
        for entry in try disk.log.reader().entries(from: 1, through: disk.log.head.position) {
            try folding.fold(entry, pulling: pull)
        }
        let live = try tables.digests()
        return try zip(live, rebuilt.digests()).filter { $0 != $1 }.map { "\(origin) \($0.0.table)" }
    }
}
