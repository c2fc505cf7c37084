public import EventSourcing
import Synchronization
import System
public import ZeroMQ

/// Serves the pages of the journals that a process holds, on a thread of its own.
///
/// Readers come to the bound endpoint; the dialled ones are readers' own addresses, where the feeds introduce
/// themselves. Both may be used at once.
public final class FeedServer: Sendable {
    private let wakeup: FeedWakeup
    private let ledger: FeedServerStats
    /// Where readers dial in, a wildcard port resolved; nil if the server only dials.
    public let endpoint: String?
    private let worker: Worker

    /// Binds and dials before it returns.
    ///
    /// - Parameters:
    ///   - bind: numeric TCP address or ipc path, where readers dial in.
    ///   - dial: numeric TCP addresses or ipc paths of readers; nil for one whose address `redial` will tell.
    ///   - open: gives the readers; called on the server's thread, and again a second after one has failed.
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
        ledger = FeedServerStats()
        let serverState = try FeedServerState(
            context: context, bind: bind, dial: dial, curves: (bindCurve, dialCurve), heartbeat: heartbeat,
            ledger: ledger, open: open)
        wakeup = serverState.wakeup
        endpoint = serverState.endpoint
        let room = Mutex(serverState)
        do throws(SystemError) {
            worker = try Worker(name: "feeds") { room.withLock { $0.run() } }
        } catch { throw .system(error) }
    }

    deinit { stop() }

    /// Tells every reader of this feed that its head is now there; cheap, from any thread, after the commit.
    public func ring(_ head: Head) {
        wakeup.ring(head)
    }

    /// The reader at a place of `dial` has another address; from any thread.
    public func redial(_ place: Int, to endpoint: String) {
        wakeup.redial(place, endpoint)
    }

    /// Ends the thread and waits for it; what is rung later is lost, like any ring may be.
    public func stop() {
        wakeup.stop()
        worker.join()
    }

    /// What was dropped, refused or lost since the start.
    public var counts: BusCounts { ledger.counts }

    /// Why pages cannot be served right now: a journal cannot be read, or the thread has ended; nil while they can.
    public var failure: LogFailure? { ledger.failure }

    /// Nobody is served any more.
    public var hasEnded: Bool { ledger.hasEnded }

    /// How many feeds are followed by others just now, each follower counted.
    public var watchers: Int { ledger.watchers }
}

/// What a feed server's thread tells other threads.
final class FeedServerStats: Sendable {
    private struct State {
        var counts = BusCounts()
        var failure: LogFailure?
        var watchers = 0
        var hasEnded = false
    }

    private let state = Mutex(State())

    func publish(_ counts: BusCounts, watchers: Int, failure: LogFailure?) {
        state.withLock {
            $0.counts = counts
            $0.watchers = watchers
            $0.failure = failure
        }
    }

    func end() {
        state.withLock { $0.hasEnded = true }
    }

    var counts: BusCounts { state.withLock(\.counts) }
    var failure: LogFailure? { state.withLock(\.failure) }
    var watchers: Int { state.withLock(\.watchers) }
    var hasEnded: Bool { state.withLock(\.hasEnded) }
}
