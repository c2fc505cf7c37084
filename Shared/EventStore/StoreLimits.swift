/// The bounds of what this room keeps in memory and on disk.
public enum StoreLimits {
    /// Streams whose version a journal remembers; others are looked up.
    public static let streamsCached = 16_384
    /// Bytes of staged events that are held in memory before they go into the open transaction.
    public static let stagedBytes = 4 << 20
    /// Bytes of the answer to one command, with the names it is kept under.
    public static let answerBytes = 512 * 1024
    /// Entries at the end of a journal whose chain is verified when it is opened.
    public static let entriesVerified = 64
    /// Pages of 4 KiB in a WAL from which on an idle writer moves them into the database.
    public static let walPagesIdle = 256
    /// Pages of 4 KiB in a WAL from which on a busy writer stops for it, too.
    public static let walPagesBusy = 4_096
    /// Bytes of a WAL that are laid out when its journal is opened: as many as it has before a busy writer moves them.
    public static let walBytesReserved = walPagesBusy * 4_160
    /// Bytes that must be free for that.
    public static let freeBytesToReserve: UInt64 = 1 << 30
    /// Events of one sealed segment; published, for the number of an origin's seals says how far they reach.
    public static let sealEvents = 4_096
    /// Entries that came since a journal was sealed as far as it could be, from which on sealing waits for no pause.
    public static let entriesBehind = 64 * sealEvents
    /// Newest entries that are never sealed away: they stay in the journal's own file.
    public static let entriesUnsealed = 1_024
    /// Events, and bytes unpacked, of one block of a segment, which is read as a whole.
    public static let blockEvents = 256
    public static let blockBytes = 1 << 20
    /// Bytes of a segment behind its head.
    public static let segmentBytes = 1 << 29
    /// How hard blocks are packed (zstd).
    public static let sealLevel = 9
    /// Sealed rows that leave a journal's file in one transaction.
    public static let rowsDropped = 512
    /// Rows of one view table that are remembered, by their weight.
    public static let rowsCached = 4_096
    /// Changed rows of all view tables that are held in memory before they go into the open transaction.
    public static let rowsDirty = 8_192
    /// Keys in one block of a sorted set in memory.
    static let keysInBlock = 256
    /// Random bytes that are drawn at once.
    static let chanceBytes = 1_024
}
