public import EventSourcing
import JSON
import System
public import ZeroMQ

/// Reads feeds, each in order and without a gap; owned by one thread, which polls `socket`.
///
/// It dials a `FeedServer`, or binds where servers dial in. Rings only say that there is something to ask for: what is
/// lost, comes twice or comes late costs time and never an event.
public final class FeedSubscriber {
    private var line: MessageSocket
    private let isDialled: Bool
    /// Where pages are encrypted they come packed.
    private let packer: PagePacker?
    private var feeds: [String: Subscription] = [:]
    private var resumption: ((String) -> Checkpoint?)?
    /// What happens where the chain of a feed does not hold; set it before `follow`.
    public var damage = DamageReporting.stops
    private var admission: (String, String?) -> Bool = { _, _ in true }
    /// So many pages of a feed are asked for or not yet taken, at most.
    var credit = BusLimits.pagesOutstanding
    private var lastRequest: UInt64 = 0
    /// When a dialled server is asked next which feeds it has.
    private var inquiresAt: Int64?
    private var now: Int64 = 0
    public private(set) var counts = BusCounts()

    /// Dials a numeric TCP address or an ipc path; nil while the address is not known.
    public init(dialling endpoint: String?, context: Context, curve: Curve? = nil) throws(BusError) {
        line = try MessageSocket(dialling: endpoint, in: context, queue: BusLimits.feedQueue, curve: curve)
        packer = curve == nil ? nil : PagePacker()
        isDialled = true
    }

    /// Either binds or dials; a numeric TCP address or an ipc path.
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

    public var socket: Socket { line.socket }

    /// The server has another address.
    public func redial(_ endpoint: String) throws(BusError) {
        try line.redial(endpoint)
    }

    /// Decides which process may tell which feed, by the name the doorkeeper gave it; unless said, everyone may.
    public func admit(_ admission: @escaping (_ feed: String, _ user: String?) -> Bool) {
        self.admission = admission
    }

    /// Follows a feed from behind the checkpoint, or from its beginning; one that is followed starts anew there.
    public func follow(_ feed: String, after checkpoint: Checkpoint?) throws(BusError) {
        try BusError.check("feed", feed.utf8.count, in: 1...BusLimits.feedBytes)
        guard feeds[feed] != nil || feeds.count < BusLimits.feeds else {
            throw .full(what: "feeds", limit: BusLimits.feeds)
        }
        let peer = isDialled ? [] : feeds[feed]?.peer
        feeds[feed] = Subscription(
            feed: feed, after: checkpoint, unpacks: packer != nil, credit: credit, damage: damage, peer: peer, at: now)
    }

    /// Follows every feed that introduces itself, from behind the checkpoint that `resume` gives for it.
    public func followAll(resume: @escaping (String) -> Checkpoint?) {
        resumption = resume
        if isDialled { inquiresAt = now }
    }

    /// Goes on with a feed that stopped, behind another checkpoint.
    public func resume(_ feed: String, after checkpoint: Checkpoint?) throws(BusError) {
        try follow(feed, after: checkpoint)
        try ask(feed)
    }

    /// Says that the pages up to `position` are taken in, and gives their credit back.
    public func taken(_ feed: String, through position: Position) throws(BusError) {
        feeds[feed]?.taken(through: position)
        try ask(feed)
    }

    /// What there is to know; call it when `socket` can be read and when `nextDeadline` has come.
    public func receive(at monotonicMicroseconds: Int64) throws(BusError) -> [FeedUpdate] {
        now = monotonicMicroseconds
        var news: [FeedUpdate] = []
        var budget = BusLimits.messagesPerTurn
        while let arrival = try line.receive(&budget, counting: &counts) {
            do throws(BusAnomaly) {
                news += try read(arrival)
            } catch { counts.note(error) }
        }
        try inquire()
        for feed in Array(feeds.keys) { try ask(feed) }
        return news
    }

    /// When `receive` has something to do without anything arriving.
    public var nextDeadline: Int64? {
        (feeds.values.compactMap(\.nextDeadline) + [inquiresAt].compactMap(\.self)).min()
    }

    /// Waits until there may be something to receive, at most so long; for whoever has nothing else to do.
    public func wait(milliseconds: Int) throws(BusError) {
        let due = nextDeadline.map { max(0, $0 - Clock.monotonicMicroseconds()) / 1000 + 1 }
        do throws(ZeroMQError) {
            var poller = Poller()
            _ = poller.add(line.socket)
            _ = try poller.wait(milliseconds: min(milliseconds, Int(due ?? .max)))
        } catch { throw .transport(error) }
    }

    /// How far a feed was delivered, where its head is as far as known, and what waits to be taken.
    public func standing(_ feed: String) -> SubscriptionStatus? {
        feeds[feed].map {
            SubscriptionStatus(
                feed: feed, delivered: $0.delivered, head: $0.known, untakenPages: $0.untakenPages,
                isStopped: $0.isStopped, isConnected: $0.peer != nil)
        }
    }

    /// The feeds that are followed, in the order of their names.
    public var followed: [String] { feeds.keys.sorted() }
}

// What arrives, and what is asked.
extension FeedSubscriber {
    private func read(_ arrival: MessageSocket.ReceivedMessage) throws(BusAnomaly) -> [FeedUpdate] {
        let message = arrival.message
        switch message.kind {
        case .hello:
            let head = try FeedHeader.parse(message.header, Head.init(header:))
            return try met(head, arrival)
        case .ring:
            let head = try FeedHeader.parse(message.header, Head.init(header:))
            guard feeds[head.feed]?.peer == arrival.peer else { throw .unknownFeed }
            return feeds[head.feed]?.heard(head, at: now) ?? []
        case .page:
            let page = try FeedHeader.parse(message.header, PageHeader.init(header:))
            guard feeds[page.head.feed]?.awaits(message.request, from: arrival.peer) == true else {
                // A question that was repeated is answered twice. Who answered takes it that the head was told.
                guard feeds[page.head.feed]?.peer == arrival.peer else { throw .stalePage }
                counts.note(.stalePage)
                return feeds[page.head.feed]?.heard(page.head, at: now) ?? []
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

    private func met(_ head: Head, _ arrival: MessageSocket.ReceivedMessage) throws(BusAnomaly) -> [FeedUpdate] {
        guard admission(head.feed, arrival.user) else { throw .notAdmitted }
        if isDialled, inquiresAt != nil { inquiresAt = now + BusTiming.silence }
        if feeds[head.feed] == nil {
            guard let resumption else { throw .unknownFeed }
            guard feeds.count < BusLimits.feeds else { throw .tooManyPeers }
            feeds[head.feed] = Subscription(
                feed: head.feed, after: resumption(head.feed), unpacks: packer != nil, credit: credit,
                peer: arrival.peer, at: now)
        }
        return feeds[head.feed]?.met(arrival.peer, head, at: now) ?? []
    }

    /// Sends what is due for a feed.
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

    /// Asks a dialled server which feeds it has.
    private func inquire() throws(BusError) {
        guard let due = inquiresAt, due <= now else { return }
        let isSent = try line.send(Message(.hello, header: FeedHeader.write { _ in }))
        inquiresAt = now + (isSent ? BusTiming.silence : BusTiming.connecting)
    }
}
