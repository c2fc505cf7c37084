public import EventSourcing
import Synchronization
import System
public import ZeroMQ

/// Serves the pages of the journals of a process, on a thread of its own.
///
/// Subscribers dial the bound endpoint. Where a subscriber is bound itself, the server dials it and announces its
/// feeds. Both may be used at once.
///
/// ```
/// let server = try FeedServer(
///     context: context, bind: "ipc:///run/furrow/ledger.read", dial: [],
///     open: { [try SQLiteReader(path: path)] })
/// server.notify(log.head)
/// ```
public final class FeedServer: Sendable {
    private let wakeup: FeedWakeup
    private let stats: FeedServerStats
    /// The address for subscribers, with a wildcard port resolved; nil if the server only dials.
    public let endpoint: String?
    private let worker: Worker

    /// Binds and dials before it returns. Throws if that fails or there is no thread.
    ///
    /// - Parameters:
    ///   - bind: numeric TCP address or ipc path for subscribers.
    ///   - dial: numeric TCP addresses or ipc paths of subscribers; nil for one whose address `redial` sets later.
    ///   - open: returns the readers; called on the server's thread, and again a second after a failure.
    public convenience init(
        context: Context, bind: String?, dial: [String?], bindCurve: Curve? = nil, dialCurve: Curve? = nil,
        open: @escaping @Sendable () throws -> [any LogReader]
    ) throws(BusError) {
        try self.init(
            context: context, bind: bind, dial: dial, bindCurve: bindCurve, dialCurve: dialCurve,
            heartbeat: BusTiming.heartbeat, open: open)
    }

    init(
        context: Context, bind: String?, dial: [String?], bindCurve: Curve? = nil, dialCurve: Curve? = nil,
        heartbeat: Int64, open: @escaping @Sendable () throws -> [any LogReader]
    ) throws(BusError) {
        stats = FeedServerStats()
        let serverState = try FeedServerState(
            context: context, bind: bind, dial: dial, curves: (bindCurve, dialCurve), heartbeat: heartbeat,
            stats: stats, open: open)
        wakeup = serverState.wakeup
        endpoint = serverState.endpoint
        let state = Mutex(serverState)
        do throws(SystemError) {
            worker = try Worker(name: "feeds") { state.withLock { $0.run() } }
        } catch { throw .system(error) }
    }

    deinit { stop() }

    /// Notifies all subscribers of this feed of its head. Cheap; from any thread, after the commit.
    public func notify(_ head: Head) {
        wakeup.notify(head)
    }

    /// Redials the subscriber at an index of `dial`, whose address has changed. From any thread.
    public func redial(_ place: Int, to endpoint: String) {
        wakeup.redial(place, endpoint)
    }

    /// Stops the thread and waits for it. Later head notifications are lost, as any of them may be.
    public func stop() {
        wakeup.stop()
        worker.join()
    }

    /// The anomalies since the start.
    public var counts: BusCounts { stats.counts }

    /// Why pages cannot be served now: a journal cannot be read, or the thread has ended; nil if they can.
    public var failure: LogFailure? { stats.failure }

    /// Whether the thread has ended, so that no page is served any more.
    public var hasEnded: Bool { stats.hasEnded }

    /// The number of subscriptions; each subscriber counts once per feed.
    public var subscriptions: Int { stats.subscriptions }
}

/// The statistics that a feed server's thread publishes to other threads.
final class FeedServerStats: Sendable {
    private struct State {
        var counts = BusCounts()
        var failure: LogFailure?
        var subscriptions = 0
        var hasEnded = false
    }

    private let state = Mutex(State())

    func publish(_ counts: BusCounts, subscriptions: Int, failure: LogFailure?) {
        state.withLock {
            $0.counts = counts
            $0.subscriptions = subscriptions
            $0.failure = failure
        }
    }

    func end() {
        state.withLock { $0.hasEnded = true }
    }

    var counts: BusCounts { state.withLock(\.counts) }
    var failure: LogFailure? { state.withLock(\.failure) }
    var subscriptions: Int { state.withLock(\.subscriptions) }
    var hasEnded: Bool { state.withLock(\.hasEnded) }
}
