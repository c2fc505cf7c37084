/// The limits of a connection to a cluster.
enum NATSLimits {
    /// Milliseconds in which a server must accept a connection.
    static let connectMilliseconds: Int64 = 1_000
    /// Milliseconds between two attempts to connect again to the same server.
    static let reconnectMilliseconds: Int64 = 100
    /// Milliseconds between two pings, by which a cut connection is found.
    static let pingMilliseconds: Int64 = 500
    /// Pings without a reply after which the connection counts as cut.
    static let pings: Int32 = 2
    /// Milliseconds in which a socket must take what is sent. Without it, a write to a cut connection blocks until TCP
    /// gives up after minutes, and the library sends no ping during a write.
    static let writeMilliseconds: Int64 = 1_000
    /// Names of servers that a setting may list.
    static let servers = 64
}
