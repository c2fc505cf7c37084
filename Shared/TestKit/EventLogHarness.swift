public import EventSourcing
public import Vocabulary

/// Creates and crashes the event logs of one implementation, for the contract.
public struct EventLogHarness {
    /// Creates a new, empty log at a time.
    public let create: (Instant) throws -> any EventLog
    /// Ends a log as a killed process would, and reopens it.
    public let crash: (any EventLog, Instant) throws -> any EventLog
    /// Returns a function with which another thread opens a reader of the log.
    public let readers: (any EventLog) throws -> @Sendable () throws -> any LogReader

    /// Creates a harness.
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
