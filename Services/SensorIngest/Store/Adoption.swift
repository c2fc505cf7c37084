import Crypto
import EventBus
import EventSourcing
import EventStore
import Host
import JSON
import Synchronization
import System
import Vocabulary
import ZeroMQ

/// Serves journals of slots that nobody runs any more to the hub, until it has read them to their end.
///
/// A process that was scaled away or died for good leaves acknowledged reports behind. A slot that was free for a while
/// and has unread events is taken, served but never appended to, and released. Runs on a thread of its own.
///
/// Processes that were not told their slot (compose starts as many as it is told, all alike) end when slot 0 is free
/// for a while, and one of them takes it when they are started again.
final class Adoption: Sendable {
    private let folder: String
    private let own: Int
    private let site: String
    private let settings: Host.Settings
    private let worker: Mutex<Worker?> = Mutex(nil)

    /// A slot has to be free so long: whoever held it may only be restarting.
    static let freeMicroseconds: Int64 = 5_000_000
    static let roundMilliseconds = 1000

    /// One adopted slot.
    private struct Ward {
        let slot: Slot
        let server: FeedServer
        let head: Position
    }

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
                // The hub or the disk is not there just now; the next process that starts looks again.
                return
            }
        }
        self.worker.withLock { $0 = worker }
    }

    private func run() throws {
        let doors = try Doors(settings, of: SensorIngest.name, in: try Context(), listens: false)
        let asker = try doors.asker(of: "trace-ledger")
        var freeSince: [Int: Int64] = [:]
        var settled: [Int: Position] = [:]
        var wards: [Int: Ward] = [:]
        while true {
            _ = try Poll.wait([], milliseconds: Self.roundMilliseconds)
            try doors.follow()
            let orphans = try free(&freeSince, besides: Set(wards.keys))
            if orphans.contains(0), settings["SLOT"] == nil {
                // Points, rules and alarms need slot 0: whoever starts next takes the lowest free one.
                SignalWatcher.terminateThisProcess()
                return
            }
            guard !orphans.isEmpty || !wards.isEmpty else { continue }
            guard let read = try readByHub(asker) else { continue }
            for (number, ward) in wards where (read[number] ?? 0) >= ward.head {
                ward.server.stop()
                settled[number] = ward.head
                wards[number] = nil
            }
            for number in orphans where wards[number] == nil {
                guard let ward = try adopt(number, read: read[number] ?? 0, settled[number], doors) else { continue }
                wards[number] = ward
            }
        }
    }

    /// Slots with a journal that nobody has held for long enough.
    private func free(_ since: inout [Int: Int64], besides wards: Set<Int>) throws -> [Int] {
        let now = Clock.monotonicMicroseconds()
        var orphans: [Int] = []
        for number in try Directory.list(folder).compactMap({ Int($0) }) where number != own && !wards.contains(number)
        {
            guard File.exists("\(folder)/\(number)/\(SQLiteLog.fileName)") else { continue }
            // Taken and given back at once: this only looks.
            guard try Slot.take(number, below: folder) != nil else {
                since[number] = nil
                continue
            }
            let first = since[number] ?? now
            since[number] = first
            if now - first >= Self.freeMicroseconds { orphans.append(number) }
        }
        return orphans
    }

    /// How far the hub has read each slot; nil while it does not answer.
    private func readByHub(_ asker: Asker) throws -> [Int: Position]? {
        let outcome = try asker.askAndWait(
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

    private func adopt(_ number: Int, read: Position, _ settled: Position?, _ doors: Doors) throws -> Ward? {
        let path = "\(folder)/\(number)/\(SQLiteLog.fileName)"
        let head = try SQLiteReader(path: path).head().position
        guard read < head, head != settled, let slot = try Slot.take(number, below: folder) else { return nil }
        let server = try doors.feeds(slot: nil, dialsHub: true, open: { [try SQLiteReader(path: path)] })
        return Ward(slot: slot, server: server, head: head)
    }
}
