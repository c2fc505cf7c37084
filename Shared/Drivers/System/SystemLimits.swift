/// The limits of the system drivers.
public enum SystemLimits {
    /// Bytes taken from a terminal or pipe in one read.
    public static let readBytesMax = 64 * 1024
    /// Bytes read at once from a file that does not report its size.
    static let readBytesUnknown = 4_096
    /// Entries of one directory.
    public static let entriesMax = 100_000
    /// Groups of a started process.
    public static let groupsMax = 1_024
    /// Stack of a ``Worker``, in bytes.
    public static let stackBytes = 1024 * 1024
    /// Bytes of a thread's name, the kernel's limit.
    static let threadNameBytesMax = 15
    /// Ready descriptors that one ``Epoll`` wait returns.
    static let epollBatch = 64
    /// Bytes of a small file below `/proc`.
    static let statusBytesMax = 64 * 1024
    /// Microseconds by which a clock has to jump to have been set.
    static let clockSetMicroseconds: Int64 = 2_000_000
}
