import Crypto
import EventSourcing
import EventStore
import JSON
import System
import Vocabulary
import Wire

/// A journal's file and its stream, until both are equal.
struct JournalCopy: ~Copyable {
    private let replica: JournalReplica
    private let stream: any MessageStream
    private let encryption: ResponseEncryption
    private let origin: Origin
    private let writer = Hex.encode(Random.bytes(8))

    init(
        _ path: String, of origin: Origin, in stream: any MessageStream, encryption: ResponseEncryption
    ) throws(LogFailure) {
        replica = try JournalReplica(path: path, feed: origin.description)
        self.stream = stream
        self.encryption = encryption
        self.origin = origin
    }

    /// Makes both equal and returns what appends to the stream from now on.
    func open(at now: Instant) throws(LogFailure) -> JetStreamReplication {
        let description = try described()
        if replica.mark?.sequence ?? 0 == 0, !replica.isEmpty { try join(description, at: now) }
        try checkState()
        while true {
            let last = try catchUp(description.identity)
            let replication = JetStreamReplication(stream, encryption: encryption, writer: writer, last: last)
            guard try appendState(replication, .cluster, at: now) else { continue }
            try replica.finish(at: replication.last)
            return replication
        }
    }

    /// Makes the file equal to the stream, and then the journal.
    func leave(at now: Instant) throws(LogFailure) {
        guard let mark = replica.mark else {
            throw LogFailure(operation: "leave", message: "\(origin) is not in a cluster")
        }
        guard mark.sequence > 0 else { return try replica.leave() }
        let description = try described()
        while true {
            let last = try catchUp(description.identity)
            let replication = JetStreamReplication(stream, encryption: encryption, writer: writer, last: last)
            if try appendState(replication, .file, at: now) { break }
        }
        try replica.leave()
    }

    private var deadline: RetryDeadline { RetryDeadline(stream.patience) }

    // MARK: The stream

    private func described() throws(LogFailure) -> StreamDescription {
        let identity = Hex.encode(Random.bytes(8))
        let description = try deadline.retry("open") { () throws(JetStreamError) in
            if let found = try stream.describe() { return found }
            return try stream.create(identity: identity)
        }
        guard description.isSupported else {
            throw LogFailure(
                operation: "open",
                message: "the cluster runs nats-server \(description.version ?? "2.10 or older"); 2.15 is required")
        }
        return description
    }

    /// Throws if the journal was taken out of the cluster: another file continues it.
    private func checkState() throws(LogFailure) {
        guard let state = try state(), state.place == .file else { return }
        throw LogFailure(
            operation: "open",
            message: "\(origin) was taken out of the cluster on \(state.machine) at \(state.time): continue it there")
    }

    private func state() throws(LogFailure) -> WriterState? {
        let found = try deadline.retry("open") { () throws(JetStreamError) in try stream.last(.state) }
        guard let found else { return nil }
        do throws(JSONError) {
            return try WriterState(json: JSONValue.parse(found.body))
        } catch {
            throw LogFailure(operation: "open", message: "the state in \(stream.name) cannot be read: \(error)")
        }
    }

    /// Appends the state with which this writer begins. Returns false if another writer appended first.
    private func appendState(
        _ replication: JetStreamReplication, _ place: WriterState.Place, at now: Instant
    ) throws(LogFailure) -> Bool {
        let state = WriterState(place: place, writer: writer, machine: Machine.hostName, time: now)
        var json = JSONWriter()
        state.write(to: &json)
        let before = replication.last
        do throws(LogFailure) {
            try replication.append([NewMessage(kind: .state, body: json.bytes)])
            return true
        } catch {
            let last = try deadline.retry("open") { () throws(JetStreamError) in try stream.describe()?.last }
            guard last ?? 0 > before else { throw error }
            try deadline.pause(after: .unreachable(error.message), "open")
            return false
        }
    }

    private func catchUp(_ identity: String) throws(LogFailure) -> Int64 {
        var following = CatchUp(replica, with: stream, identity: identity, encryption: encryption)
        return try following.run()
    }

    // MARK: From the file to the stream

    /// Copies the journal to the stream. It continues a copy that was interrupted.
    private func join(_ description: StreamDescription, at now: Instant) throws(LogFailure) {
        if replica.mark == nil {
            guard try state()?.place != .cluster else {
                throw LogFailure(
                    operation: "open",
                    message: "the cluster has a journal of \(origin) already, which is not the one on this machine")
            }
            try replica.begin(description.identity)
        }
        let reader = try SQLiteReader(path: replica.path)
        let replication = JetStreamReplication(stream, encryption: encryption, writer: writer, last: description.last)
        var next = try copied(reader) + 1
        if try next <= replica.prunedTo() {
            try replica.eachPrunedSegment { (segment) throws(LogFailure) in
                _ = try replication.append([ReplicatedCommit(events: [], segment: segment)])
            }
            next = try replica.prunedTo() + 1
        }
        while case let page = try reader.read(
            from: next, events: EventLimits.pageEvents, bytes: EventLimits.pageBytes), let last = page.last
        {
            try copy(page, with: replication)
            next = last.position + 1
        }
        var number: Int64 = 0
        while case let page = try reader.responses(after: number, limit: Self.responses), let last = page.last {
            _ = try replication.append(page.map { ReplicatedCommit(events: [], response: $0) })
            number = last.number
        }
        guard try appendState(replication, .cluster, at: now) else {
            throw LogFailure(operation: "open", message: "another machine copies \(origin) to the cluster")
        }
        try replica.finish(at: replication.last)
    }

    private static let responses = 256

    private func copy(_ page: [Entry], with replication: JetStreamReplication) throws(LogFailure) {
        var commits: [ReplicatedCommit] = []
        for entry in page {
            do {
                let id = try EnvelopeCodec.read(entry.bytes).envelope.id
                commits.append(ReplicatedCommit(events: [(id, entry)]))
            } catch {
                throw LogFailure(
                    operation: "open", message: "the event of \(origin) at \(entry.position) cannot be read: \(error)")
            }
        }
        _ = try replication.append(commits)
    }

    /// Returns the position up to which the stream has the journal. Throws if it has another one.
    private func copied(_ reader: SQLiteReader) throws(LogFailure) -> Position {
        let last = try deadline.retry("open") { () throws(JetStreamError) in try stream.last(.event) }
        guard let last else { return 0 }
        let position = try last.position()
        let same = try reader.read(from: position, events: 1, bytes: EventLimits.pageBytes).first
        if same?.bytes == last.body { return position }
        throw LogFailure(operation: "open", message: "\(stream.name) has another journal of \(origin)")
    }
}
