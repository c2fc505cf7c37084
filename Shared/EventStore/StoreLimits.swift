/// The limits of what the stores hold in memory and on disk.
public enum StoreLimits {
    /// Streams whose versions a journal caches; the others are looked up.
    public static let streamsCached = 16_384
    /// Bytes of staged events in memory, above which they are written to the open transaction.
    public static let stagedBytes = 4 << 20
    /// Bytes of one stored response, including its actor and idempotency key.
    public static let answerBytes = 512 * 1024
    /// Entries at the end of a journal whose chain is verified when it is opened.
    public static let entriesVerified = 64
    /// Pages of 4 KiB in the WAL from which an idle writer checkpoints it.
    public static let walPagesIdle = 256
    /// Pages of 4 KiB in the WAL from which a busy writer checkpoints it, too.
    public static let walPagesBusy = 4_096
    /// Bytes of the WAL that are preallocated when its journal is opened: its size at `walPagesBusy`.
    public static let walBytesReserved = walPagesBusy * 4_160
    /// Bytes that must be free for the preallocation.
    public static let freeBytesToReserve: UInt64 = 1 << 30
    /// Events of one sealed segment. It is part of the format: with the number of seals it gives the last sealed
    /// position.
    public static let sealEvents = 4_096
    /// Entries that can be sealed, from which sealing no longer waits for a pause in the service's work.
    public static let entriesBehind = 64 * sealEvents
    /// The newest entries, which are never sealed and stay in the journal's own file.
    public static let entriesUnsealed = 1_024
    /// Events of one block of a segment, which is always read as a whole.
    public static let blockEvents = 256
    /// Bytes of one block of a segment before compression.
    public static let blockBytes = 1 << 20
    /// Bytes of a segment file after its head.
    public static let segmentBytes = 1 << 29
    /// The compression level of blocks (zstd).
    public static let sealLevel = 9
    /// Sealed rows that are deleted from a journal's file in one transaction.
    public static let rowsDropped = 512
    /// Rows of one view table in the cache, counted by their weight.
    public static let rowsCached = 4_096
    /// Changed rows of all view tables in memory, above which they are written to the open transaction.
    public static let rowsDirty = 8_192
    /// Keys in one block of `SortedKeys`.
    static let keysInBlock = 256
    /// Random bytes that are drawn from the system at once.
    static let chanceBytes = 1_024
}
