import Crypto
public import EventSourcing
public import EventStore
import JSON
import NATS
import System
public import Vocabulary

/// A NATS cluster in which journals are stored: where it is, and the key of what is encrypted there.
///
/// ```
/// let cluster = Cluster(servers: ["nats://10.0.0.1:4222"], key: key)
/// let log = try cluster.open(path, feed: "catalog-orders/farm-0", why: "created", at: clock.now())
/// ```
public struct Cluster: Sendable {
    private let options: NATSOptions
    private let encryption: ResponseEncryption

    /// Creates the description of a cluster.
    ///
    /// - Parameters:
    ///   - servers: addresses of its servers, such as `nats://10.0.0.1:4222`.
    ///   - key: 32 bytes that all machines share; responses are encrypted with it.
    ///   - name: the name under which servers list this client.
    ///   - credentials: the path of a NATS credentials file.
    ///   - certificates: the path of the certificates (PEM) that sign the servers' certificates.
    public init(
        servers: [String], key: [UInt8], name: String, credentials: String? = nil, certificates: String? = nil
    ) {
        options = NATSOptions(servers: servers, name: name, credentials: credentials, certificates: certificates)
        encryption = ResponseEncryption(key: key)
    }

    /// Bytes of a key.
    public static let keySize = AESGCM.keySize

    /// Opens the journal of the origin `feed`, as its only writer from now on.
    ///
    /// The file at `path` is a replica, which is first brought to the state of the stream. A journal that is not in the
    /// cluster yet is copied there, and a new one is created. Throws if
    /// - the cluster has no leader within 20 seconds,
    /// - the stream belongs to another journal than the file,
    /// - an event does not continue the chain.
    public func open(_ path: String, feed: String, why: String, at now: Instant) throws(LogFailure) -> SQLiteLog {
        let origin = try JournalFormat.origin(of: feed)
        let stream = try connect(origin)
        if try isEmpty(path, origin), try isEmpty(stream) {
            try SQLiteLog(path: path, feed: feed, why: why, at: now).close()
        }
        let replication = try synchronised(path, origin, stream, at: now)
        let log = try SQLiteLog(replica: path, feed: feed, replication: replication)
        try log.recordSeals()
        try log.removePrunedFromLog()
        return log
    }

    /// Returns the number of messages that the stream of the origin `feed` has had; nil if there is no stream.
    public func length(of feed: String) throws(LogFailure) -> Int64? {
        let stream = try connect(try JournalFormat.origin(of: feed))
        let deadline = RetryDeadline()
        return try deadline.retry("ask") { () throws(JetStreamError) in try stream.describe()?.last }
    }

    /// Takes a journal out of the cluster: brings its file to the state of the stream, and makes it the journal.
    public func leave(_ path: String, feed: String, at now: Instant) throws(LogFailure) -> Head {
        let origin = try JournalFormat.origin(of: feed)
        if let mark = try ReplicaMark.find(in: path), mark.sequence > 0 {
            // The file gets all segments before it is the journal.
            try open(path, feed: feed, why: "", at: now).close()
        }
        try JournalCopy(path, of: origin, in: try connect(origin), encryption: encryption).leave(at: now)
        return try SQLiteReader(path: path).head()
    }

    private func isEmpty(_ path: String, _ origin: Origin) throws(LogFailure) -> Bool {
        try JournalReplica(path: path, feed: origin.description).isEmpty
    }

    private func isEmpty(_ stream: JournalStream) throws(LogFailure) -> Bool {
        let deadline = RetryDeadline()
        return try deadline.retry("open") { () throws(JetStreamError) in try stream.describe()?.last ?? 0 } == 0
    }

    /// Makes file and stream equal, and closes the file.
    private func synchronised(
        _ path: String, _ origin: Origin, _ stream: JournalStream, at now: Instant
    ) throws(LogFailure) -> JetStreamReplication {
        try JournalCopy(path, of: origin, in: stream, encryption: encryption).open(at: now)
    }

    private func connect(_ origin: Origin) throws(LogFailure) -> JournalStream {
        let deadline = RetryDeadline()
        let connection = try deadline.retry("connect") { () throws(JetStreamError) in
            do throws(NATSError) {
                return try NATSConnection(options)
            } catch {
                throw JetStreamError(error)
            }
        }
        return try JournalStream(of: origin, on: connection)
    }
}
