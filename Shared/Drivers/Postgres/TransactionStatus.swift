/// Where a connection stands in its transaction.
public enum TransactionStatus: Sendable {
    case idle, active, inTransaction
    /// A statement failed inside a transaction; only ROLLBACK helps.
    case failed
    /// The connection is gone.
    case unknown
}
