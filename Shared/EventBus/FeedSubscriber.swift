public import EventSourcing
import JSON
import System
public import ZeroMQ

/// Subscribes to feeds and delivers each in order and without a gap. Owned by one thread, which polls `socket`.
///
/// It dials a `FeedServer`, or binds an endpoint that servers dial. Head notifications only cause requests for pages,
/// so a message that is lost, duplicated or late costs time but never an event.
///
/// ```
/// let subscriber = try FeedSubscriber(dialling: "ipc:///run/furrow/ledger.read", context: context)
/// try subscriber.follow("hub", after: checkpoint)
/// for case .page(let page) in try subscriber.receive(at: Clock.monotonicMicroseconds()) {
///     try project(page)
///     if let last = page.entries.last { try subscriber.taken("hub", through: last.position) }
/// }
/// ```
public final class FeedSubscriber {
    private var line: MessageSocket
    private let isDialled: Bool
    /// Decompresses pages; nil on unencrypted connections, whose pages are not compressed.
    private let packer: PagePacker?
    private var feeds: [String: Subscription] = [:]
    private var resumption: ((String) -> Checkpoint?)?
    /// What to do if the chain of a feed is broken; set it before `follow`.
    public var damage = DamageReporting.stops
    private var admission: (String, String?) -> Bool = { _, _ in true }
    /// The most pages of a feed that may be requested or not yet taken.
    var credit = BusLimits.pagesOutstanding
    private var lastRequest: UInt64 = 0
    /// When the list of feeds is requested next from a dialled server.
    private var listRequestAt: Int64?
    private var now: Int64 = 0
    /// The anomalies since the start.
    public private(set) var counts = BusCounts()

    /// Dials a numeric TCP address or an ipc path; nil while the address is unknown.
    public init(dialling endpoint: String?, context: Context, curve: Curve? = nil) throws(BusError) {
        line = try MessageSocket(dialling: endpoint, in: context, queue: BusLimits.feedQueue, curve: curve)
        packer = curve == nil ? nil : PagePacker()
        isDialled = true
    }

    /// Binds or dials a numeric TCP address or an ipc path. Throws `needsOneEndpoint` unless exactly one is given.
    public init(context: Context, bind: String?, dial: String?, curve: Curve? = nil) throws(BusError) {
        switch (bind, dial) {
        case (let endpoint?, nil):
            line = try MessageSocket(binding: endpoint, in: context, queue: BusLimits.feedQueue, curve: curve)
            isDialled = false
        case (nil, let endpoint?):
            line = try MessageSocket(dialling: endpoint, in: context, queue: BusLimits.feedQueue, curve: curve)
            isDialled = true
        default: throw .needsOneEndpoint
        }
        packer = curve == nil ? nil : PagePacker()
    }

    /// The socket to poll.
    public var socket: Socket { line.socket }

    /// Dials another address of the server.
    public func redial(_ endpoint: String) throws(BusError) {
        try line.redial(endpoint)
    }

    /// Sets which process may serve which feed, by its authenticated name. The default admits every process.
    public func admit(_ admission: @escaping (_ feed: String, _ user: String?) -> Bool) {
        self.admission = admission
    }

    /// Subscribes to a feed after the checkpoint, or from its beginning. An existing subscription restarts there.
    public func follow(_ feed: String, after checkpoint: Checkpoint?) throws(BusError) {
        try BusError.check("feed", feed.utf8.count, in: 1...BusLimits.feedBytes)
        guard feeds[feed] != nil || feeds.count < BusLimits.feeds else {
            throw .full(what: "feeds", limit: BusLimits.feeds)
        }
        let peer = isDialled ? [] : feeds[feed]?.peer
        feeds[feed] = Subscription(
            feed: feed, after: checkpoint, unpacks: packer != nil, credit: credit, damage: damage, peer: peer, at: now)
    }

    /// Subscribes to every feed that is announced, after the checkpoint that `resume` returns for it.
    public func followAll(resume: @escaping (String) -> Checkpoint?) {
        resumption = resume
        if isDialled { listRequestAt = now }
    }

    /// Resumes a feed that stopped, after another checkpoint.
    public func resume(_ feed: String, after checkpoint: Checkpoint?) throws(BusError) {
        try follow(feed, after: checkpoint)
        try ask(feed)
    }

    /// Acknowledges that the pages up to `position` are consumed, which allows further page requests.
    public func taken(_ feed: String, through position: Position) throws(BusError) {
        feeds[feed]?.taken(through: position)
        try ask(feed)
    }

    /// Returns the updates that have arrived. Call it when `socket` is readable and when `nextDeadline` has passed.
    public func receive(at monotonicMicroseconds: Int64) throws(BusError) -> [FeedUpdate] {
        now = monotonicMicroseconds
        var updates: [FeedUpdate] = []
        var budget = BusLimits.messagesPerTurn
        while let arrival = try line.receive(&budget, counting: &counts) {
            do throws(BusAnomaly) {
                updates += try read(arrival)
            } catch { counts.note(error) }
        }
        try requestFeedList()
        for feed in Array(feeds.keys) { try ask(feed) }
        return updates
    }

