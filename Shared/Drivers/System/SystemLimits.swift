/// The bounds of what the system drivers hold.
public enum SystemLimits {
    /// Bytes taken from a terminal or pipe in one read.
    public static let readBytesMax = 64 * 1024
    /// Entries of one directory.
    public static let entriesMax = 100_000
    /// Groups that a started process belongs to.
    public static let groupsMax = 1_024
    /// Stack of a ``Worker``, in bytes.
    public static let stackBytes = 1024 * 1024
    /// Bytes of a thread's name, as the kernel keeps them.
    static let threadNameBytesMax = 15
    /// Bytes of a small file below `/proc`.
    static let statusBytesMax = 64 * 1024
}
