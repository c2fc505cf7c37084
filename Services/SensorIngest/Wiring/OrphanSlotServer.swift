import Crypto
import EventBus
import EventSourcing
import EventStore
import Host
import JSON
import Synchronization
import System
import Telemetry
import Vocabulary
import ZeroMQ

/// Serves the journals of slots that no process runs to the hub, until the hub has read them to their end.
///
/// A process that was scaled away, or that died and is not restarted, leaves acknowledged reports behind. A slot that
/// was free for a while and has unread events is locked, served without appending to it, and released. This runs on a
/// thread of its own.
///
/// Processes without a configured slot (compose starts a number of identical ones) exit if slot 0 is free for a while.
/// When they are restarted, one of them takes slot 0.
final class OrphanSlotServer: Sendable {
    private let folder: String
    private let own: Int
    private let site: String
    private let settings: Host.Settings
    private let log = Logger(service: SensorIngest.name)
    private let worker: Mutex<Worker?> = Mutex(nil)

    static let roundMilliseconds = 1000

    init(settings: Host.Settings, own: Int) throws {
        folder = "\(try settings.home())/\(SensorIngest.name)"
        self.own = own
        site = settings.site
        self.settings = settings
    }

    func start() throws {
        let worker = try Worker(name: "adoption") { [self] in
            do {
                try run()
            } catch {
                log.error("orphaned-slot server stopped", ["reason": "\(error)"])
            }
        }
        self.worker.withLock { $0 = worker }
    }

    private func run() throws {
        let endpoints = try Endpoints(settings, of: SensorIngest.name, in: try Context(), listens: false)
        let requestClient = try endpoints.requestClient(of: "trace-ledger")
        let errorReporter = ErrorReporter { [log] slot, reason in
            log.error("cannot serve orphaned slot", ["slot": slot.map(String.init) ?? "any", "reason": reason])
        }
        var orphans = OrphanSlots(in: folder, besides: own, errorReporter: errorReporter)
        var roundErrors = errorReporter
        while true {
            _ = try Poll.wait([], milliseconds: Self.roundMilliseconds)
            do {
                guard try look(after: &orphans, requestClient, endpoints) else { return }
                roundErrors.take(nil, of: nil)
            } catch {
                // The hub or the disk is temporarily unavailable.
                roundErrors.take(error, of: nil)
            }
        }
    }

    /// Checks all slots once. Returns false if this process is to exit.
    private func look(after orphans: inout OrphanSlots, _ requestClient: RequestClient, _ endpoints: Endpoints) throws
        -> Bool
    {
        try endpoints.follow()
        let free = try orphans.free(at: Clock.monotonicMicroseconds())
        if free.contains(0), settings["SLOT"] == nil {
            // Points, rules and alarms need slot 0. A process that starts takes the lowest free slot.
            SignalWatcher.terminateThisProcess()
            return false
        }
        guard !free.isEmpty || orphans.isServing, let read = try readByHub(requestClient) else { return true }
        orphans.tend(free, read: read) { path in
            let server = try endpoints.feeds(slot: nil, dialsHub: true, open: { [try SQLiteReader(path: path)] })
            return { server.stop() }
        }
        return true
    }

    /// Returns the position up to which the hub has read each slot; nil if the hub does not respond.
    private func readByHub(_ requestClient: RequestClient) throws -> [Int: Position]? {
        let outcome = try requestClient.askAndWait(
            verb: "host.feeds", body: Array("{}".utf8), actor: .service(SensorIngest.name), key: nil,
            entropy: Random.bytes(16), seconds: 2)
        guard case .answer(let answer) = outcome, answer.status == 200,
            let members = try JSONValue.parse(answer.body).object
        else { return nil }
        var read: [Int: Position] = [:]
        for (feed, position) in members {
            guard let origin = Origin(feed), origin.service == SensorIngest.name, origin.site == site else { continue }
            read[origin.slot] = try position.uint()
        }
        return read
    }
}
