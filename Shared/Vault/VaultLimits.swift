/// The limits of what a vault and a folder of media store.
public enum VaultLimits {
    /// Bytes of one record.
    public static let recordBytes = 1 << 20
    /// Bytes of the kind, name or look-up key of a record.
    public static let nameBytes = 1_024
    /// Records that one query returns.
    public static let pageRecords = 1_000
    /// Bytes of one photograph or document.
    public static let mediaBytes = 16 << 20
}