    /// The time at which `receive` has work to do even if nothing arrives; nil if there is none.
    public var nextDeadline: Int64? {
        (feeds.values.compactMap(\.nextDeadline) + [listRequestAt].compactMap(\.self)).min()
    }

    /// Waits until an update may have arrived, at most `milliseconds`; for callers without an event loop.
    public func wait(milliseconds: Int) throws(BusError) {
        let due = nextDeadline.map { max(0, $0 - Clock.monotonicMicroseconds()) / 1000 + 1 }
        do throws(ZeroMQError) {
            var poller = Poller()
            _ = poller.add(line.socket)
            _ = try poller.wait(milliseconds: min(milliseconds, Int(due ?? .max)))
        } catch { throw .transport(error) }
    }

    /// Returns the status of the subscription of a feed, or nil if there is none.
    public func status(_ feed: String) -> SubscriptionStatus? {
        feeds[feed].map {
            SubscriptionStatus(
                feed: feed, delivered: $0.delivered, head: $0.known, untakenPages: $0.untakenPages,
                isStopped: $0.isStopped, isConnected: $0.peer != nil)
        }
    }

    /// The feeds with a subscription, sorted by name.
    public var subscribed: [String] { feeds.keys.sorted() }
}

// Received messages and page requests.
extension FeedSubscriber {
    private func read(_ arrival: MessageSocket.ReceivedMessage) throws(BusAnomaly) -> [FeedUpdate] {
        let message = arrival.message
        switch message.kind {
        case .hello:
            let head = try FeedHeader.parse(message.header, Head.init(header:))
            return try announced(head, arrival)
        case .notify:
            let head = try FeedHeader.parse(message.header, Head.init(header:))
            guard feeds[head.feed]?.peer == arrival.peer else { throw .unknownFeed }
            return feeds[head.feed]?.updateHead(head, at: now) ?? []
        case .page:
            let page = try FeedHeader.parse(message.header, PageHeader.init(header:))
            guard feeds[page.head.feed]?.awaits(message.request, from: arrival.peer) == true else {
                // A repeated request receives two pages. The server assumes that the head of each was received.
                guard feeds[page.head.feed]?.peer == arrival.peer else { throw .stalePage }
                counts.note(.stalePage)
                return feeds[page.head.feed]?.updateHead(page.head, at: now) ?? []
            }
            let payload = try unpacked(message.payload, page)
            let entries = try PagePayload.read(payload, first: page.first, count: page.count)
            return try feeds[page.head.feed]?.accept(page, entries, at: now) ?? []
        case .refused:
            let refusal = try FeedHeader.parse(message.header, PageRejection.init(header:))
            guard feeds[refusal.feed]?.awaits(message.request, from: arrival.peer) == true else { throw .stalePage }
            return try feeds[refusal.feed]?.accept(refusal, at: now) ?? []
        case .pageAsked, .asked, .answered: throw .misplacedMessage
        }
    }

    private func unpacked(_ payload: [UInt8], _ page: PageHeader) throws(BusAnomaly) -> [UInt8] {
        guard let count = page.unpacked else { return payload }
        guard let packer else { throw .unreadablePayload }
        return try packer.unpack(payload, count: count)
    }

    private func announced(_ head: Head, _ arrival: MessageSocket.ReceivedMessage) throws(BusAnomaly) -> [FeedUpdate] {
        guard admission(head.feed, arrival.user) else { throw .notAdmitted }
        if isDialled, listRequestAt != nil { listRequestAt = now + BusTiming.silence }
        if feeds[head.feed] == nil {
            guard let resumption else { throw .unknownFeed }
            guard feeds.count < BusLimits.feeds else { throw .tooManyPeers }
            feeds[head.feed] = Subscription(
                feed: head.feed, after: resumption(head.feed), unpacks: packer != nil, credit: credit,
                peer: arrival.peer, at: now)
        }
        return feeds[head.feed]?.announced(arrival.peer, head, at: now) ?? []
    }

    /// Sends the page request that is due for a feed, if any.
    private func ask(_ feed: String) throws(BusError) {
        let request = lastRequest + 1
        guard let message = feeds[feed]?.ask(at: now, numbering: { request }) else { return }
        lastRequest = max(lastRequest, message.request)
        guard try line.send(message, to: feeds[feed]?.peer ?? []) else {
            counts.note(.undelivered)
            feeds[feed]?.undelivered(at: now, isDialled: isDialled)
            return
        }
    }

    /// Requests the list of feeds from a dialled server.
    private func requestFeedList() throws(BusError) {
        guard let due = listRequestAt, due <= now else { return }
        let isSent = try line.send(Message(.hello, header: FeedHeader.write { _ in }))
        listRequestAt = now + (isSent ? BusTiming.silence : BusTiming.connecting)
    }
}
