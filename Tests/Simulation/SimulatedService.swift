import EventBus
import EventSourcing
import EventStore
import Host
import HubStore
import TestKit
import Vocabulary

/// One service on a machine of a world: the real step function, core, folding, feed rules and library, driven in the
/// order in which the house's loop drives them, without its threads and sockets.
final class SimulatedService<S: Service>: SimulatedMachine {
    let origin: String
    let number: Int
    let disk: SimulatedDisk
    unowned let world: SimulationRun
    private let make: () throws -> S
    private(set) var core: ServiceRuntime<S>?
    private var tables: MemoryTables?
    private(set) var life: UInt64 = 0
    var skew: Int64 = 0
    var boot = 0
    var pausedUntil: Int64 = 0
    var armed: Failpoint?
    var isRestored = false
    private var inbox: [Parcel] = []
    /// Results of slow work, and what others answered, for the next round.
    var results: [Input] = []
    var prunings: [Pruning] = []
    private var isTicked = false
    private var isRoundPlanned = false
    /// It has rung for what it has not kept.
    private var hasRung = false
    private var followings: [String: Subscription] = [:]
    private var pageSource = PageSource { [] }
    private var lastRequest: UInt64 = 0
    private var sentRequests: Set<UInt64> = []
    private var asked: [UInt64: Parcel] = [:]
    private var nextAsk: UInt64 = 1
    private(set) var stopped: [String] = []

    init(_ origin: String, number: Int, disk: SimulatedDisk, in world: SimulationRun, make: @escaping () throws -> S) {
        self.origin = origin
        self.number = number
        self.disk = disk
        self.world = world
        self.make = make
    }

    var isUp: Bool { core != nil }
    private var isHub: Bool { number == SimulationRun.hub }
    var wall: Instant { Instant(microseconds: SimulationRun.epoch + world.now + skew) }
    /// What time-outs are measured with.
    private var monotonic: Int64 { world.mutant == .wallClockTimeouts ? world.now + skew : world.now }
    private var isLying: Bool {
        [.skipsSync, .answersFirst, .ringsFirst, .forgivesFailedSync].contains(world.mutant) && !isHub
    }

    // MARK: Living and dying

    func start() throws -> Bool {
        guard isHub || world.machines[SimulationRun.hub].isUp else { return false }
        life += 1
        stopped = []
        guard try isRestored ? restore() : true else { return false }
        let tables = try disk.tables(of: Folding<S>.schemas)
        let log: any EventLog = isHub ? disk.log : MutantLog(disk.log, world.mutant)
        try catchUp(tables)
        let core = ServiceRuntime(service: try make(), log: log, tables: tables)
        self.core = core
        self.tables = tables
        let readers = try ([disk.log.reader()] + [(disk.log as? MemoryHub)?.hubReader()].compactMap(\.self))
            .compactMap { $0 as? MemoryReader }
        pageSource = PageSource { readers }
        if !isHub {
            followings["hub"] = Subscription(
                feed: "hub", after: core.folding.checkpoint(of: "hub"), peer: SimulationRun.peer(SimulationRun.hub, 0),
                at: monotonic)
        }
        arrive(Parcel(from: number, life: life, to: number, cargo: .message(Message(.hello, header: []))))
        return true
    }

    /// False where the disk failed over it, and it has to be tried again.
    private func restore() throws -> Bool {
        do {
            try disk.restore(at: wall)
        } catch is LogFailure {
            try disk.crash(chance: world.random.next(), isLying: isLying)
            return false
        }
        isRestored = false
        return true
    }

    /// Folds what the journal holds beyond the views, as a process does that starts.
    private func catchUp(_ tables: MemoryTables) throws {
        let folding = Folding<S>(of: origin, into: tables)
        let entries = try disk.log.reader().entries(from: tables.position + 1, through: disk.log.head.position)
        for entry in entries { try folding.fold(entry, pulling: pull) }
        try tables.flush(at: disk.log.head.position)
    }

    private func pull(_ feed: String, _ after: Checkpoint?, _ last: Position) throws -> [Entry] {
        let hub = world.machines[SimulationRun.hub].disk.log as? MemoryHub
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
        followings.removeAll()
        asked.removeAll()
        sentRequests.removeAll()
        armed = nil
        isTicked = false
        hasRung = false
        try disk.crash(chance: world.random.next(), isLying: isLying)
        world.restart(number)
    }

    // MARK: What comes in

