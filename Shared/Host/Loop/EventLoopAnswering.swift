import EventBus
import EventSourcing
import EventStore
import JSON
import System
import Telemetry
import Vocabulary
import Wire

/// The requests that the host of every service processes without the step function.
enum HostVerb: String {
    /// Returns the head of the journal.
    case head = "host.head"
    /// Returns the position up to which the hub has read each origin.
    case feeds = "host.feeds"
    /// Returns the digest of each live table, by the store's catalogue, and the position of the tables.
    case digests = "host.digests"
    /// Checks whether the index that the store keeps beside the events matches their bytes. Started once, then polled
    /// until it is done.
    case index = "host.index"
    /// Returns the chain hash at a position of the journal, or of one that it mirrors.
    case hash = "host.hash"
    /// Returns the status of the service: its checks and its numbers.
    case status = "host.standing"
    /// Returns the status of the subscription of a mirrored journal.
    case followed = "host.followed"
    /// Accepts, for the operator, that a followed journal was restored to an earlier position.
    case accept = "host.accept"
    /// Compares the machine's clock with the journal; with `accept`, the operator declares the clock right.
    case clock = "host.clock"
    /// Lists the foreign events that could not be applied.
    case parked = "host.parked"
    /// Retries or skips one of them, for the operator.
    case resolve = "host.resolve"

    /// Returns nil for a verb of the service itself. The prefix is checked first, because most verbs are such.
    init?(verb: String) {
        guard verb.utf8.starts(with: "host.".utf8) else { return nil }
        self.init(rawValue: verb)
    }

    /// Whether only the operator may request it, because it changes something.
    var isOperators: Bool { self == .accept || self == .resolve || self == .clock }
}

extension EventLoop {
    /// Responds at once. Throws only if the storage failed, which ends the process.
    func answer(_ ask: IncomingRequest, _ verb: HostVerb) throws {
        do {
            guard !verb.isOperators || AccessPolicy.isOperator(ask) else {
                throw Problem(403, "not-allowed", "Only the operator's command may do that.")
            }
            let body = try RequestBody(ask.body)
            switch verb {
            case .head: sendResponse(ask, head(runtime.log.head))
            case .feeds: sendResponse(ask, feedHeads)
            case .digests: sendResponse(ask, progress.during(.reading) { digests })
            case .index: sendResponse(ask, try index(body))
            case .hash: sendResponse(ask, try hash(body))
            case .status: sendResponse(ask, statusResponse)
            case .followed: sendResponse(ask, try followed(body))
            case .accept: sendResponse(ask, try accept(body))
            case .clock: sendResponse(ask, try clock(body))
            case .parked: sendResponse(ask, try parked(body))
            case .resolve: sendResponse(ask, try resolve(body))
            }
        } catch let problem as Problem {
            sendResponse(ask, problem.answer)
        }
    }

    private func head(_ head: Head) -> Response {
        .made { json in
            json.field("feed", head.feed)
            json.field("epoch", head.epoch)
            json.field("position", head.position)
            json.field("hash", BaseEncoding.base64.encode(head.hash))
        }
    }

    private var statusResponse: Response {
        var status = status()
        status.used = disk.usedBytes
        do {
            status.growth = try configuration.growth()
        } catch {
            // The failure of the database is reported where it is used.
            log.warning("the hub's growth is not known", ["reason": "\(error)"])
        }
        return .made { json in status.write(to: &json, report: health.report) }
    }

    private var feedHeads: Response {
        let heads = (runtime.log as? any MirrorLog)?.feeds() ?? []
        return .made { json in
            for head in heads { json.field(head.feed, head.position) }
        }
    }

    private var digests: Response {
        do {
            try runtime.flush()
            let digests = try runtime.tables.digests()
            let head = runtime.log.head
            return .made { json in
                json.field("position", head.position)
                json.field(
                    "tables",
                    array: { json in
                        for digest in digests {
                            json.object { json in
                                json.field("table", digest.table)
                                json.field("rows", digest.rows)
                                json.field("digest", digest.digest)
                            }
                        }
                    })
            }
        } catch {
            return Problem(500, "digests-failed", "\(error)").answer
        }
    }

    private func index(_ body: RequestBody) throws(Problem) -> Response {
        if try body.find("begin") == true {
            do throws(SystemError) {
                try indexCheck.begin()
            } catch {
                throw Problem(503, "busy", "There is no thread for it: \(error)")
            }
        }
        return indexCheck.answer
    }

    // MARK: Following

    private func hash(_ body: RequestBody) throws(Problem) -> Response {
        let position: Position = try body.get("position")
        let feed = try body.optionalText("feed")
        let hash: [UInt8]?
        do {
            let reader: any LogReader
            if let feed { reader = try mirror().originReader(feed) } else { reader = try runtime.log.reader() }
            hash = try reader.hash(at: position)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(500, "unreadable", "\(error)")
        }
        return .made { json in
            json.field("position", position)
            json.field("hash", ifPresent: hash.map { BaseEncoding.base64.encode($0) })
        }
    }

