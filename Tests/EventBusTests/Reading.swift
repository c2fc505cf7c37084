import EventSourcing
import Foundation
import Testing
import ZeroMQ

@testable import EventBus

/// How sockets are connected in a test: a new abstract name, which leaves no file, or a new port each time.
enum Transport: String, CaseIterable, Sendable {
    case ipc, tcp

    /// Returns an unused endpoint that both sides can name.
    func fresh(_ context: Context) throws -> String {
        switch self {
        case .ipc: return "ipc://@furrow-bus-\(Foundation.UUID().uuidString)"
        case .tcp:
            let probe = try Socket(.pair, in: context)
            try probe.bind("tcp://127.0.0.1:*")
            defer { try? probe.unbind(probe.lastEndpoint) }
            return probe.lastEndpoint
        }
    }
}

/// Repeats `make` until its address can be bound: a port is free only a moment after its socket was closed.
func rebinding<T>(_ make: () throws -> T) throws -> T {
    let end = Date().addingTimeInterval(10)
    while true {
        do { return try make() } catch BusError.transport(let error) where error.code == EADDRINUSE && Date() < end {
            sched_yield()
        }
    }
}

/// Which side dials.
enum Direction: String, CaseIterable, Sendable {
    case subscriberDials, serverDials
}

/// The entries that a subscriber delivered, and a comparison with the journal.
struct TakenList {
    private(set) var entries: [Entry] = []

    mutating func take(_ page: Page) { entries += page.entries }

    /// Returns how the entries differ from the beginning of the journal; nil if they do not.
    func problem(against journal: [Entry]) -> String? {
        for (index, entry) in entries.enumerated() {
            guard index < journal.count else { return "more than there is" }
            guard entry.position == UInt64(index + 1) else { return "position \(entry.position) at \(index + 1)" }
            guard entry == journal[index] else { return "another event at \(entry.position)" }
        }
        return nil
    }
}

/// Drives a subscriber as an event loop would, on a clock that can run faster than real time.
final class Reading {
    let subscriber: FeedSubscriber
    private let clock = MonotonicClock()
    private var poller = Poller()
    private let speed: Int64
    var list = TakenList()
    var updates: [FeedUpdate] = []
    var takes = true
    /// The number of delivered pages.
    var pages = 0

    init(_ subscriber: FeedSubscriber, speed: Int64 = 1) {
        self.subscriber = subscriber
        self.speed = speed
        _ = poller.add(subscriber.socket)
    }

    /// The time at which the clock was stopped, so that no timeout causes a request.
    private var frozen: Int64?

    func freeze() { frozen = now }

    var now: Int64 { frozen ?? clock.microseconds * speed }

    /// Reads until `done` returns true or `seconds` have passed. Returns whether `done` was reached.
    @discardableResult
    func run(seconds: Double = 30, until done: (Reading) -> Bool) throws -> Bool {
        let end = clock.microseconds + Int64(seconds * 1_000_000)
        while !done(self) {
            guard clock.microseconds < end else { return false }
            let due = min(subscriber.nextDeadline.map { ($0 - now) / speed / 1000 + 1 } ?? 50, 50)
            _ = try poller.wait(milliseconds: Int(max(due, 0)))
            for item in try subscriber.receive(at: now) {
                updates.append(item)
                guard case .page(let page) = item else { continue }
                pages += 1
                list.take(page)
                if takes, let last = page.entries.last {
                    try subscriber.taken(page.head.feed, through: last.position)
                }
            }
        }
        return true
    }

    func run(seconds: Double = 30, through position: Position) throws -> Bool {
        try run(seconds: seconds) { $0.list.entries.last?.position ?? 0 >= position }
    }

    var stops: [StopReason] {
        updates.compactMap { if case .stopped(_, let reason) = $0 { reason } else { nil } }
    }

    var heads: [Head] {
        updates.compactMap { if case .reached(_, let head) = $0 { head } else { nil } }
    }
}

/// A server of one journal and a subscriber, connected in either direction.
struct Link {
    let context: Context
    let endpoint: String
    let direction: Direction
    let journal: ArrayJournal

    init(_ direction: Direction, over transport: Transport, _ journal: ArrayJournal) throws {
        context = try Context()
        endpoint = try transport.fresh(context)
        self.direction = direction
        self.journal = journal
    }

    func server(heartbeat: Int64 = BusTiming.heartbeat, at other: String? = nil) throws -> FeedServer {
        let journal = journal
        let place = other ?? endpoint
        return try rebinding {
            try FeedServer(
                context: context, bind: direction == .subscriberDials ? place : nil,
                dial: direction == .serverDials ? [place] : [], heartbeat: heartbeat, open: { [journal.reader()] })
        }
    }

    func reading(
        after checkpoint: Checkpoint? = nil, speed: Int64 = 1, at other: String? = nil,
        credit: Int = BusLimits.pagesOutstanding
    ) throws -> Reading {
        let place = other ?? endpoint
        let subscriber = try rebinding {
            try FeedSubscriber(
                context: context, bind: direction == .serverDials ? place : nil,
                dial: direction == .subscriberDials ? place : nil)
        }
        subscriber.credit = credit
        switch direction {
        case .subscriberDials: try subscriber.follow(journal.feed, after: checkpoint)
        case .serverDials: subscriber.followAll { _ in checkpoint }
        }
        return Reading(subscriber, speed: speed)
    }
}
