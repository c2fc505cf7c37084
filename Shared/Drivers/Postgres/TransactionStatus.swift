/// The state of a connection's transaction.
public enum TransactionStatus: Sendable {
    case idle, active, inTransaction
    /// A statement failed inside a transaction; only ROLLBACK is possible.
    case failed
    /// The connection is lost.
    case unknown
}