    private func mirror() throws(Problem) -> any MirrorLog {
        guard let mirror = runtime.log as? any MirrorLog else {
            throw Problem(404, "no-hub", "Only the ledger mirrors other journals.")
        }
        return mirror
    }

    private func mirrored(_ feed: String) throws(Problem) -> Head {
        guard let head = try mirror().feeds().first(where: { $0.feed == feed }), feed != runtime.log.head.feed else {
            throw Problem(404, "unknown-feed", "The hub follows no journal \(feed).")
        }
        return head
    }

    private func followed(_ body: RequestBody) throws(Problem) -> Response {
        let head = try mirrored(body.text("feed"))
        let status = subscriber?.status(head.feed)
        return .made { json in
            json.field("feed", head.feed)
            json.field("epoch", head.epoch)
            json.field("position", head.position)
            json.field("stopped", status?.isStopped ?? false)
            json.field("connected", status?.isConnected ?? false)
        }
    }

    /// Accepts an earlier position. The entries mirrored behind it stay in the hub. The acceptance is recorded first,
    /// so that the operator can repeat the request after a crash between the two steps.
    private func accept(_ body: RequestBody) throws -> Response {
        let head = try mirrored(body.text("feed"))
        let position: Position = try body.get("position")
        let mirror = try mirror()
        guard let hash = BaseEncoding.base64.decode(try body.get("hash")), position > 0, position <= head.position,
            try mirror.originReader(head.feed).hash(at: position) == hash
        else { throw Problem(409, "not-common", "The hub holds another chain of \(head.feed) at \(position).") }
        guard let subscriber, subscriber.status(head.feed)?.isStopped == true else {
            throw Problem(409, "not-stopped", "\(head.feed) is followed as it is; there is nothing to accept.")
        }
        let left = Int(clamping: head.position - position)
        let accepted = FollowAccepted(
            feed: head.feed, epoch: head.epoch, keptTo: position, keptHash: Hex.encode(hash), left: left)
        try runtime.accept(accepted, at: clock.now())
        for effect in try runtime.commit() { release(effect, Clock.monotonicMicroseconds()) }
        try mirror.accept(head.feed, keptTo: position, hash: hash)
        try subscriber.resume(head.feed, after: Checkpoint(epoch: head.epoch, position: position, hash: hash))
        health.set("feed:\(head.feed)", .ok)
        log.notice("follow accepted", ["feed": head.feed, "position": "\(position)", "left": "\(left)"])
        return .made { json in
            json.field("feed", head.feed)
            json.field("keptTo", position)
            json.field("left", left)
        }
    }

    // MARK: Parked events

    private func parked(_ body: RequestBody) throws(Problem) -> Response {
        if let feed = try body.optionalText("feed") {
            let position: Position = try body.get("position")
            guard let row = runtime.tables.get(ParkedRow.self, ParkedRow.key(feed, position)) else {
                throw Problem(404, "not-parked", "No event of \(feed) at \(position) waits here.")
            }
            return .made { json in
                write(row, &json)
                json.field("event", String(decoding: row.bytes, as: UTF8.self))
            }
        }
        let after = try body.optionalText("after")
        let rows = runtime.tables.scan(ParkedRow.self, prefix: "", after: after, limit: HostLimits.parkedItems)
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for row in rows { json.object { write(row, &$0) } }
                })
            json.field("next", ifPresent: rows.count == HostLimits.parkedItems ? rows.last?.key : nil)
        }
    }

    private func write(_ row: ParkedRow, _ json: inout JSONWriter) {
        let blocked = row.stream.flatMap { runtime.tables.get(BlockedStreamRow.self, $0) }
        json.field("feed", row.feed)
        json.field("epoch", row.epoch)
        json.field("position", row.position)
        json.field("reason", row.reason)
        json.field("stream", ifPresent: blocked?.stream)
        // The first event of a stream does not wait for another event, only for the operator.
        if let blocked, blocked.first != row.position {
            json.field("behind", blocked.first)
        } else {
            json.field("waiting", blocked?.waiting ?? 0)
        }
    }

    private func resolve(_ body: RequestBody) throws -> Response {
        let feed = try body.text("feed")
        let position: Position = try body.get("position")
        let reason = try body.optionalText("reason")
        if let problem = try runtime.resolve(feed, position, skippingBecause: reason, at: clock.now()) { throw problem }
        for effect in try runtime.commit() { release(effect, Clock.monotonicMicroseconds()) }
        resumeFullFeeds()
        return .made { json in
            json.field("feed", feed)
            json.field("position", position)
            json.field("outcome", reason == nil ? ParkedResolved.retried : ParkedResolved.skipped)
        }
    }
}
