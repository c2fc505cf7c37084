public import EventSourcing
public import Vocabulary

/// How the contract makes and crashes the journals of one engine.
public struct EventLogHarness {
    /// A new, empty journal, begun at that time.
    public let create: (Instant) throws -> any EventLog
    /// Ends a log as the death of its process would, and opens what it left.
    public let crash: (any EventLog, Instant) throws -> any EventLog
    /// How another thread gets a reader of the log's journal.
    public let readers: (any EventLog) throws -> @Sendable () throws -> any LogReader

    public init(
        create: @escaping (Instant) throws -> any EventLog,
        crash: @escaping (any EventLog, Instant) throws -> any EventLog,
        readers: @escaping (any EventLog) throws -> @Sendable () throws -> any LogReader
    ) {
        self.create = create
        self.crash = crash
        self.readers = readers
    }
}
