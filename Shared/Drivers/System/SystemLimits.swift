/// The bounds of what the system drivers hold.
public enum SystemLimits {
    /// Bytes taken from a terminal or pipe in one read.
    public static let readBytesMax = 64 * 1024
    /// Bytes taken at once from a file that does not tell its size.
    static let readBytesUnknown = 4_096
    /// Entries of one directory.
    public static let entriesMax = 100_000
    /// Groups that a started process belongs to.
    public static let groupsMax = 1_024
    /// Stack of a ``Worker``, in bytes.
    public static let stackBytes = 1024 * 1024
    /// Bytes of a thread's name, as the kernel keeps them.
    static let threadNameBytesMax = 15
    /// Descriptors of which an ``Epoll`` tells at once.
    static let epollBatch = 64
    /// Bytes of a small file below `/proc`.
    static let statusBytesMax = 64 * 1024
}
