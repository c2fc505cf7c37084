/// The limits of this driver.
enum PostgresLimits {
    /// Prepared statements of one connection; beyond it all are deallocated and prepared again.
    static let statements = 256
    /// Parameters of one statement: the protocol counts them in 16 bits.
    static let parameters = 65_535
    /// Bytes of COPY data passed to libpq at a time.
    static let copyChunkBytes = 65_536
    /// Bytes of a dump that are passed on at a time, excluding the last row among them.
    static let dumpChunkBytes = 1 << 20
    /// Bytes of one value: the server refuses more than 1 GiB.
    static let valueBytes = 1 << 30
    /// Seconds to wait for an unresponsive server, unless the connection string has another value.
    static let connectSeconds = 10
    /// Seconds of silence before the first TCP keepalive, and between two; three without a response end the connection.
    static let keepaliveSeconds = 15
}
