/// The messages of one journal in one order, which a cluster stores.
///
/// When a call throws `unreachable`, it is unknown whether it had an effect, or will have one.
protocol MessageStream: AnyObject {
    /// The name of the stream in the cluster.
    var name: String { get }
    /// How long callers wait for a leader.
    var patience: Patience { get }

    /// Describes the stream, or returns nil if there is none.
    func describe() throws(JetStreamError) -> StreamDescription?
    /// Creates the stream.
    func create(identity: String) throws(JetStreamError) -> StreamDescription

    /// Appends messages as one batch, all or none, directly after the message `last`. Returns the number of the last.
    func append(_ messages: [NewMessage], after last: Int64, batch: String) throws(JetStreamError) -> Int64

    /// Returns the message at a sequence number as the leader has it, or nil if there is none.
    func message(at sequence: Int64) throws(JetStreamError) -> StoredMessage?
    /// Returns the last message of a kind as the leader has it, or nil if there is none.
    func last(_ kind: MessageKind) throws(JetStreamError) -> StoredMessage?
    /// Returns the first event at or after a sequence number as the leader has it, or nil if there is none.
    func event(from sequence: Int64) throws(JetStreamError) -> StoredMessage?
    /// Returns the next messages after `sequence`, of one kind or of all, at most a page, in order.
    ///
    /// Any of the machines may answer, so the newest ones may be missing.
    func read(after sequence: Int64, of one: MessageKind?) throws(JetStreamError) -> [StoredMessage]

    /// Removes the events before a sequence number.
    func removeEvents(before sequence: Int64) throws(JetStreamError)
}

/// What the cluster says about a stream.
struct StreamDescription {
    /// The identity of the stream, which a stream of the same name that was created later does not have.
    let identity: String
    /// The sequence number of the last message; 0 if there is none.
    let last: Int64
    /// The version of the server that answered, such as `2.15.1`; nil if it is too old to say so.
    let version: String?

    /// Whether the server is 2.15 or later.
    var isSupported: Bool {
        let parts = version?.split(separator: ".").compactMap { Int($0) } ?? []
        return !parts.lexicographicallyPrecedes([2, 15])
    }
}
