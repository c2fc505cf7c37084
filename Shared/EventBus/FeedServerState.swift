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
    private let stats: FeedServerStats
    private let heartbeat: Int64
    private var pageSource: PageSource
    private var counts = BusCounts()
    private var cursors: [SubscriptionID: SubscriberCursor] = [:]
    /// The latest page request per subscription; `turns` is the order in which they are served.
    private var pageRequests: [SubscriptionID: (request: UInt64, asked: PageRequest)] = [:]
    private var turns: [SubscriptionID] = []
    /// Dialled sockets whose subscriber has not been reached yet, or not at the last attempt.
    private var unreached: Set<Int>
    /// Subscribers that requested the list of feeds.
    private var listRequests: [(line: Int, peer: [UInt8])] = []
    private var beatsAt: Int64 = .min
    private var greetsAt: Int64 = .min
    private var throttle = ReplayThrottle()

    init(
        context: Context, bind: String?, dial: [String?], curves: (bind: Curve?, dial: Curve?), heartbeat: Int64,
        stats: FeedServerStats, open: @escaping @Sendable () throws -> [any LogReader]
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
        unreached = Set(dialled)
        do throws(SystemError) { wakeup = try FeedWakeup() } catch { throw .system(error) }
        self.heartbeat = heartbeat
        self.stats = stats
        pageSource = PageSource(open: open)
    }

    /// Serves until a stop is requested or the context ends.
    func run() {
        defer { stats.end() }
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
            unreached.insert(dialled.lowerBound + place)
            greetsAt = .min
        }
        for line in lines.indices { try listen(line) }
        if !heads.isEmpty { throttle.eventsWritten(at: Clock.monotonicMicroseconds()) }
        for head in heads { try notify(head, isHeartbeat: false) }
        try introduce()
        try serve()
        try beat()
        try greet()
        wakeup.expect(cursors.values.contains { $0.isWaiting })
        let now = Clock.monotonicMicroseconds()
        pageSource.readAhead(at: now, events: throttle.pageEvents(at: now))
        publish(failure: pageSource.failure)
        return true
    }

    private func wait() throws(BusError) {
        let now = Clock.monotonicMicroseconds()
        var next = unreached.isEmpty ? beatsAt : min(beatsAt, greetsAt)
        if !turns.isEmpty { next = min(next, throttle.nextServing) }
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
        stats.publish(counts, subscriptions: cursors.count, failure: failure)
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
                case .hello: listRequests.append((line, arrival.peer))
                case .notify, .page, .refused, .asked, .answered: throw .misplacedMessage
                }
            } catch { counts.note(error) }
        }
    }

    private func note(_ asked: PageRequest, _ request: UInt64, _ subscription: SubscriptionID) throws(BusAnomaly) {
        guard cursors[subscription] != nil || cursors.count < BusLimits.subscriptions else { throw .tooManyPeers }
        cursors[subscription, default: SubscriberCursor()].asked()
        if pageRequests.updateValue((request, asked), forKey: subscription) == nil { turns.append(subscription) }
    }

    /// Serves page requests in turn, one page each, as fast as the throttle allows.
    private func serve() throws(BusError) {
        var budget = BusLimits.pagesPerTurn
        while budget > 0, let subscription = turns.first {
            let now = Clock.monotonicMicroseconds()
            guard throttle.mayServe(at: now) else { return }
            budget -= 1
            turns.removeFirst()
            guard let (request, asked) = pageRequests.removeValue(forKey: subscription) else { continue }
            let subscriber = PageSource.Subscriber(line: subscription.line, peer: subscription.peer)
            let answer = pageSource.answer(
                asked, request: request, from: subscriber, at: now, events: throttle.pageEvents(at: now))
            throttle.served(events: answer.events, at: now)
            let isSent = try lines[subscription.line].send(answer.message, to: subscription.peer)
            if !isSent { counts.note(.undelivered) }
            if isSent, let head = answer.head {
                cursors[subscription, default: SubscriberCursor()].announced(head, isAll: answer.isAll)
            } else {
                forget(subscription)
            }
        }
    }

    /// Drops a subscription. A subscriber that is still interested requests a page again; a dialled one is greeted
    /// again.
    private func forget(_ subscription: SubscriptionID) {
        if dialled.contains(subscription.line) {
            unreached.insert(subscription.line)
        } else {
            cursors[subscription] = nil
        }
    }
}

// Head notifications and announcements.
extension FeedServerState {
    /// Sends a head notification to the subscriptions that wait for it. A heartbeat goes to all subscribers that
    /// dialled in.
    private func notify(_ head: Head, isHeartbeat: Bool) throws(BusError) {
        let message = Message(.notify, header: head.header)
        for subscription in Array(cursors.keys) where subscription.feed == head.feed {
            // A dialled subscriber may have restarted and not know the feed; the heartbeat announces it again.
            let isDue =
                isHeartbeat ? !dialled.contains(subscription.line) : cursors[subscription]?.shouldNotify(head) == true
            guard isDue, try !lines[subscription.line].send(message, to: subscription.peer) else { continue }
            counts.note(.undelivered)
            forget(subscription)
        }
    }

    /// Responds to the subscribers that requested the list of feeds.
    private func introduce() throws(BusError) {
        for (line, peer) in listRequests where try !introduce(on: line, to: peer) { counts.note(.undelivered) }
        listRequests = []
    }

    /// Sends the head of every feed on one connection. Returns false if the peer is gone.
    private func introduce(on line: Int, to peer: [UInt8]) throws(BusError) -> Bool {
        for head in pageSource.heads(at: Clock.monotonicMicroseconds()) {
            guard try lines[line].send(Message(.hello, header: head.header), to: peer) else { return false }
            guard dialled.contains(line) else { continue }
            cursors[SubscriptionID(line: line, peer: [], feed: head.feed), default: SubscriberCursor()].announced(
                head, isAll: true)
        }
        return true
    }

    private func beat() throws(BusError) {
        let now = Clock.monotonicMicroseconds()
        if beatsAt <= now {
            beatsAt = now + heartbeat
            for head in pageSource.heads(at: now) { try notify(head, isHeartbeat: true) }
            pageSource.forgetAhead()
            unreached = Set(dialled)
            greetsAt = now
        }
    }

    /// Announces the feeds to dialled subscribers that were not reached at the last attempt.
    private func greet() throws(BusError) {
        let now = Clock.monotonicMicroseconds()
        guard greetsAt <= now else { return }
        greetsAt = now + BusTiming.greeting
        for line in unreached where try introduce(on: line, to: []) { unreached.remove(line) }
    }
}
