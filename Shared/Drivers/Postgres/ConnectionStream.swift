import CPostgres

extension Connection {
    /// Runs `COPY (…) TO STDOUT (FORMAT binary)` and passes its bytes to `take` in pieces of about 1 MiB.
    ///
    /// Together the pieces are one stream of PostgreSQL's binary format ("COPY", file formats), the same on every
    /// machine. An error of `take` ends the command and is rethrown.
    public func copyOut(_ query: String, _ take: ([UInt8]) throws -> Void) throws {
        let start = unsafe Reply(PQexec(handle, "COPY (\(query)) TO STDOUT (FORMAT binary)"))
        guard start.status == PGRES_COPY_OUT else {
            try checked(start, "copy out")
            return
        }
        var piece: [UInt8] = []
        var failure: (any Error)?
        while true {
            var row: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(handle, &row, 0)
            guard count > 0, let bytes = unsafe row else {
                if count < -1 { failure = failure ?? lost("copy out") }
                break
            }
            if failure == nil {
                unsafe piece.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            }
            unsafe PQfreemem(bytes)
            guard piece.count >= PostgresLimits.dumpChunkBytes, failure == nil else { continue }
            do { try take(piece) } catch { failure = error }
            piece.removeAll(keepingCapacity: true)
        }
        let reply = unsafe Reply(PQgetResult(handle))
        let refused = reply.isNothing ? nil : reply.error("copy out", fallback: { lastMessage })
        drain()
        if let failure { throw failure }
        if let refused { throw refused }
        if !piece.isEmpty { try take(piece) }
    }

    /// Imports the output of ``copyOut(_:_:)``, in pieces, until `next` returns an empty one; all of it or nothing.
    ///
    /// Names are quoted (`hub.entry` is table `entry` of schema `hub`).
    public func copyIn(into table: String, columns: [String], _ next: () throws -> [UInt8]) throws {
        let target = table.split(separator: ".").map { Self.quoted(String($0)) }.joined(separator: ".")
        let list = columns.map(Self.quoted).joined(separator: ", ")
        let start = unsafe Reply(PQexec(handle, "COPY \(target) (\(list)) FROM STDIN (FORMAT binary)"))
        guard start.status == PGRES_COPY_IN else {
            try checked(start, "copy in")
            return
        }
        var failure: (any Error)?
        do {
            while true {
                let piece = try next()
                if piece.isEmpty { break }
                let sent = unsafe piece.withUnsafeBytes { bytes in
                    unsafe PQputCopyData(
                        handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
                }
                guard sent == 1 else { throw lost("copy in") }
            }
        } catch {
            failure = error
        }
        let ended = unsafe failure == nil ? PQputCopyEnd(handle, nil) : PQputCopyEnd(handle, "given up")
        if ended != 1 { failure = failure ?? lost("copy in") }
        let reply = unsafe Reply(PQgetResult(handle))
        let refused = reply.isNothing ? lost("copy in") : reply.error("copy in", fallback: { lastMessage })
        drain()
        if let error = failure ?? refused { throw error }
    }
}