    func arrive(_ parcel: Parcel) {
        guard isUp else { return }
        if case .message(let message) = parcel.cargo, message.kind == .pageAsked {
            // Pages are served beside the rounds, from what is committed.
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
        world.plan(.round(number), in: Int64(world.random.next() % 2000))
    }

    private func serve(_ message: Message, to parcel: Parcel) {
        do {
            let question = try FeedHeader.parse(message.header, PageRequest.init(header:))
            let subscriber = PageSource.Subscriber(line: parcel.from, peer: [])
            let answer = pageSource.answer(
                question, request: message.request, from: subscriber, at: world.now
            ).message
            world.send(.message(answer), from: self, to: parcel.from)
            pageSource.readAhead(at: world.now)
        } catch {
            world.tally.add("unreadable")
        }
    }

    // MARK: A round

    func round() throws {
        isRoundPlanned = false
        guard core != nil else { return }
        guard pausedUntil <= world.now else {
            isRoundPlanned = true
            return world.plan(.round(number), at: pausedUntil)
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
                    .ticked(wall: wall, boot: BootTime(id: "boot-\(boot)", microseconds: world.now)), at: wall)
            }
            let pruned = try prune()
            isTicked = false
            if world.mutant == .ringsFirst, !isHub, armed == .beforeCommit, !hasRung { return try ringUnkept() }
            guard try !dies(at: .beforeCommit, unless: world.mutant == .answersFirst && !isHub) else { return }
            let effects = try commit(since: before)
            disk.note(at: world.now)
            (disk.log as? MemoryLog)?.prune(pruned)
            guard try !dies(at: .afterCommit) else { return }
            guard try release(effects) else { return }
        } catch is LogFailure {
            // Nobody knows what is on the disk; a restart finds out.
            return try crash()
        }
        if disk.log.head.position != before || world.random.next() % 16 == 0 { ring() }
        for (feed, position) in taken { followings[feed]?.taken(through: position) }
        askForPages()
        if world.random.next() % 32 == 0, let tables { try disk.keep(tables) }
        _ = try dies(at: .afterRound)
    }

    /// Tells the hub of what is not on the disk, and gives it the time to read that, before the process dies.
    private func ringUnkept() throws {
        _ = try core?.commit()
        ring()
        hasRung = true
        pausedUntil = world.now + 200_000
        planRound()
    }

    /// Whether the process died here; one that answers first has told everybody by then, and kept nothing.
    private func dies(at point: Failpoint, unless isCareless: Bool = false) throws -> Bool {
        guard armed == point, !isCareless else { return false }
        world.tally.add("failpoint \(point)")
        try crash()
        return true
    }

    private func commit(since before: Position) throws -> [Effect] {
        let effects = try core?.commit() ?? []
        switch world.mutant {
        case .skipsSync where !isHub: if world.random.next() % 16 == 0 { disk.synced = disk.log.head.position }
        case .answersFirst where !isHub, .ringsFirst where !isHub:
            if armed != .beforeCommit { disk.synced = disk.log.head.position }
        // What failed to sync is not on the disk, whatever is synced after it.
        case .forgivesFailedSync where world.isSyncForgiven(number): break
        default: disk.synced = disk.log.head.position
        }
        return effects
    }

    private func take(_ parcel: Parcel, _ taken: inout [(String, Position)]) throws {
        switch parcel.cargo {
        case .ask(let command):
            let id = nextAsk
            nextAsk += 1
            asked[id] = parcel
            try core?.take(
                .asked(
                    Request(
                        id: id, verb: command.verb, body: command.body, actor: command.actor, key: command.key,
                        entropy: command.entropy)), at: wall)
        case .answer: break
        case .message(let message):
            do {
                for news in try read(message, from: SimulationRun.peer(parcel.from, parcel.life)) {
                    try hear(news, &taken)
                }
                // Whoever looks after the farm reads that it reads no more, and starts it again.
                if parcel.isDamaged, !stopped.isEmpty, armed == nil { armed = .afterRound }
            } catch is BusAnomaly {
                world.tally.add("messages dropped by their reader")
            }
        }
    }

    /// As the house's follower reads what arrives.
    private func read(_ message: Message, from peer: [UInt8]) throws -> [FeedUpdate] {
        // Everybody but the hub has dialled it, and knows it by that line, whichever life it is in.
        let peer = isHub ? peer : SimulationRun.peer(SimulationRun.hub, 0)
        switch message.kind {
        case .hello where !message.header.isEmpty:
            let head = try FeedHeader.parse(message.header, Head.init(header:))
            if isHub, followings[head.feed] == nil {
                let known = (disk.log as? MemoryHub)?.feeds().first { $0.feed == head.feed }
                followings[head.feed] = Subscription(
                    feed: head.feed,
                    after: known.map { Checkpoint(epoch: $0.epoch, position: $0.position, hash: $0.hash) }, peer: peer,
                    at: monotonic)
            }
            return followings[head.feed]?.met(peer, head, at: monotonic) ?? []
        case .ring:
            let head = try FeedHeader.parse(message.header, Head.init(header:))
            guard followings[head.feed]?.peer == peer else { throw BusAnomaly.unknownFeed }
            return followings[head.feed]?.heard(head, at: monotonic) ?? []
        case .page:
            let page = try FeedHeader.parse(message.header, PageHeader.init(header:))
            let entries = try PagePayload.read(message.payload, first: page.first, count: page.count)
            if world.mutant == .mirrorsBlindly, !isHub { return [.page(Page(head: page.head, entries: entries))] }
            guard let following = followings[page.head.feed], following.awaits(message.request, from: peer) else {
                throw BusAnomaly.stalePage
            }
            if world.mutant == .ignoresHashes, !isHub, page.first == following.position + 1, let last = entries.last {
                let end = Checkpoint(epoch: page.head.epoch, position: last.position, hash: last.hash)
                followings[page.head.feed] = Subscription(feed: page.head.feed, after: end, peer: peer, at: monotonic)
                return [.page(Page(head: page.head, entries: entries))]
            }
            return try followings[page.head.feed]?.accept(page, entries, at: monotonic) ?? []
        case .refused:
            let refusal = try FeedHeader.parse(message.header, PageRejection.init(header:))
            guard followings[refusal.feed]?.awaits(message.request, from: peer) == true else {
                throw BusAnomaly.stalePage
            }
            return try followings[refusal.feed]?.accept(refusal, at: monotonic) ?? []
        case .hello, .pageAsked, .asked, .answered: return []
        }
    }

    private func hear(_ news: FeedUpdate, _ taken: inout [(String, Position)]) throws {
        switch news {
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
            try core?.hear(page, at: wall)
            if let last = page.entries.last { taken.append((page.head.feed, last.position)) }
            world.tally.add("pages taken")
            if followings[page.head.feed].map({ $0.untakenPages > BusLimits.pagesOutstanding }) == true {
                world.complain("\(origin) was sent more than it took")
            }
        case .reached: break
        case .stopped(let feed, let reason): stopped.append("\(feed): \(reason)")
        }
    }

    // MARK: What goes out

    /// False where the process died over it.
    private func release(_ effects: [Effect]) throws -> Bool {
        for (index, effect) in effects.enumerated() {
            if index > 0, try dies(at: .amidAnswers) { return false }
            take(effect)
            guard case .reply(let ask, let answer) = effect, let parcel = asked.removeValue(forKey: ask.id) else {
                continue
            }
            if case .ask(let command) = parcel.cargo {
                world.send(.answer(key: command.key, answer), from: self, to: parcel.from)
            }
        }
        if world.mutant == .answersFirst, !isHub, try dies(at: .beforeCommit) { return false }
        return true
    }

    /// Tells followers how far the journal reaches; who dials introduces itself by it.
    private func ring() {
        for head in pageSource.heads(at: world.now) where (head.feed == "hub") == isHub {
            for to in isHub ? SimulationRun.origins : [SimulationRun.hub] {
                world.send(.message(Message(isHub ? .ring : .hello, header: head.header)), from: self, to: to)
            }
        }
    }

    private func askForPages() {
        for feed in followings.keys.sorted() {
            let request = lastRequest + 1
            guard let message = followings[feed]?.ask(at: monotonic, numbering: { request }) else { continue }
            lastRequest = max(lastRequest, message.request)
            if world.mutant == .asksOnce, !sentRequests.insert(message.request).inserted { continue }
            world.send(.message(message), from: self, to: isHub ? SimulationRun.number(of: feed) : SimulationRun.hub)
        }
    }

    // MARK: How it stands

    func hasAll(of feed: String, through position: Position) -> Bool {
        (followings[feed]?.position ?? 0) >= position
    }

    func differences() throws -> [String] {
        guard let tables else { return ["\(origin) is down"] }
        let anew = try MemoryTables(Folding<S>.schemas)
        let folding = Folding<S>(of: origin, into: anew)
        for entry in try disk.log.reader().entries(from: 1, through: disk.log.head.position) {
            try folding.fold(entry, pulling: pull)
        }
        let live = try tables.digests()
        return try zip(live, anew.digests()).filter { $0 != $1 }.map { "\(origin) \($0.0.table)" }
    }
}
