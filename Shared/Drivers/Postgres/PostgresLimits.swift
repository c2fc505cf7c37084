/// What may grow here, and how far.
enum PostgresLimits {
    /// Prepared statements kept for one connection; beyond it all are forgotten and made anew.
    static let statements = 256
    /// Parameters of one statement: the protocol counts them in 16 bits.
    static let parameters = 65_535
    /// Bytes of COPY data handed to libpq at a time.
    static let copyChunkBytes = 65_536
    /// Bytes of a dump that are handed over at a time, but for the last row among them.
    static let dumpChunkBytes = 1 << 20
    /// Bytes of one value: the server refuses more than 1 GiB.
    static let valueBytes = 1 << 30
    /// Seconds to wait for a server that does not answer, unless the connection string says otherwise.
    static let connectSeconds = 10
    /// Seconds without a word after which the server's machine is asked whether it is there, and between two such
    /// questions; three without an answer end the connection.
    static let keepaliveSeconds = 15
}
