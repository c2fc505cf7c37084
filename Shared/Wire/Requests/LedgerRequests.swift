/// The names of trace-ledger's queries without a declaration: labels, measurements, proofs, and what only services ask.
public enum LedgerQueryName: String, RequestName {
    public static let service = "trace-ledger"

    case labels
    case readings
    /// The table of growth environmental information of a plot or a lot.
    case growth
    case passportProof = "passport-proof"
    /// The end of a stocktake with everything that is needed to verify it.
    case stocktakeProof = "stocktake-proof"
    case ledgerKeys = "ledger-keys"
    case checkpoint
    /// Every signed checkpoint, page by page.
    case checkpoints
    case tile
    /// Log entries from a hub position on, as hashed in the Merkle tree.
    case entries
    /// The old reports that must be retained because lots' stories need them.
    case keptReports = "kept-reports"
}
