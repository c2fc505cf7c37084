import EventSourcing
import System
import ZeroMQ

/// The state of a feed server's thread: the sockets to subscribers, the journals, and the pending page requests.
final class FeedServerState {
    /// A subscription: the index of its socket, the routing id of the subscriber there, and the feed.
    struct SubscriptionID: Hashable {
        let line: Int
        let peer: [UInt8]
        let feed: String
    }

    let wakeup: FeedWakeup
    private var lines: [MessageSocket]
    private let dialled: Range<Int>
    /// The address for subscribers, with a wildcard port resolved.
    var endpoint: String? { dialled.lowerBound == 0 ? nil : lines[0].socket.lastEndpoint }
    private let ledger: FeedServerStats
    private let heartbeat: Int64
    private var pageSource: PageSource
    private var counts = BusCounts()
    private var watches: [SubscriptionID: SubscriberCursor] = [:]
    /// The latest page request per subscription; `turns` is the order in which they are served.
    private var questions: [SubscriptionID: (request: UInt64, asked: PageRequest)] = [:]
    private var turns: [SubscriptionID] = []
    /// Dialled sockets whose subscriber has not been reached yet, or not at the last attempt.
    private var ungreeted: Set<Int>
    /// Subscribers that requested the list of feeds.
    private var inquirers: [(line: Int, peer: [UInt8])] = []
    private var beatsAt: Int64 = .min
    private var greetsAt: Int64 = .min
    private var pace = ReplayThrottle()

    init(
        context: Context, bind: String?, dial: [String?], curves: (bind: Curve?, dial: Curve?), heartbeat: Int64,
        ledger: FeedServerStats, open: @escaping @Sendable () throws -> [any LogReader]
    ) throws(BusError) {
        var lines: [MessageSocket] = []
        if let bind {
            lines.append(try MessageSocket(binding: bind, in: context, queue: BusLimits.feedQueue, curve: curves.bind))
        }
        for endpoint in dial {
            lines.append(
                try MessageSocket(dialling: endpoint, in: context, queue: BusLimits.feedQueue, curve: curves.dial))
        }
        self.lines = lines
        dialled = (bind == nil ? 0 : 1)..<lines.count
        ungreeted = Set(dialled)
        do throws(SystemError) { wakeup = try FeedWakeup() } catch { throw .system(error) }
        self.heartbeat = heartbeat
        self.ledger = ledger
        pageSource = PageSource(open: open)
    }

    /// Serves until a stop is requested or the context ends.
    func run() {
        defer { ledger.end() }
        do throws(BusError) {
            while try turn() {}
            publish(failure: pageSource.failure)
        } catch {
            // Either the context ended, or the error is permanent and the owner has to learn of it.
            publish(failure: LogFailure(operation: "serve", message: error.isShutdown ? "stopped" : "\(error)"))
        }
    }

    private func turn() throws(BusError) -> Bool {
        try wait()
        let (heads, addresses, isStopping) = wakeup.look()
        guard !isStopping else { return false }
        for (place, endpoint) in addresses where place < dialled.count {
            try lines[dialled.lowerBound + place].redial(endpoint)
            ungreeted.insert(dialled.lowerBound + place)
            greetsAt = .min
        }
        for line in lines.indices { try listen(line) }
        if !heads.isEmpty { pace.rang(at: Clock.monotonicMicroseconds()) }
        for head in heads { try ring(head, isHeartbeat: false) }
        try introduce()
        try serve()
        try beat()
        try greet()
        wakeup.expect(watches.values.contains { $0.isWaiting })
        let now = Clock.monotonicMicroseconds()
        pageSource.readAhead(at: now, events: pace.pageEvents(at: now))
        publish(failure: pageSource.failure)
        return true
    }

    private func wait() throws(BusError) {
        let now = Clock.monotonicMicroseconds()
        var next = ungreeted.isEmpty ? beatsAt : min(beatsAt, greetsAt)
        if !turns.isEmpty { next = min(next, pace.nextServing) }
        let pause = next > now ? Int((next - now) / 1000) + 1 : 0
        do throws(ZeroMQError) {
            var poller = Poller()
            for line in lines { _ = poller.add(line.socket) }
            _ = poller.add(descriptor: wakeup.descriptor)
            _ = try poller.wait(milliseconds: pause)
        } catch { throw .transport(error) }
    }

    /// Publishes the statistics to other threads.
    private func publish(failure: LogFailure?) {
        ledger.publish(counts, watchers: watches.count, failure: failure)
    }
}

// Page requests.
extension FeedServerState {
    private func listen(_ line: Int) throws(BusError) {
        var budget = BusLimits.messagesPerTurn
        while let arrival = try lines[line].receive(&budget, counting: &counts) {
            do throws(BusAnomaly) {
                switch arrival.message.kind {
                case .pageAsked:
                    let asked = try FeedHeader.parse(arrival.message.header, PageRequest.init(header:))
                    try note(
                        asked, arrival.message.request, SubscriptionID(line: line, peer: arrival.peer, feed: asked.feed)
                    )
                case .hello: inquirers.append((line, arrival.peer))
                case .ring, .page, .refused, .asked, .answered: throw .misplacedMessage
                }
            } catch { counts.note(error) }
        }
    }

    private func note(_ asked: PageRequest, _ request: UInt64, _ watch: SubscriptionID) throws(BusAnomaly) {
        guard watches[watch] != nil || watches.count < BusLimits.watchers else { throw .tooManyPeers }
        watches[watch, default: SubscriberCursor()].asked()
        if questions.updateValue((request, asked), forKey: watch) == nil { turns.append(watch) }
    }

    /// Serves page requests in turn, one page each, as fast as the throttle allows.
    private func serve() throws(BusError) {
        var budget = BusLimits.pagesPerTurn
        while budget > 0, let watch = turns.first {
            let now = Clock.monotonicMicroseconds()
            guard pace.mayServe(at: now) else { return }
            budget -= 1
            turns.removeFirst()
            guard let (request, asked) = questions.removeValue(forKey: watch) else { continue }
            let subscriber = PageSource.Subscriber(line: watch.line, peer: watch.peer)
            let answer = pageSource.answer(
                asked, request: request, from: subscriber, at: now, events: pace.pageEvents(at: now))
            pace.served(events: answer.events, at: now)
            let isSent = try lines[watch.line].send(answer.message, to: watch.peer)
            if !isSent { counts.note(.undelivered) }
            if isSent, let head = answer.head {
                watches[watch, default: SubscriberCursor()].told(head, isAll: answer.isAll)
            } else {
                forget(watch)
            }
        }
    }

    /// Drops a subscription. A subscriber that is still interested requests a page again; a dialled one is greeted
    /// again.
    private func forget(_ watch: SubscriptionID) {
        if dialled.contains(watch.line) { ungreeted.insert(watch.line) } else { watches[watch] = nil }
    }
}

// Head notifications and announcements.
extension FeedServerState {
    /// Sends a head notification to the subscriptions that wait for it. A heartbeat goes to all subscribers that
    /// dialled in.
    private func ring(_ head: Head, isHeartbeat: Bool) throws(BusError) {
        let message = Message(.ring, header: head.header)
        for watch in Array(watches.keys) where watch.feed == head.feed {
            // A dialled subscriber may have restarted and not know the feed; the heartbeat announces it again.
            let isDue = isHeartbeat ? !dialled.contains(watch.line) : watches[watch]?.rings(head) == true
            guard isDue, try !lines[watch.line].send(message, to: watch.peer) else { continue }
            counts.note(.undelivered)
            forget(watch)
        }
    }

    /// Responds to the subscribers that requested the list of feeds.
    private func introduce() throws(BusError) {
        for (line, peer) in inquirers where try !introduce(on: line, to: peer) { counts.note(.undelivered) }
        inquirers = []
    }

    /// Sends the head of every feed on one connection. Returns false if the peer is gone.
    private func introduce(on line: Int, to peer: [UInt8]) throws(BusError) -> Bool {
        for head in pageSource.heads(at: Clock.monotonicMicroseconds()) {
            guard try lines[line].send(Message(.hello, header: head.header), to: peer) else { return false }
            guard dialled.contains(line) else { continue }
            watches[SubscriptionID(line: line, peer: [], feed: head.feed), default: SubscriberCursor()].told(
                head, isAll: true)
        }
        return true
    }

    private func beat() throws(BusError) {
        let now = Clock.monotonicMicroseconds()
        if beatsAt <= now {
            beatsAt = now + heartbeat
            for head in pageSource.heads(at: now) { try ring(head, isHeartbeat: true) }
            pageSource.forgetAhead()
            ungreeted = Set(dialled)
            greetsAt = now
        }
    }

    /// Announces the feeds to dialled subscribers that were not reached at the last attempt.
    private func greet() throws(BusError) {
        let now = Clock.monotonicMicroseconds()
        guard greetsAt <= now else { return }
        greetsAt = now + BusTiming.greeting
        for line in ungreeted where try introduce(on: line, to: []) { ungreeted.remove(line) }
    }
}
